//! What Amazon SageMaker captured.

use serde_json::json;
use tokamark_conversation::{Conversation, History, Prompt, Turn};
use tokamark_dataset::open;
use tokamark_plan::{DatasetFormat, DatasetPlan, SchedulePlan};

use crate::folder::{Folder, all, assert_fault, options};

const FORMAT: DatasetFormat = DatasetFormat::SagemakerDataCapture;

fn line(data: &str, encoding: &str, time: &str) -> String {
    let output = json!({"data": "{\"usage\":{\"prompt_tokens\":12}}", "encoding": "JSON"});
    json!({
        "captureData": {"endpointInput": {"data": data, "encoding": encoding, "mode": "INPUT"}, "endpointOutput": output},
        "eventMetadata": {"eventId": "e", "inferenceTime": time}, "eventVersion": "0"
    })
    .to_string()
}

#[test]
fn requests_are_sent_again_at_their_times() {
    let request = json!({"model": "m", "messages": [{"role": "user", "content": "a"}], "max_tokens": 9,
        "tools": [{"type": "function"}]});
    let base64 = "eyJtZXNzYWdlcyI6W3sicm9sZSI6InVzZXIiLCJjb250ZW50IjoiYiJ9XX0=";
    let folder = Folder::of(&[
        ("2026/01/b.jsonl", line(base64, "BASE64", "2026-01-01T00:00:02.250Z").as_bytes()),
        ("2026/02/c.jsonl", line(&request.to_string(), "JSON", "2026-01-01T00:00:01Z").as_bytes()),
    ]);
    let mut plan = DatasetPlan::of(folder.path(""), Some(FORMAT));
    let dataset = open(&plan, &options()).unwrap();
    let single = |id: &str, start: f64, turn| Conversation {
        history: History::None,
        start_ms: Some(start),
        ..Conversation::single(id.into(), Turn { timestamp_ms: Some(start), ..turn })
    };
    let messages = |text: &str| Prompt::Messages(vec![json!({"role": "user", "content": text})]);
    assert_eq!(
        all(&dataset),
        [
            single("session_000000", 1250.0, Turn { prompt: messages("b"), ..Turn::default() }),
            single(
                "session_000001",
                0.0,
                Turn {
                    row: 1,
                    prompt: messages("a"),
                    output_tokens: Some(9),
                    tools: Some(json!([{"type": "function"}])),
                    ..Turn::default()
                }
            ),
        ]
    );
    assert_eq!(dataset.starts_ms(), Some(&[1250.0, 0.0][..]));
    plan.trace.synthesis.speedup_ratio = 5.0;
    plan.trace.schedule = Some(SchedulePlan { start_offset_ms: Some(250.0), ..SchedulePlan::default() });
    // Only the later one is left; what is divided is the time since the start offset.
    let dataset = open(&plan, &options()).unwrap();
    assert_eq!((dataset.starts_ms(), dataset.conversation(0).unwrap().start_ms), (Some(&[450.0][..]), Some(450.0)));
    plan.trace.synthesis.max_isl = Some(11);
    assert!(open(&plan, &options()).is_err(), "both prompts had twelve tokens");
}

#[test]
fn faults_name_the_part() {
    let time = "2026-01-01T00:00:00Z";

    assert_fault(
        "{\"captureData\":{},\"eventMetadata\":{\"inferenceTime\":\"2026-01-01T00:00:00Z\"}}",
        FORMAT,
        Some("captureData.endpointInput"),
        "is missing",
    );
    assert_fault(&line("{", "JSON", time), FORMAT, Some("captureData.endpointInput.data"), "is not a JSON object");
    assert_fault(&line("?", "BASE64", time), FORMAT, Some("captureData.endpointInput.data"), "is not Base64");
    assert_fault(
        &line("{}", "CSV", time),
        FORMAT,
        Some("captureData.endpointInput.data"),
        "is neither JSON nor Base64 by its `encoding`",
    );
    assert_fault(&line("{}", "JSON", time), FORMAT, Some("captureData.endpointInput.data.messages"), "is missing");
    assert_fault(
        &line("{\"messages\":[{}]}", "JSON", "noon"),
        FORMAT,
        Some("eventMetadata.inferenceTime"),
        "is not a time such as 2026-01-31T12:00:00Z",
    );
}
