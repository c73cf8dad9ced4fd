//! The requests of earlier runs.

use serde_json::json;
use tokamark_conversation::{Conversation, History, Prompt, Turn};
use tokamark_dataset::Place;
use tokamark_plan::DatasetFormat;

use crate::folder::{conversations, faults};

const FORMAT: DatasetFormat = DatasetFormat::InputsJson;

fn body(row: u64, text: &str) -> Turn {
    Turn { row, prompt: Prompt::Body(text.into()), ..Turn::default() }
}

#[test]
fn aiperfs_sessions_are_replayed_byte_for_byte() {
    let text = "{\"data\":[\n{\"session_id\":\"s\",\"payloads\":[{\"a\": 1.50},{\"b\":\"\\u00e9\"}]},\n\
                {\"session_id\":\"t\",\"payloads\":[{\n  \"c\": [\n 1, \" x \" ]\n}]}\n]}";
    let got = conversations(text, FORMAT);
    let conversation =
        |id: &str, turns| Conversation { id: id.into(), history: History::None, turns, ..Conversation::default() };
    assert_eq!(
        got,
        [
            conversation("s", vec![body(0, "{\"a\": 1.50}"), body(0, "{\"b\":\"\\u00e9\"}")]),
            // It was indented in the file, not when it was sent.
            conversation("t", vec![body(1, "{\"c\":[1,\" x \"]}")]),
        ]
    );
}

#[test]
fn genai_perfs_entries_are_single_requests() {
    let document = json!({"data": [
        {"payload": [{"query": {"text": "q"}}], "timestamp": [150]},
        {"payload": {"prompt": "p"}},
        {"payload": ["{\"n\": 1}"]},
    ]});
    let got = conversations(serde_json::to_string_pretty(&document).unwrap(), FORMAT);
    let turns: Vec<&Turn> = got.iter().flat_map(|one| &one.turns).collect();
    let first = Turn { timestamp_ms: Some(150.0), ..body(0, "{\"query\":{\"text\":\"q\"}}") };
    assert_eq!(turns, [&first, &body(1, "{\"prompt\":\"p\"}"), &body(2, "{\"n\": 1}")]);
    assert_eq!(got[0].start_ms, Some(150.0));
}

#[test]
fn genai_perfs_sessions_add_to_what_was_said() {
    let entry = |text: &str, session: &str, delay: Option<u32>| {
        let mut entry = json!({"payload": [{"model": "m", "messages": [{"role": "user", "content": text}], "max_tokens": 8,
            "stream": true, "seed": 1}], "session_id": [session]});
        if let Some(delay) = delay {
            entry["delay"] = json!([delay]);
        }
        entry
    };
    let document = json!({"data": [entry("a1", "a", Some(30)), entry("b1", "b", None), entry("a2", "a", Some(40)),
        entry("a3", "a", None)]});
    let got = conversations(document.to_string(), FORMAT);
    assert_eq!(
        got.iter().map(|one| (one.id.as_str(), one.history)).collect::<Vec<_>>(),
        [("a", History::Live), ("b", History::Live)]
    );
    let expected = |row, text: &str, delay_ms| Turn {
        row,
        prompt: Prompt::Messages(vec![json!({"role": "user", "content": text})]),
        output_tokens: Some(8),
        model: Some("m".into()),
        extra: json!({"seed": 1}).as_object().unwrap().clone(),
        delay_ms,
        ..Turn::default()
    };
    // The wait is named by the turn before it.
    assert_eq!(got[0].turns, [expected(0, "a1", None), expected(2, "a2", Some(30.0)), expected(3, "a3", Some(40.0))]);
    assert_eq!(got[1].turns, [expected(1, "b1", None)]);
}

#[test]
fn perf_analyzers_forms_are_understood() {
    let document = json!({"data": [
        {"model": "m", "text_input": ["t"], "stream": [true], "max_tokens": [4], "exclude_input_in_output": [true],
            "sampling_parameters": {"content": ["{}"], "shape": [1]}},
        [{"payload": [{"n": 1}], "delay": [5]}, {"payload": [{"n": 2}]}],
        {"messages": [], "x": 1},
    ]});
    let got = conversations(document.to_string(), FORMAT);
    let tensors = Turn {
        output_tokens: Some(4),
        extra: json!({"exclude_input_in_output": true, "sampling_parameters": "{}"}).as_object().unwrap().clone(),
        ..Turn::text(0, "t")
    };
    assert_eq!(got[0].turns, [tensors]);
    assert_eq!(got[1].turns, [body(1, "{\"n\":1}"), Turn { delay_ms: Some(5.0), ..body(1, "{\"n\":2}") }]);
    assert_eq!(got[2].turns, [body(2, "{\"messages\":[],\"x\":1}")]);
}

#[test]
fn faults_name_the_entry() {
    let told = |document: &str| {
        let faults = faults(document, FORMAT);
        (faults.count(), faults.first()[0].to_string())
    };
    let one = |text: &str| (1, text.to_owned());
    assert_eq!(
        told("{\"data\":[{\"payloads\":[{}]},{\"payloads\":[{},3]}]}"),
        one("row 2: `payloads[1]` is not an object, so it is no request body")
    );
    assert_eq!(told("{\"data\":[{\"payloads\":[]}]}"), one("row 1: `payloads` is empty"));
    assert_eq!(told("{\"data\":[7]}"), one("row 1: is a number, not an object"));
    assert_eq!(told("{\"data\":[[]]}"), one("row 1: is an empty list"));
    assert_eq!(told("{\"data\":[{\"message_generator\":\"x\"}]}").0, 1);
    assert_eq!(told("{\"experiments\":[]}"), one("has no list in `data`"));
    assert_eq!(told("{\"data\":[{\"payloads\":[{}]}"), one("is not JSON (EOF while parsing a list, column 26)"));
    assert_eq!(faults("{\"data\":[]} x", FORMAT).first()[0].place, Place::Whole);
}
