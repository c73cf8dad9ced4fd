//! The bodies that are sent, byte for byte.

use serde_json::{Map, Value, json};
use tokamark_conversation::{Prompt, Turn};
use tokamark_endpoint::{BodyOptions, dialect};
use tokamark_plan::EndpointKind;

fn map(value: Value) -> Map<String, Value> {
    value.as_object().cloned().unwrap_or_default()
}

fn options(extra: Value) -> BodyOptions {
    BodyOptions { model: "m".to_owned(), streaming: true, legacy_max_tokens: false, extra: map(extra) }
}

fn turn(texts: &[&str]) -> Turn {
    Turn { prompt: Prompt::Texts(texts.iter().map(|&text| text.to_owned()).collect()), ..Turn::default() }
}

fn body(kind: EndpointKind, turn: &Turn, options: &BodyOptions) -> String {
    String::from_utf8_lossy(&dialect(kind).body(turn.into(), options)).into_owned()
}

fn chat(turn: &Turn, options: &BodyOptions) -> String {
    body(EndpointKind::Chat, turn, options)
}

const MESSAGES: &str = r#""messages":[{"role":"user","content":"hi"}]"#;
const STREAM: &str = r#""stream":true,"stream_options":{"include_usage":true}"#;

#[test]
fn chat_bodies() {
    let mut options = options(json!({}));
    let mut turn = turn(&["hi"]);
    assert_eq!(chat(&turn, &options), format!(r#"{{"model":"m",{MESSAGES},{STREAM}}}"#));
    turn.output_tokens = Some(5);
    assert_eq!(chat(&turn, &options), format!(r#"{{"model":"m",{MESSAGES},{STREAM},"max_completion_tokens":5}}"#));
    options.legacy_max_tokens = true;
    assert_eq!(chat(&turn, &options), format!(r#"{{"model":"m",{MESSAGES},{STREAM},"max_tokens":5}}"#));
    options.streaming = false;
    turn.model = Some("own".to_owned());
    assert_eq!(chat(&turn, &options), format!(r#"{{"model":"own",{MESSAGES},"stream":false,"max_tokens":5}}"#));
}

#[test]
fn several_texts_are_parts_of_a_message() {
    assert_eq!(
        chat(&turn(&["a", "é\"\n"]), &options(json!({}))),
        format!(
            r#"{{"model":"m","messages":[{{"role":"user","content":[{{"type":"text","text":"a"}},{{"type":"text","text":"é\"\n"}}]}}],{STREAM}}}"#
        )
    );
}

#[test]
fn extra_fields_come_last_and_win() {
    let options = options(json!({"temperature": 0, "top_k": 1, "max_completion_tokens": 9}));
    let turn = Turn { output_tokens: Some(5), extra: map(json!({"top_k": 2, "seed": 3})), ..turn(&["hi"]) };
    assert_eq!(
        chat(&turn, &options),
        format!(r#"{{"model":"m",{MESSAGES},{STREAM},"max_completion_tokens":9,"temperature":0,"top_k":2,"seed":3}}"#)
    );
}

#[test]
fn token_counts_are_asked_for_unless_the_user_said_otherwise() {
    for (extra, expected) in [
        (
            json!({"stream_options": {"include_usage": false}}),
            r#""stream":true,"stream_options":{"include_usage":false}"#,
        ),
        (
            json!({"stream_options": {"continuous_usage_stats": true}}),
            r#""stream":true,"stream_options":{"continuous_usage_stats":true,"include_usage":true}"#,
        ),
        (json!({"stream_options": null}), r#""stream":true,"stream_options":null"#),
        (json!({"stream": false}), r#""stream":false"#),
    ] {
        let expected = format!(r#"{{"model":"m",{MESSAGES},{expected}}}"#);
        assert_eq!(chat(&turn(&["hi"]), &options(extra)), expected);
    }
    let options = BodyOptions { streaming: false, ..options(json!({"stream": true})) };
    assert_eq!(chat(&turn(&["hi"]), &options), format!(r#"{{"model":"m",{MESSAGES},{STREAM}}}"#));
}

#[test]
fn the_turns_own_stream_options_are_merged_like_the_users() {
    let turn = Turn { extra: map(json!({"stream_options": {"continuous_usage_stats": true}})), ..turn(&["hi"]) };
    let options = options(json!({"stream_options": {"include_usage": false}}));
    assert_eq!(
        chat(&turn, &options),
        format!(
            r#"{{"model":"m",{MESSAGES},"stream":true,"stream_options":{{"continuous_usage_stats":true,"include_usage":false}}}}"#
        )
    );
}

#[test]
fn completions_bodies() {
    let turn_of_one = Turn { output_tokens: Some(5), ..turn(&["hi"]) };
    assert_eq!(
        body(EndpointKind::Completions, &turn_of_one, &options(json!({"ignore_eos": true}))),
        format!(r#"{{"model":"m","prompt":"hi",{STREAM},"max_tokens":5,"ignore_eos":true}}"#)
    );
    assert_eq!(
        body(EndpointKind::Completions, &turn(&["a", "b"]), &options(json!({}))),
        format!(r#"{{"model":"m","prompt":["a","b"],{STREAM}}}"#)
    );
}

#[test]
fn embeddings_bodies() {
    let turn = Turn { output_tokens: Some(5), ..turn(&["hi"]) };
    assert_eq!(
        body(EndpointKind::Embeddings, &turn, &options(json!({"dimensions": 8}))),
        r#"{"model":"m","input":["hi"],"dimensions":8}"#
    );
}

#[test]
fn each_kind_has_its_own_dialect() {
    for kind in EndpointKind::ALL {
        let dialect = dialect(kind);
        assert_eq!(dialect.kind(), kind);
        assert_eq!((dialect.can_stream(), dialect.generates_tokens()), (kind.can_stream(), kind.generates_tokens()));
    }
}
