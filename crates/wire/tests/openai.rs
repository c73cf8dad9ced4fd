//! What events and bodies mean, by example.

use tokamark_wire::openai::{error_in_body, read_body, read_embeddings_body, read_error_event, read_event};
use tokamark_wire::{Answer, EventFlags, EventInfo, ServerError, Usage};

const CONTENT: EventFlags = EventFlags::CONTENT;
const REASONING: EventFlags = EventFlags::REASONING;
const TOOL: EventFlags = EventFlags::TOOL;
const ROLE: EventFlags = EventFlags::ROLE;
const EMPTY: EventFlags = EventFlags::EMPTY;
const FINISH: EventFlags = EventFlags::FINISH;
const USAGE: EventFlags = EventFlags::USAGE;
const DONE: EventFlags = EventFlags::DONE;
const ERROR: EventFlags = EventFlags::ERROR;
const UNKNOWN: EventFlags = EventFlags::UNKNOWN;

/// Reads events into one answer.
fn read(events: &[&str]) -> (Vec<EventInfo>, Answer) {
    let mut answer = Answer::default();
    let infos = events.iter().map(|event| read_event(event.as_bytes(), &mut answer)).collect();
    (infos, answer)
}

/// The flags of one event.
fn flags(event: &str) -> EventFlags {
    read(&[event]).0[0].flags
}

/// The flags of a chunk whose only choice is this.
fn choice_flags(choice: &str) -> EventFlags {
    flags(&chunk(choice))
}

fn chunk(choice: &str) -> String {
    format!(r#"{{"id":"r","object":"chat.completion.chunk","created":1,"model":"m","choices":[{{{choice}}}]}}"#)
}

fn text(answer: &Answer) -> String {
    String::from_utf8_lossy(&answer.text).into_owned()
}

fn error(event: &str) -> ServerError {
    let (infos, answer) = read(&[event]);
    assert!(infos[0].flags.has(ERROR), "{event}");
    answer.error.unwrap_or_default()
}

fn server_error(code: Option<&str>, kind: Option<&str>, message: &str) -> ServerError {
    ServerError { code: code.map(str::to_owned), kind: kind.map(str::to_owned), message: message.to_owned() }
}

#[test]
fn the_roles_of_an_event() {
    assert_eq!(choice_flags(r#""delta":{"content":"a"},"finish_reason":null"#), CONTENT);
    assert_eq!(choice_flags(r#""delta":{"role":"assistant","content":""}"#), ROLE);
    assert_eq!(choice_flags(r#""delta":{"role":"assistant","content":null,"tool_calls":null}"#), ROLE);
    assert_eq!(choice_flags(r#""delta":{"role":"assistant","content":"a"}"#), ROLE | CONTENT);
    assert_eq!(choice_flags(r#""delta":{"content":""}"#), EMPTY);
    assert_eq!(choice_flags(r#""delta":{"content":null,"role":null}"#), EMPTY);
    assert_eq!(choice_flags(r#""delta":{}"#), EMPTY);
    assert_eq!(choice_flags(r#""delta":{},"finish_reason":"stop""#), FINISH);
    assert_eq!(choice_flags(r#""delta":{"content":"a"},"finish_reason":"length""#), CONTENT | FINISH);
    assert_eq!(choice_flags(r#""delta":{"reasoning_content":"a"}"#), REASONING);
    assert_eq!(choice_flags(r#""delta":{"reasoning":"a","content":""}"#), REASONING);
    assert_eq!(choice_flags(r#""delta":{"reasoning":"a","content":"b"}"#), REASONING | CONTENT);
    assert_eq!(choice_flags(r#""delta":{"refusal":"no"}"#), CONTENT);
    assert_eq!(choice_flags(r#""text":"a""#), CONTENT);
    assert_eq!(choice_flags(r#""text":"","finish_reason":"stop""#), FINISH);
    assert_eq!(choice_flags(r#""delta":{"tool_calls":[]}"#), EMPTY);
    assert_eq!(choice_flags(r#""delta":{"tool_calls":[{"index":0,"function":{"arguments":""}}]}"#), EMPTY);
    assert_eq!(choice_flags(r#""delta":{"tool_calls":[{"function":{"name":"f","arguments":""}}]}"#), TOOL);
    assert_eq!(choice_flags(r#""delta":{"function_call":{"name":"f"}}"#), TOOL);
    assert_eq!(flags(r#"{"choices":[],"usage":{"prompt_tokens":7}}"#), USAGE);
    assert_eq!(flags(r#"{"choices":[{"index":0,"delta":{}}],"usage":{"prompt_tokens":7}}"#), USAGE);
    assert_eq!(
        flags(r#"{"choices":[{"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":7}}"#),
        FINISH | USAGE
    );
    assert_eq!(flags(r#"{"choices":[]}"#), EMPTY);
    assert_eq!(flags(r#"{"choices":[],"usage":null}"#), EMPTY);
    assert_eq!(flags(r#"{"choices":[],"usage":{}}"#), EMPTY);
    assert_eq!(flags(r#"{"type":"ping"}"#), UNKNOWN);
    assert_eq!(flags(r#"{"choices":null}"#), UNKNOWN);
    assert_eq!(flags("[1]"), UNKNOWN);
    assert_eq!(flags("not json"), UNKNOWN);
    assert_eq!(flags(r#"{"choices":[{"delta":{"content":"a"}}]"#), UNKNOWN);
    assert_eq!(flags(""), EMPTY);
}

#[test]
fn names_elsewhere_do_not_deceive() {
    assert_eq!(choice_flags(r#""delta":{"extra":{"content":"a","delta":{"content":"b"}}}"#), EMPTY);
    assert_eq!(choice_flags(r#""logprobs":{"content":[{"token":"a"}]},"delta":{}"#), EMPTY);
    assert_eq!(choice_flags(r#""delta":{"role":"\"content\":\"a\""}"#), ROLE);
    assert_eq!(flags(r#"{"delta":{"content":"a"},"choices":[]}"#), EMPTY);
    assert_eq!(choice_flags(r#""delta":{"cont\u0065nt":"a"}"#), CONTENT);
}

#[test]
fn the_end_mark() {
    for data in ["[DONE]", " [DONE]", "[DONE] \n"] {
        let (infos, answer) = read(&[data]);
        assert_eq!(infos[0].flags, DONE);
        assert!(answer.done);
    }
    assert_eq!(flags("[done]"), UNKNOWN);
}

#[test]
fn text_is_appended_in_order_with_its_lengths() {
    let (infos, answer) = read(&[
        &chunk(r#""delta":{"content":"b","reasoning":"é"}"#),
        &chunk(r#""delta":{"content":"c","tool_calls":[{"function":{"name":"f","arguments":"{}"}}]}"#),
        &chunk(r#""delta":{"content":"\u00fc\ud83d\ude00\n"}"#),
    ]);
    assert_eq!(text(&answer), "ébcf{}ü😀\n");
    assert_eq!(infos[0], EventInfo { flags: CONTENT | REASONING, reasoning_len: 2, content_len: 1, tool_len: 0 });
    assert_eq!(infos[1], EventInfo { flags: CONTENT | TOOL, reasoning_len: 0, content_len: 1, tool_len: 3 });
    assert_eq!(infos[2].content_len, 7);
}

#[test]
fn the_same_reasoning_under_two_names_counts_once() {
    let (_, answer) = read(&[&chunk(r#""delta":{"reasoning":"r","reasoning_content":"r"}"#)]);
    assert_eq!(text(&answer), "r");
    let (_, answer) = read(&[&chunk(r#""delta":{"reasoning":"r","reasoning_content":""}"#)]);
    assert_eq!(text(&answer), "r");
}

#[test]
fn several_choices_all_count() {
    let event = r#"{"choices":[{"delta":{"content":"a","reasoning":"x"}},{"delta":{"content":"b","reasoning":"y"}}]}"#;
    let (infos, answer) = read(&[event]);
    assert_eq!(text(&answer), "xyab");
    assert_eq!((infos[0].reasoning_len, infos[0].content_len), (2, 2));
}

#[test]
fn content_may_be_a_list_of_parts() {
    let (infos, answer) = read(&[&chunk(
        r#""delta":{"content":[{"type":"thinking","thinking":[{"type":"text","text":"t"}]},{"type":"text","text":"a"},"b"]}"#,
    )]);
    assert_eq!(text(&answer), "tab");
    assert_eq!((infos[0].reasoning_len, infos[0].content_len), (1, 2));
}

#[test]
fn a_call_is_its_name_and_arguments() {
    let (_, answer) = read(&[&chunk(
        r#""delta":{"tool_calls":[{"function":{"name":"f","arguments":"{\"a\":"}},{"custom":{"name":"g","input":"i"}}],
           "function_call":{"name":"h","arguments":{"k":1}}}"#,
    )]);
    assert_eq!(text(&answer), r#"f{"a":gih{"k":1}"#);
}

#[test]
fn what_is_not_unicode_is_replaced_and_counted() {
    let (_, answer) = read(&[&chunk(r#""delta":{"content":"a\ud800b\\ud800"}"#)]);
    assert_eq!((text(&answer).as_str(), answer.replaced), ("a\u{fffd}b\\ud800", 1));
    let (_, answer) = read(&[&chunk(r#""delta":{"content":"\udc00\ud83d\ude00\ud83d"}"#)]);
    assert_eq!((text(&answer).as_str(), answer.replaced), ("\u{fffd}😀\u{fffd}", 2));

    let mut answer = Answer::default();
    let info = read_event(b"{\"choices\":[{\"delta\":{\"content\":\"a\xFF\xC3\"}}]}", &mut answer);
    assert_eq!(info.flags, CONTENT);
    assert_eq!((text(&answer).as_str(), answer.replaced), ("a\u{fffd}\u{fffd}", 2));
    assert_eq!(flags("{\"a\":\"\\ud800\""), UNKNOWN, "still not JSON");
}

fn usage(json: &str) -> Usage {
    let (infos, answer) = read(&[&format!(r#"{{"choices":[],"usage":{json}}}"#)]);
    assert!(infos[0].flags.has(USAGE), "{json}");
    answer.usage.unwrap_or_default()
}

#[test]
fn token_counts_have_many_names() {
    let plain = Usage { prompt: Some(7), completion: Some(3), total: Some(10), ..Usage::default() };
    for json in [
        r#"{"prompt_tokens":7,"completion_tokens":3,"total_tokens":10,"prompt_tokens_details":null}"#,
        r#"{"prompt_tokens":7.0,"completion_tokens":3.0,"total_tokens":10.0}"#,
        r#"{"input_tokens":7,"output_tokens":3,"total_tokens":10}"#,
        r#"{"promptTokenCount":7,"candidatesTokenCount":3,"totalTokenCount":10}"#,
        r#"{"inputTokens":7,"outputTokens":3,"totalTokens":10}"#,
        r#"{"input_token_count":7,"generated_token_count":3,"total_tokens":10}"#,
    ] {
        assert_eq!(usage(json), plain, "{json}");
    }
    assert_eq!(
        usage(
            r#"{"prompt_tokens":7,"completion_tokens":3,"prompt_tokens_details":{"cached_tokens":4},
                "completion_tokens_details":{"reasoning_tokens":2,"accepted_prediction_tokens":1,"rejected_prediction_tokens":0}}"#
        ),
        Usage {
            prompt: Some(7),
            completion: Some(3),
            total: None,
            reasoning: Some(2),
            cache_read: Some(4),
            cache_write: None,
            accepted_prediction: Some(1),
            rejected_prediction: Some(0),
        }
    );
    for (json, read) in [
        (r#"{"prompt_tokens":9,"input_tokens_details":{"cached_tokens":4}}"#, 4),
        (r#"{"prompt_tokens":9,"prompt_cache_hit_tokens":4}"#, 4),
        (r#"{"prompt_tokens":9,"cachedContentTokenCount":4}"#, 4),
        (r#"{"prompt_tokens":9,"cached_tokens":4}"#, 4),
        (r#"{"prompt_tokens":9,"cache_read_input_tokens":4}"#, 4),
    ] {
        assert_eq!((usage(json).prompt, usage(json).cache_read), (Some(9), Some(read)), "{json}");
    }
    assert_eq!(usage(r#"{"completion_tokens":5,"thoughtsTokenCount":4}"#).reasoning, Some(4));
    assert_eq!(usage(r#"{"completion_tokens":5,"reasoning_tokens":4}"#).reasoning, Some(4));
    assert_eq!(usage(r#"{"completion_tokens":5,"prompt_tokens":-1}"#).prompt, None);
}

#[test]
fn cached_tokens_that_are_counted_apart_belong_to_the_prompt() {
    let counts = usage(r#"{"input_tokens":5,"cache_read_input_tokens":20,"cache_creation_input_tokens":100}"#);
    assert_eq!((counts.prompt, counts.cache_read, counts.cache_write), (Some(125), Some(20), Some(100)));
}

#[test]
fn the_last_token_counts_win() {
    let (infos, answer) = read(&[
        r#"{"choices":[{"delta":{"content":"a"}}],"usage":{"prompt_tokens":7,"completion_tokens":1}}"#,
        r#"{"choices":[{"delta":{"content":"b"}}],"usage":{"prompt_tokens":7,"completion_tokens":2}}"#,
        r#"{"choices":[{"delta":{"content":""}}],"usage":null}"#,
    ]);
    assert_eq!(infos[0].flags, CONTENT | USAGE);
    assert_eq!(answer.usage.and_then(|u| u.completion), Some(2));
    let (_, answer) = read(&[r#"{"choices":[{"delta":{},"finish_reason":"stop","usage":{"prompt_tokens":7}}]}"#]);
    assert_eq!(answer.usage.and_then(|u| u.prompt), Some(7), "within the choice");
    let (_, answer) = read(&[r#"{"choices":[{"delta":{}}],"x_groq":{"usage":{"prompt_tokens":7}}}"#]);
    assert_eq!(answer.usage.and_then(|u| u.prompt), Some(7), "within an extension");
}

#[test]
fn token_counts_are_an_end_mark_only_where_they_stand_alone() {
    let ends = |events: &[&str]| read(events).1.ends_with_usage;
    let token = r#"{"choices":[{"delta":{"content":"a"}}],"usage":{"completion_tokens":1}}"#;
    let alone = r#"{"choices":[],"usage":{"completion_tokens":1}}"#;
    let role = r#"{"choices":[{"delta":{"role":"assistant"}}],"usage":{"completion_tokens":0}}"#;
    assert!(ends(&[token, alone]));
    assert!(!ends(&[token]));
    assert!(!ends(&[role]));
    assert!(!ends(&[alone, token]));
}

#[test]
fn the_finish_reason_is_kept() {
    let (_, answer) = read(&[&chunk(r#""delta":{},"finish_reason":"tool_calls""#), &chunk(r#""delta":{}"#)]);
    assert_eq!(answer.finish_reason.as_deref(), Some("tool_calls"));
    assert_eq!(choice_flags(r#""delta":{},"finish_reason":"""#), EMPTY);
}

#[test]
fn errors_in_every_shape() {
    let cases = [
        (r#"{"error":{"message":"m","type":"t","code":"c"}}"#, Some("c"), Some("t"), "m"),
        (r#"{"error":{"code":400,"message":"m","type":"t"}}"#, Some("400"), Some("t"), "m"),
        (r#"{"error":{"message":"m","param":null,"code":null}}"#, None, None, "m"),
        (r#"{"error":"m"}"#, None, None, "m"),
        (r#"{"error":"m","error_type":"validation"}"#, None, Some("validation"), "m"),
        (r#"{"error":"Bad Request","message":"m","type":"t","code":1}"#, Some("1"), Some("Bad Request"), "m"),
        (r#"{"error":{"code":503},"message":"m"}"#, Some("503"), None, "m"),
        (r#"{"type":"error","error":{"type":"overloaded_error","message":"m"}}"#, None, Some("overloaded_error"), "m"),
        (
            r#"{"object":"error","message":"m","type":"BadRequestError","code":400}"#,
            Some("400"),
            Some("BadRequestError"),
            "m",
        ),
        (r#"{"detail":"m"}"#, None, None, "m"),
        (
            r#"{"detail":[{"loc":["body","messages",0],"msg":"m","type":"missing"},{"msg":"n"}]}"#,
            None,
            None,
            "body.messages.0: m; n",
        ),
        (r#"{"type":"about:blank","title":"T","status":422,"detail":"m"}"#, Some("422"), Some("about:blank"), "m"),
        (r#"{"message":"m","type":"t"}"#, None, Some("t"), "m"),
        (r#"{"message":"m","code":7}"#, Some("7"), None, "m"),
        (r#"{"error":{}}"#, None, None, "the server sent an error without a message"),
        (r#"{"error":{"message":""}}"#, None, None, "the server sent an error without a message"),
    ];
    for (event, code, kind, message) in cases {
        assert_eq!(error(event), server_error(code, kind, message), "{event}");
    }
    for event in [r#"{"error":null}"#, r#"{"error":false}"#, r#"{"message":"loading"}"#, r#"{"detail":null}"#] {
        assert_eq!(flags(event), UNKNOWN, "{event}");
    }
    assert_eq!(flags(r#"{"choices":[{"delta":{"content":"a"}}],"error":null}"#), CONTENT);
    assert_eq!(flags(r#"{"choices":[{"delta":{"content":"a"}}],"error":{"message":"m"}}"#), CONTENT | ERROR);
    assert_eq!(flags(r#"{"choices":[],"message":"m","type":"t"}"#), EMPTY);
}

#[test]
fn the_first_error_is_kept() {
    let (_, answer) = read(&[r#"{"error":"first"}"#, r#"{"error":"second"}"#]);
    assert_eq!(answer.error, Some(server_error(None, None, "first")));
}

#[test]
fn an_event_named_error_is_one_whatever_it_holds() {
    let named = |data: &str| {
        let mut answer = Answer::default();
        assert_eq!(read_error_event(data.as_bytes(), &mut answer).flags, ERROR);
        answer.error.unwrap_or_default()
    };
    assert_eq!(named(r#"{"error":{"message":"m","code":500}}"#), server_error(Some("500"), None, "m"));
    assert_eq!(named(r#"{"message":"m"}"#), server_error(None, None, "m"));
    assert_eq!(named(r#"{"detail":"m","choices":[]}"#), server_error(None, None, "m"));
    assert_eq!(named("out of memory"), server_error(None, None, "out of memory"));
    assert_eq!(named(r#""quoted""#), server_error(None, None, "quoted"));
    assert_eq!(named(" "), server_error(None, None, "the server sent an error without a message"));
}

#[test]
fn bodies_of_refusals() {
    let found = |body: &str| error_in_body(body.as_bytes());
    assert_eq!(found(r#"{"message":"Forbidden"}"#), Some(server_error(None, None, "Forbidden")));
    assert_eq!(
        found(r#"[{"error":{"message":"m","code":429,"status":"RESOURCE_EXHAUSTED"}}]"#),
        Some(server_error(Some("429"), Some("RESOURCE_EXHAUSTED"), "m"))
    );
    assert_eq!(found("{}"), None);
    assert_eq!(found("<html>502</html>"), None);
}

#[test]
fn whole_bodies() {
    let mut answer = Answer::default();
    let info = read_body(
        br#"{"object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","reasoning":"r","content":"hi",
            "tool_calls":[{"function":{"name":"f","arguments":"{}"}}]},"finish_reason":"stop"}],
            "usage":{"prompt_tokens":5,"completion_tokens":1}}"#,
        &mut answer,
    );
    assert_eq!(info.map(|i| i.flags), Ok(REASONING | CONTENT | TOOL | ROLE | FINISH | USAGE));
    assert_eq!(text(&answer), "rhif{}");

    answer.clear();
    let info = read_body(br#"{"choices":[{"text":"a"},{"text":"b"}]}"#, &mut answer);
    assert_eq!((info.map(|i| i.content_len), text(&answer).as_str()), (Ok(2), "ab"));

    answer.clear();
    assert_eq!(read_body(br#"{"error":{"message":"m"}}"#, &mut answer).map(|i| i.flags), Ok(ERROR));
    assert_eq!(answer.error, Some(server_error(None, None, "m")));

    for (body, reason) in [
        ("", "the body of the answer is empty"),
        ("<html>", "the answer is not JSON: <html>"),
        ("{\"a\":1}", "the answer has no `choices`: {\"a\":1}"),
    ] {
        assert_eq!(read_body(body.as_bytes(), &mut answer), Err(reason.to_owned()));
    }
}

#[test]
fn embeddings() {
    let read = |body: &str| {
        let mut answer = Answer::default();
        let info = read_embeddings_body(body.as_bytes(), &mut answer).map(|info| info.flags);
        (info, answer)
    };
    let (info, answer) = read(
        r#"{"object":"list","data":[{"object":"embedding","index":0,"embedding":[0.1,-2e-3]}],"usage":{"prompt_tokens":8,"total_tokens":8}}"#,
    );
    assert_eq!(info, Ok(USAGE));
    assert_eq!(answer.usage, Some(Usage { prompt: Some(8), total: Some(8), ..Usage::default() }));
    assert!(answer.text.is_empty());
    assert_eq!(read(r#"{"data":[{"embedding":"AAAA"}]}"#).0, Ok(EMPTY), "base64");
    let (info, answer) = read(r#"{"object":"error","message":"m","code":404}"#);
    assert_eq!(info, Ok(ERROR));
    assert_eq!(answer.error, Some(server_error(Some("404"), None, "m")));
    for body in [
        r#"{"data":[]}"#,
        r#"{"data":null}"#,
        r#"{"data":[{"embedding":[]}]}"#,
        r#"{"data":[{"embedding":null}]}"#,
        r#"{"data":{"embedding":[1]}}"#,
        "{}",
    ] {
        assert_eq!(read(body).0, Err(format!("the answer has no embedding: {body}")));
    }
    assert_eq!(read("oops").0, Err("the answer is not JSON: oops".to_owned()));
}
