//! Which finished responses are answers.

use tokamark_endpoint::{Ending, Verdict, VerdictKind, dialect, http_error, judge};
use tokamark_plan::EndpointKind;
use tokamark_wire::{Answer, ServerError};

/// Reads a stream of chat events and judges it.
fn judged(events: &[&str], requested: Option<u64>) -> Verdict {
    let chat = dialect(EndpointKind::Chat);
    let mut answer = Answer::default();
    let infos: Vec<_> = events.iter().map(|event| chat.read_event(b"", event.as_bytes(), &mut answer)).collect();
    let generated_events = infos.iter().filter(|info| info.flags.is_generated()).count() as u64;
    judge(chat, &answer, &Ending { streamed: true, generated_events, requested_output_tokens: requested })
}

fn failed(verdict: Verdict) -> (VerdictKind, String) {
    match verdict {
        Verdict::Ok => (VerdictKind::Empty, "was ok".to_owned()),
        Verdict::Failed { kind, message, .. } => (kind, message),
    }
}

const ROLE: &str = r#"{"choices":[{"delta":{"role":"assistant","content":""}}]}"#;
const TOKEN: &str = r#"{"choices":[{"delta":{"content":"x"}}]}"#;
const COUNTED_TOKEN: &str = r#"{"choices":[{"delta":{"content":"x"}}],"usage":{"completion_tokens":1}}"#;
const FINISH: &str = r#"{"choices":[{"delta":{},"finish_reason":"stop"}]}"#;
const USAGE: &str = r#"{"choices":[],"usage":{"prompt_tokens":5,"completion_tokens":2}}"#;
const DONE: &str = "[DONE]";

#[test]
fn any_end_mark_will_do() {
    for end in [FINISH, USAGE, DONE] {
        assert_eq!(judged(&[ROLE, TOKEN, end], None), Verdict::Ok, "{end}");
    }
    assert_eq!(judged(&[TOKEN, TOKEN], Some(2)), Verdict::Ok, "full length");
}

#[test]
fn a_stream_without_one_is_incomplete() {
    let incomplete = |events, requested| {
        let (kind, message) = failed(judged(events, requested));
        assert_eq!(kind, VerdictKind::Incomplete);
        assert!(message.contains("stream ended without a finish reason or [DONE]"), "{message}");
    };
    incomplete(&[TOKEN, TOKEN, TOKEN], Some(10));
    incomplete(&[TOKEN], None);
    incomplete(&[COUNTED_TOKEN], Some(10));
    incomplete(&[ROLE], None);
    incomplete(&[], None);
    incomplete(&[], Some(0));
}

#[test]
fn an_answer_without_a_token_is_empty() {
    assert_eq!(
        failed(judged(&[ROLE, FINISH, USAGE, DONE], None)),
        (VerdictKind::Empty, "no token in the answer".to_owned())
    );
    let body = br#"{"choices":[{"message":{"content":""},"finish_reason":"stop"}]}"#;
    let mut answer = Answer::default();
    let chat = dialect(EndpointKind::Chat);
    assert!(chat.read_body(body, &mut answer).is_ok());
    assert_eq!(failed(judge(chat, &answer, &Ending::default())).0, VerdictKind::Empty);
}

#[test]
fn a_whole_body_needs_no_end_mark() {
    let chat = dialect(EndpointKind::Chat);
    let mut answer = Answer::default();
    assert!(chat.read_body(br#"{"choices":[{"message":{"content":"hi"}}]}"#, &mut answer).is_ok());
    assert_eq!(judge(chat, &answer, &Ending { generated_events: 1, ..Ending::default() }), Verdict::Ok);
}

#[test]
fn an_error_fails_even_a_complete_answer() {
    let verdict = judged(&[TOKEN, r#"{"error":{"message":"m","type":"t","code":500}}"#, DONE], None);
    let expected = Verdict::Failed {
        kind: VerdictKind::ServerError,
        code: Some("500".to_owned()),
        label: Some("t".to_owned()),
        message: "m".to_owned(),
    };
    assert_eq!(verdict, expected);

    let mut answer = Answer::default();
    let chat = dialect(EndpointKind::Chat);
    chat.read_event(b"error", b"boom", &mut answer);
    assert_eq!(
        failed(judge(chat, &answer, &Ending { streamed: true, generated_events: 3, requested_output_tokens: None })),
        (VerdictKind::ServerError, "boom".to_owned())
    );
}

#[test]
fn embeddings_need_no_token() {
    let embeddings = dialect(EndpointKind::Embeddings);
    let mut answer = Answer::default();
    assert!(embeddings.read_body(br#"{"data":[{"embedding":[1]}]}"#, &mut answer).is_ok());
    assert_eq!(judge(embeddings, &answer, &Ending::default()), Verdict::Ok);
    let reason = embeddings.read_body(b"{}", &mut answer).err().unwrap_or_default();
    assert_eq!(
        failed(Verdict::undecodable(reason)),
        (VerdictKind::Undecodable, "the answer has no embedding: {}".to_owned())
    );
}

#[test]
fn refusals_always_say_something() {
    let error = |code: &str, kind: Option<&str>, message: &str| ServerError {
        code: Some(code.to_owned()),
        kind: kind.map(str::to_owned),
        message: message.to_owned(),
    };
    let rate = br#"{"error":{"message":"rate limited","type":"rate_limit","code":429}}"#;
    assert_eq!(http_error(429, "Too Many Requests", rate), error("429", Some("rate_limit"), "rate limited"));
    let bad = br#"{"object":"error","message":"too long","type":"BadRequestError","code":400}"#;
    assert_eq!(http_error(400, "Bad Request", bad), error("400", Some("BadRequestError"), "too long"));
    assert_eq!(
        http_error(502, "Bad Gateway", b"<html>oops</html>\n"),
        error("502", Some("Bad Gateway"), "<html>oops</html>")
    );
    assert_eq!(http_error(403, "Forbidden", br#"{"message":"no"}"#), error("403", Some("Forbidden"), "no"));
    assert_eq!(http_error(500, "Oops", b"{}"), error("500", Some("Oops"), "{}"));
    assert_eq!(
        http_error(503, "Service Unavailable", b" "),
        error("503", Some("Service Unavailable"), "Service Unavailable")
    );
    assert_eq!(http_error(503, "", b""), error("503", None, "HTTP status 503 with an empty body"));

    let long = "é".repeat(1000);
    assert_eq!(http_error(500, "", long.as_bytes()).message, "é".repeat(250), "cut at a character");
    assert_eq!(http_error(500, "", b"a\xFFb").message, "a\u{fffd}b");
}

#[test]
fn streams_without_an_end_mark_end_with_their_body() {
    for kind in EndpointKind::ALL.into_iter().filter(|kind| kind.can_stream()) {
        let ending = Ending { streamed: true, generated_events: 2, requested_output_tokens: None };
        let verdict = judge(dialect(kind), &Answer::default(), &ending);
        let marks = !matches!(
            kind,
            EndpointKind::Generate
                | EndpointKind::KserveTensorrtllm
                | EndpointKind::KserveVllm
                | EndpointKind::SolidoRag
                | EndpointKind::Raw
                | EndpointKind::Template
        );
        assert_eq!(matches!(verdict, Verdict::Failed { kind: VerdictKind::Incomplete, .. }), marks, "{kind:?}");
        assert_eq!(verdict == Verdict::Ok, !marks, "{kind:?}");
    }
}

#[test]
fn vectors_and_ranks_are_answers_without_a_token() {
    for kind in [EndpointKind::Raw, EndpointKind::Template] {
        let mut answer = Answer::default();
        let nothing = judge(dialect(kind), &answer, &Ending::default());
        assert!(matches!(nothing, Verdict::Failed { kind: VerdictKind::Empty, .. }));
        dialect(kind).read_body(br#"{"data":[{"embedding":[1]}]}"#, &mut answer).unwrap();
        assert_eq!(judge(dialect(kind), &answer, &Ending::default()), Verdict::Ok);
    }
}

#[test]
fn error_statuses_of_every_api() {
    for (body, kind, message) in [
        (
            r#"{"type":"error","error":{"type":"invalid_request_error","message":"bad"}}"#,
            "invalid_request_error",
            "bad",
        ),
        (
            r#"{"error":{"message":"bad","type":"invalid_request_error","param":null,"code":null}}"#,
            "invalid_request_error",
            "bad",
        ),
        (r#"{"error":"bad","error_type":"validation"}"#, "validation", "bad"),
        (r#"{"error":"bad"}"#, "Unprocessable Entity", "bad"),
        (r#"{"id":"x","message":"bad"}"#, "Unprocessable Entity", "bad"),
        (
            r#"{"detail":[{"loc":["body","query"],"msg":"field required","type":"missing"}]}"#,
            "Unprocessable Entity",
            "body.query: field required",
        ),
        ("bad", "Unprocessable Entity", "bad"),
    ] {
        let expected =
            ServerError { code: Some("422".to_owned()), kind: Some(kind.to_owned()), message: message.to_owned() };
        assert_eq!(http_error(422, "Unprocessable Entity", body.as_bytes()), expected, "{body}");
    }
}
