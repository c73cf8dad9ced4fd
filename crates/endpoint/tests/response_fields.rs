//! Answers whose text is where the user says.

use serde_json::{Map, Value, json};
use tokamark_conversation::Turn;
use tokamark_endpoint::{BodyOptions, Ending, Verdict, VerdictKind, check_response_field, dialect_for, judge};
use tokamark_plan::EndpointKind;
use tokamark_wire::{Answer, EventFlags};

fn extra(field: &str) -> Map<String, Value> {
    json!({"response_field": field}).as_object().cloned().unwrap_or_default()
}

/// The text of a body, or why there is none.
fn text_of(field: &str, body: &str) -> Result<(String, bool), String> {
    let mut answer = Answer::default();
    dialect_for(EndpointKind::Raw, &extra(field)).read_body(body.as_bytes(), &mut answer)?;
    Ok((String::from_utf8_lossy(&answer.text).into_owned(), answer.is_data))
}

#[test]
fn the_text_is_where_the_expression_says() {
    let body = r#"{"text":"not this","a":{"b":[{"c":"x"},{"c":"y"}]},"v":[0.5],"n":null}"#;
    assert_eq!(text_of("a.b[0].c", body), Ok(("x".to_owned(), false)));
    assert_eq!(text_of("a.b[*].c", body), Ok(("xy".to_owned(), false)));
    assert_eq!(text_of("v", body), Ok((String::new(), true)));
    for missing in ["n", "a.d", "a.b[5].c"] {
        let reason = text_of(missing, body).unwrap_err();
        assert!(reason.starts_with(&format!("response_field `{missing}`: the answer has no such part: ")), "{reason}");
    }
    let mut answer = Answer::default();
    let raw = dialect_for(EndpointKind::Raw, &extra("a"));
    let info = raw.read_body(br#"{"error":{"message":"no"}}"#, &mut answer);
    assert_eq!(info.map(|info| info.flags), Ok(EventFlags::ERROR));
}

#[test]
fn events_without_the_field_have_no_text() {
    let template = dialect_for(EndpointKind::Template, &extra("out.text"));
    let mut answer = Answer::default();
    let flags: Vec<_> = [
        r#"{"out":{"text":"a"},"text":"no"}"#,
        r#"{"text":"no"}"#,
        r#"{"usage":{"prompt_tokens":1}}"#,
        r#"{"out":{"text":"b"}}"#,
        "{",
        "[DONE]",
    ]
    .iter()
    .map(|event| template.read_event(b"", event.as_bytes(), &mut answer).flags)
    .collect();
    assert_eq!(
        flags,
        [
            EventFlags::CONTENT,
            EventFlags::EMPTY,
            EventFlags::USAGE,
            EventFlags::CONTENT,
            EventFlags::UNKNOWN,
            EventFlags::DONE
        ]
    );
    assert_eq!(answer.text, b"ab");
    let ending = Ending { streamed: true, generated_events: 2, requested_output_tokens: None };
    assert_eq!(judge(template, &answer, &ending), Verdict::Ok);
    let mut broken = Answer::default();
    template.read_event(b"error", b"broken", &mut broken);
    assert!(matches!(judge(template, &broken, &ending), Verdict::Failed { kind: VerdictKind::ServerError, .. }));
}

#[test]
fn other_dialects_and_bodies_know_no_such_field() {
    let options = BodyOptions {
        model: "m".to_owned(),
        streaming: false,
        legacy_max_tokens: false,
        extra: json!({"response_field": "a", "payload_template": "{\"t\": {{ text|tojson }}}", "k": 1})
            .as_object()
            .cloned()
            .unwrap_or_default(),
    };
    let turn = Turn::text(0, "hi");
    let template = dialect_for(EndpointKind::Template, &options.extra);
    assert_eq!(template.body((&turn).into(), &options), r#"{"t":"hi","k":1}"#);
    assert_eq!((template.kind(), template.can_stream()), (EndpointKind::Template, true));
    // A chat answer is read as one.
    let mut answer = Answer::default();
    let chat = dialect_for(EndpointKind::Chat, &options.extra);
    assert!(chat.read_body(br#"{"choices":[{"message":{"content":"b"}}],"a":"c"}"#, &mut answer).is_ok());
    assert_eq!(answer.text, b"b");
}

#[test]
fn an_expression_is_checked_before_the_run() {
    assert_eq!(check_response_field(&Map::new()), Ok(()));
    assert_eq!(check_response_field(&extra("a.b[*].c")), Ok(()));
    let error = check_response_field(&extra("a.[")).unwrap_err();
    assert!(error.to_string().starts_with("`a.[` is not a JMESPath expression: "), "{error}");
}
