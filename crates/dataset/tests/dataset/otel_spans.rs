//! Spans of OpenTelemetry.

use serde_json::{Value, json};
use tokamark_conversation::{Conversation, Prompt, Turn};
use tokamark_plan::DatasetFormat;

use crate::folder::{all, assert_fault, conversations, try_open};

const FORMAT: DatasetFormat = DatasetFormat::OtelSpans;

fn exported(spans: Value) -> Value {
    json!({"resourceSpans": [{"resource": {}, "scopeSpans": [{"scope": {}, "spans": spans}]}]})
}

fn span(start: &str, attributes: Value) -> Value {
    json!({"traceId": "t", "spanId": "s", "name": "chat m", "startTimeUnixNano": start, "attributes": attributes})
}

fn typed(pairs: &[(&str, Value)]) -> Value {
    pairs.iter().map(|(key, value)| json!({"key": key, "value": value})).collect()
}

#[test]
fn exported_spans_are_conversations_in_the_order_of_their_starts() {
    let counts = |id: &str, input: &str, output: &str| {
        typed(&[
            ("gen_ai.operation.name", json!({"stringValue": "chat"})),
            ("gen_ai.conversation.id", json!({"stringValue": id})),
            ("gen_ai.usage.input_tokens", json!({"intValue": input})),
            ("gen_ai.usage.output_tokens", json!({"intValue": output})),
        ])
    };
    let agent = typed(&[("gen_ai.operation.name", json!({"stringValue": "invoke_agent"}))]);
    let document = exported(json!([
        span("1700000003000000000", counts("a", "20", "5")),
        span("1700000001000000000", counts("a", "10", "0")),
        span("1700000000000000000", agent),
        span("1700000002500000000", counts("b", "7", "2")),
    ]));
    for text in [document.to_string(), serde_json::to_string_pretty(&document).unwrap()] {
        let got = all(&try_open(text, Some(FORMAT)).unwrap());
        let turn = |row, tokens, output_tokens, timestamp: f64| Turn {
            row,
            prompt: Prompt::Made { tokens, blocks: Vec::new(), block_size: 512 },
            output_tokens,
            timestamp_ms: Some(timestamp),
            ..Turn::default()
        };
        let ids: Vec<_> = got.iter().map(|one| (one.id.as_str(), one.start_ms)).collect();
        assert_eq!(ids, [("a", Some(0.0)), ("b", Some(1500.0))]);
        assert_eq!(got[0].turns, [turn(1, 10, None, 0.0), turn(0, 20, Some(5), 2000.0)]);
        assert_eq!(got[1].turns, [turn(2, 7, Some(2), 1500.0)]);
    }
}

fn messages(conversation: &Conversation) -> &[Value] {
    match &conversation.turns[0].prompt {
        Prompt::Messages(messages) => messages,
        other => panic!("{other:?}"),
    }
}

#[test]
fn messages_are_those_of_chats() {
    let input = json!([
        {"role": "user", "parts": [{"type": "text", "content": "hi"}, {"type": "text", "content": "there"}]},
        {"role": "assistant", "parts": [{"type": "tool_call", "id": "c1", "name": "f", "arguments": {"x": 1}}]},
        {"role": "tool", "parts": [{"type": "tool_call_response", "id": "c1", "response": "ok"}]},
        {"role": "user", "content": "plain"},
    ]);
    let flat = json!({"span_id": "s", "start_time": "2026-01-01T00:00:00Z", "attributes": {
        "gen_ai.input.messages": input.to_string(),
        "gen_ai.system_instructions": [{"type": "text", "content": "be good"}],
    }});
    let numbered = json!({"span_id": "s", "attributes": {"gen_ai.prompt.0.role": "system",
        "gen_ai.prompt.0.content": "x", "gen_ai.prompt.1.role": "user", "gen_ai.prompt.1.content": "y"}});
    let got = conversations(format!("{flat}\n{numbered}\n"), FORMAT);
    assert_eq!(
        messages(&got[0]),
        [
            json!({"role": "system", "content": "be good"}),
            json!({"role": "user", "content": "hi\nthere"}),
            json!({"role": "assistant", "content": null, "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{\"x\":1}"}}]}),
            json!({"role": "tool", "tool_call_id": "c1", "content": "ok"}),
            json!({"role": "user", "content": "plain"}),
        ]
    );
    assert_eq!(messages(&got[1]), [json!({"role": "system", "content": "x"}), json!({"role": "user", "content": "y"})]);
}

#[test]
fn faults_are_told_and_other_spans_passed_over() {
    assert_fault(
        "{\"attributes\":{\"gen_ai.operation.name\":\"chat\"}}",
        FORMAT,
        Some("gen_ai.usage.input_tokens"),
        "is missing, and so are the messages",
    );
    assert_fault(
        "{\"startTimeUnixNano\":\"x\",\"attributes\":{\"gen_ai.usage.prompt_tokens\":3}}",
        FORMAT,
        Some("startTimeUnixNano"),
        "is not a time",
    );
    assert_fault("7", FORMAT, None, "is not a span");
    assert!(try_open("{\"attributes\":{\"http.method\":\"GET\"}}", Some(FORMAT)).is_err(), "no call of a model");
}
