//! What events and bodies of the APIs beside OpenAI's older ones mean, by example.

use tokamark_wire::sse::SseDecoder;
use tokamark_wire::{Answer, EventFlags, EventInfo, ServerError, Usage};
use tokamark_wire::{any, huggingface, images, messages, rankings, responses, triton};

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

type Reader = fn(&[u8], &[u8], &mut Answer) -> EventInfo;

const HUGGING_FACE: Reader = |_, data, answer| huggingface::read_event(data, answer);
const TRITON: Reader = |_, data, answer| triton::read_event(data, answer);

/// Reads a stream in pieces of a size; gives the flags of its events.
fn stream(reader: Reader, text: &str, piece: usize) -> (Vec<EventFlags>, Answer) {
    let mut answer = Answer::default();
    let mut flags = Vec::new();
    let mut decoder = SseDecoder::<()>::new();
    for bytes in text.as_bytes().chunks(piece) {
        decoder.feed(bytes, (), |event| flags.push(reader(event.name, event.data, &mut answer).flags));
    }
    decoder.finish(|event| flags.push(reader(event.name, event.data, &mut answer).flags));
    (flags, answer)
}

/// Reads a stream whose pieces may be of any size; all must give the same.
fn read(reader: Reader, text: &str) -> (Vec<EventFlags>, Answer) {
    let whole = stream(reader, text, text.len());
    for piece in [1, 2, 3, 7, 64] {
        let split = stream(reader, text, piece);
        assert_eq!((&split.0, &split.1.text), (&whole.0, &whole.1.text), "in pieces of {piece}");
        assert_eq!((split.1.usage, &split.1.finish_reason), (whole.1.usage, &whole.1.finish_reason));
    }
    whole
}

fn text(answer: &Answer) -> &str {
    std::str::from_utf8(&answer.text).unwrap_or("(not UTF-8)")
}

fn server_error(code: Option<&str>, kind: Option<&str>, message: &str) -> ServerError {
    ServerError { code: code.map(str::to_owned), kind: kind.map(str::to_owned), message: message.to_owned() }
}

fn body(read: fn(&[u8], &mut Answer) -> Result<EventInfo, String>, text: &str) -> (Result<EventFlags, String>, Answer) {
    let mut answer = Answer::default();
    let result = read(text.as_bytes(), &mut answer).map(|info| info.flags);
    (result, answer)
}

#[test]
fn a_stream_of_messages() {
    let (flags, answer) = read(
        messages::read_event,
        concat!(
            "event: message_start\n",
            r#"data: {"message": {"id": "m", "role": "assistant", "content": [], "usage": {"input_tokens": 9, "output_tokens": 1, "cache_read_input_tokens": 4, "cache_creation_input_tokens": 2}}, "type": "message_start"}"#,
            "\n\nevent: content_block_start\n",
            r#"data: {"index": 0, "content_block": {"type": "thinking", "thinking": ""}, "type": "content_block_start"}"#,
            "\n\nevent: ping\ndata: {\"type\": \"ping\"}\n\nevent: content_block_delta\n",
            r#"data: {"index": 0, "delta": {"type": "thinking_delta", "thinking": "hm"}, "type": "content_block_delta"}"#,
            "\n\nevent: content_block_delta\n",
            r#"data: {"index": 0, "delta": {"type": "signature_delta", "signature": "Eq"}, "type": "content_block_delta"}"#,
            "\n\nevent: content_block_stop\ndata: {\"type\":\"content_block_stop\",\"index\":0}\n\n",
            "event: content_block_delta\n",
            r#"data: {"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":" caf\u00e9"}}"#,
            "\n\nevent: content_block_start\n",
            r#"data: {"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"t","name":"look","input":{}}}"#,
            "\n\nevent: content_block_delta\n",
            r#"data: {"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"{\"a\": 1}"}}"#,
            "\n\nevent: message_delta\n",
            r#"data: {"delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 8}, "type": "message_delta"}"#,
            "\n\nevent: message_stop\ndata: {\"type\": \"message_stop\"}\n\n",
        ),
    );
    assert_eq!(flags, [ROLE | USAGE, EMPTY, EMPTY, REASONING, EMPTY, EMPTY, CONTENT, TOOL, TOOL, FINISH | USAGE, DONE]);
    assert_eq!(text(&answer), "hm café look{\"a\": 1}".replace("café look", "cafélook"));
    assert_eq!(answer.finish_reason.as_deref(), Some("tool_use"));
    assert!(answer.done && answer.error.is_none());
    // The prompt is what was read anew, from the cache, and into it.
    let usage =
        Usage { prompt: Some(15), completion: Some(8), cache_read: Some(4), cache_write: Some(2), ..Usage::default() };
    assert_eq!(answer.usage, Some(usage));
}

#[test]
fn counts_that_are_repeated_at_the_end_of_messages_take_the_place_of_the_first() {
    let start = r#"{"type":"message_start","message":{"usage":{"input_tokens":5,"cache_read_input_tokens":3,"output_tokens":1}}}"#;
    for (last, prompt) in [
        (r#"{"output_tokens":7}"#, 8),
        (r#"{"input_tokens":5,"output_tokens":7}"#, 8),
        (r#"{"input_tokens":6,"output_tokens":7}"#, 9),
        (r#"{"input_tokens":6,"cache_read_input_tokens":0,"output_tokens":7}"#, 6),
        (r#"{"cache_read_input_tokens":4,"output_tokens":7}"#, 9),
    ] {
        let mut answer = Answer::default();
        messages::read_event(b"", start.as_bytes(), &mut answer);
        assert_eq!(answer.usage.map(|usage| (usage.prompt, usage.completion)), Some((Some(8), None)));
        assert!(!answer.ends_with_usage);
        let end = format!(r#"{{"type":"message_delta","delta":{{"stop_reason":null}},"usage":{last}}}"#);
        assert_eq!(messages::read_event(b"", end.as_bytes(), &mut answer).flags, USAGE);
        assert!(answer.ends_with_usage);
        let usage = answer.usage.unwrap();
        assert_eq!((usage.prompt, usage.completion), (Some(prompt), Some(7)), "{last}");
    }
}

#[test]
fn the_name_of_an_event_stands_in_for_its_type() {
    let mut answer = Answer::default();
    let delta = br#"{"delta":{"type":"text_delta","text":"a"}}"#;
    assert_eq!(messages::read_event(b"content_block_delta", delta, &mut answer).flags, CONTENT);
    assert_eq!(messages::read_event(b"", delta, &mut answer).flags, UNKNOWN);
    assert_eq!(responses::read_event(b"response.output_text.delta", br#"{"delta":"b"}"#, &mut answer).flags, CONTENT);
    assert_eq!(text(&answer), "ab");
}

#[test]
fn errors_of_every_api() {
    let errors: [(Reader, &str, ServerError); 9] = [
        (
            messages::read_event,
            r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"},"request_id":"r"}"#,
            server_error(None, Some("overloaded_error"), "Overloaded"),
        ),
        (
            messages::read_event,
            r#"{"type":"error"}"#,
            server_error(None, None, "the server sent an error without a message"),
        ),
        (
            responses::read_event,
            r#"{"type":"error","code":"server_error","message":"broken","param":null,"sequence_number":3}"#,
            server_error(Some("server_error"), Some("error"), "broken"),
        ),
        (
            responses::read_event,
            r#"{"type":"response.failed","response":{"status":"failed","error":{"code":"rate_limit_exceeded","message":"slow down"}}}"#,
            server_error(Some("rate_limit_exceeded"), None, "slow down"),
        ),
        (
            responses::read_event,
            r#"{"type":"response.failed","response":{"status":"failed","error":null}}"#,
            server_error(None, Some("response.failed"), "the server sent an error without a message"),
        ),
        (
            HUGGING_FACE,
            r#"{"error":"Request failed during generation","error_type":"generation"}"#,
            server_error(None, Some("generation"), "Request failed during generation"),
        ),
        (TRITON, r#"{"error":"in ensemble 'm', it broke"}"#, server_error(None, None, "in ensemble 'm', it broke")),
        (any::read_event, r#"{"error":{"message":"no","code":5}}"#, server_error(Some("5"), None, "no")),
        (any::read_event, r#"{"type":"error","message":"no"}"#, server_error(None, Some("error"), "no")),
    ];
    for (reader, event, expected) in errors {
        let mut answer = Answer::default();
        assert!(reader(b"", event.as_bytes(), &mut answer).flags.has(ERROR), "{event}");
        assert_eq!(answer.error, Some(expected), "{event}");
        assert!(answer.text.is_empty(), "{event}");
    }
}

#[test]
fn whole_messages() {
    let (flags, answer) = body(
        messages::read_body,
        r#"{"type":"message","role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"x"},
            {"type":"text","text":"yes"},{"type":"tool_use","id":"t","name":"look","input":{"a":1}}],
            "stop_reason":"end_turn","usage":{"input_tokens":3,"output_tokens":5}}"#,
    );
    assert_eq!(flags, Ok(REASONING | CONTENT | TOOL | FINISH | USAGE));
    assert_eq!(text(&answer), r#"hmyeslook{"a":1}"#);
    assert_eq!(answer.usage.unwrap().prompt, Some(3));
    let (flags, answer) =
        body(messages::read_body, r#"{"type":"error","error":{"type":"not_found_error","message":"model: m"}}"#);
    assert_eq!(flags, Ok(ERROR));
    assert_eq!(answer.error.unwrap().kind.as_deref(), Some("not_found_error"));
    assert!(body(messages::read_body, r#"{"choices":[]}"#).0.unwrap_err().contains("has no `content`"));
    assert!(body(messages::read_body, "<html>").0.unwrap_err().contains("not JSON"));
    assert!(body(messages::read_body, " ").0.unwrap_err().contains("empty"));
}

const RESPONSE_STREAM: &str = concat!(
    "event: response.created\n",
    r#"data: {"response": {"id": "r", "object": "response", "status": "in_progress", "error": null}, "type": "response.created"}"#,
    "\n\nevent: response.output_item.added\n",
    r#"data: {"output_index": 0, "item": {"type": "message", "role": "assistant"}, "type": "response.output_item.added"}"#,
    "\n\nevent: response.reasoning_summary_text.delta\n",
    r#"data: {"type": "response.reasoning_summary_text.delta", "delta": "hm"}"#,
    "\n\nevent: response.output_text.delta\n",
    r#"data: {"output_index": 0, "content_index": 0, "delta": "alpha", "type": "response.output_text.delta"}"#,
    "\n\nevent: response.output_text.done\n",
    r#"data: {"output_index": 0, "content_index": 0, "text": "alpha", "type": "response.output_text.done"}"#,
    "\n\nevent: response.output_item.added\n",
    r#"data: {"output_index": 1, "item": {"type": "function_call", "name": "look", "arguments": ""}, "type": "response.output_item.added"}"#,
    "\n\nevent: response.function_call_arguments.delta\n",
    r#"data: {"type": "response.function_call_arguments.delta", "delta": "{}"}"#,
    "\n\nevent: response.completed\n",
    r#"data: {"response": {"status": "completed", "output": [{"type": "message", "content": [{"type": "output_text", "text": "alpha"}]}], "usage": {"input_tokens": 11, "input_tokens_details": {"cached_tokens": 4}, "output_tokens": 8, "output_tokens_details": {"reasoning_tokens": 2}, "total_tokens": 19}}, "type": "response.completed"}"#,
    "\n\n",
);

#[test]
fn a_stream_of_a_response() {
    let (flags, answer) = read(responses::read_event, RESPONSE_STREAM);
    assert_eq!(flags, [EMPTY, ROLE, REASONING, CONTENT, EMPTY, TOOL, TOOL, FINISH | USAGE | DONE]);
    assert_eq!(text(&answer), "hmalphalook{}");
    assert_eq!(answer.finish_reason.as_deref(), Some("completed"));
    let usage = Usage {
        prompt: Some(11),
        completion: Some(8),
        total: Some(19),
        reasoning: Some(2),
        cache_read: Some(4),
        ..Usage::default()
    };
    assert_eq!(answer.usage, Some(usage));
}

#[test]
fn a_response_that_is_cut_short_says_why() {
    let mut answer = Answer::default();
    let event = br#"{"type":"response.incomplete","response":{"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"},"output":[],"usage":{"output_tokens":8}}}"#;
    assert_eq!(responses::read_event(b"", event, &mut answer).flags, FINISH | USAGE | DONE);
    assert_eq!(answer.finish_reason.as_deref(), Some("max_output_tokens"));
    assert!(answer.done && answer.error.is_none());
}

#[test]
fn a_text_that_comes_only_whole_is_read_once() {
    let done = r#"{"type":"response.output_text.done","text":"all"}"#;
    let completed = r#"{"type":"response.completed","response":{"status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":"all"}]}]}}"#;
    for events in [vec![done, completed], vec![completed]] {
        let mut answer = Answer::default();
        for event in events {
            responses::read_event(b"", event.as_bytes(), &mut answer);
        }
        assert_eq!(text(&answer), "all");
    }
}

#[test]
fn whole_responses() {
    let (flags, answer) = body(
        responses::read_body,
        r#"{"object":"response","status":"completed","error":null,"output":[
            {"type":"reasoning","summary":[{"type":"summary_text","text":"hm"}]},
            {"type":"message","role":"assistant","content":[{"type":"output_text","text":"yes"},{"type":"refusal","refusal":"no"}]},
            {"type":"function_call","name":"look","arguments":"{}"}],"usage":{"input_tokens":3,"output_tokens":5}}"#,
    );
    assert_eq!(flags, Ok(REASONING | CONTENT | TOOL | FINISH | USAGE));
    assert_eq!(text(&answer), "hmyesnolook{}");
    let (flags, answer) =
        body(responses::read_body, r#"{"status":"failed","error":{"code":"c","message":"m"},"output":[]}"#);
    assert!(flags.unwrap().has(ERROR));
    assert_eq!(answer.error, Some(server_error(Some("c"), None, "m")));
    assert!(body(responses::read_body, "{}").0.unwrap_err().contains("has no `output`"));
}

#[test]
fn a_stream_of_tokens() {
    let (flags, answer) = read(
        HUGGING_FACE,
        concat!(
            r#"data:{"index":1,"token":{"id":5,"text":"a","logprob":-0.1,"special":false},"generated_text":null,"details":null}"#,
            "\n\n",
            r#"data:{"index":2,"token":{"id":6,"text":" b","logprob":-0.1,"special":false},"generated_text":null,"details":null}"#,
            "\n\n",
            r#"data:{"index":3,"token":{"id":2,"text":"</s>","logprob":-0.1,"special":true},"generated_text":"a b","details":{"finish_reason":"eos_token","generated_tokens":3,"seed":null,"input_length":7}}"#,
            "\n\n",
        ),
    );
    assert_eq!(flags, [CONTENT, CONTENT, FINISH | USAGE | DONE]);
    assert_eq!(text(&answer), "a b");
    assert_eq!(answer.finish_reason.as_deref(), Some("eos_token"));
    assert_eq!(answer.usage, Some(Usage { prompt: Some(7), completion: Some(3), ..Usage::default() }));
}

#[test]
fn the_last_token_may_be_a_text_too() {
    let mut answer = Answer::default();
    let last = br#"{"token":{"text":"b","special":false},"generated_text":"ab","details":null}"#;
    huggingface::read_event(br#"{"token":{"text":"a"}}"#, &mut answer);
    assert_eq!(huggingface::read_event(last, &mut answer).flags, CONTENT | DONE);
    assert_eq!(text(&answer), "ab");
    // A server that sends no tokens.
    let mut answer = Answer::default();
    assert_eq!(huggingface::read_event(br#"{"generated_text":"ab"}"#, &mut answer).flags, CONTENT | DONE);
    assert_eq!(huggingface::read_event(br#"{"a":1}"#, &mut answer).flags, UNKNOWN);
}

#[test]
fn whole_generated_texts() {
    for text_of in [r#"{"generated_text":"yes"}"#, r#"[{"generated_text":"yes"}]"#] {
        let (flags, answer) = body(huggingface::read_body, text_of);
        assert_eq!((flags, text(&answer)), (Ok(CONTENT), "yes"));
    }
    let (flags, answer) = body(
        huggingface::read_body,
        r#"{"generated_text":"yes","details":{"finish_reason":"length","generated_tokens":2,"prefill":[{"id":1},{"id":2}]}}"#,
    );
    assert_eq!(flags, Ok(CONTENT | FINISH | USAGE));
    assert_eq!(answer.usage, Some(Usage { prompt: Some(2), completion: Some(2), ..Usage::default() }));
    let (flags, answer) = body(huggingface::read_body, r#"{"error":"Model is overloaded","error_type":"overloaded"}"#);
    assert_eq!(flags, Ok(ERROR));
    assert_eq!(answer.error, Some(server_error(None, Some("overloaded"), "Model is overloaded")));
    assert!(body(huggingface::read_body, "[]").0.is_err());
}

#[test]
fn outputs_of_triton() {
    let (flags, answer) = read(
        TRITON,
        concat!(
            "data: {\"model_name\":\"m\",\"model_version\":\"1\",\"text_output\":\"a\"}\n\n",
            "data: {\"model_name\":\"m\",\"text_output\":[\" b\"],\"finish_reason\":\"None\",\"num_input_tokens\":5,\"num_output_tokens\":2}\n\n",
            "data: {\"model_name\":\"m\",\"text_output\":\"\"}\n\n",
            "data: {\"model_name\":\"m\",\"text_output\":\" c\",\"finish_reason\":\"stop\",\"num_output_tokens\":1}\n\n",
            "data: {\"model_name\":\"m\"}\n\n",
        ),
    );
    assert_eq!(flags, [CONTENT, CONTENT | USAGE, EMPTY, CONTENT | FINISH | USAGE, UNKNOWN]);
    assert_eq!(text(&answer), "a b c");
    assert_eq!(answer.finish_reason.as_deref(), Some("stop"));
    assert_eq!(answer.usage, Some(Usage { prompt: Some(5), completion: Some(3), ..Usage::default() }));
    let (flags, answer) = body(triton::read_body, r#"{"model_name":"m","text_output":["a","b"]}"#);
    assert_eq!((flags, text(&answer)), (Ok(CONTENT), "ab"));
    let (flags, _) = body(triton::read_body, r#"{"error":"Request for unknown model"}"#);
    assert_eq!(flags, Ok(ERROR));
    assert!(body(triton::read_body, r#"{"outputs":[]}"#).0.unwrap_err().contains("`text_output`"));
}

#[test]
fn rankings_of_every_server() {
    let usage = |prompt, completion| Some(Usage { prompt, completion, ..Usage::default() });
    for (text, expected) in [
        (r#"{"rankings":[{"index":0,"logit":1.0},{"index":1,"logit":-2}]}"#, None),
        (
            r#"{"rankings":[{"index":0,"logit":1.0}],"usage":{"prompt_tokens":5,"total_tokens":5}}"#,
            Some(Usage { prompt: Some(5), total: Some(5), ..Usage::default() }),
        ),
        (r#"{"results":[{"index":0,"relevance_score":0.9}],"meta":{"billed_units":{"search_units":1}}}"#, None),
        (
            r#"{"results":[{"index":0,"relevance_score":0.9}],"meta":{"billed_units":{"input_tokens":9.0,"search_units":1}}}"#,
            usage(Some(9), None),
        ),
        (
            r#"{"results":[{"index":0,"relevance_score":0.9}],"meta":{"billed_units":{"input_tokens":9},"tokens":{"input_tokens":12,"output_tokens":0}}}"#,
            usage(Some(12), Some(0)),
        ),
        (r#"[{"index":0,"score":0.5,"text":"a"}]"#, None),
    ] {
        let (flags, answer) = body(rankings::read_body, text);
        assert_eq!(answer.usage, expected, "{text}");
        assert_eq!(flags, Ok(if expected.is_some() { USAGE } else { EMPTY }), "{text}");
        assert!(answer.is_data && answer.text.is_empty());
    }
    for text in [r#"{"rankings":[]}"#, "[]", r#"{"results":[{"index":0}]}"#, "5", "x"] {
        assert!(body(rankings::read_body, text).0.is_err(), "{text}");
    }
    let (flags, answer) = body(rankings::read_body, r#"{"error":"Batch size error","error_type":"validation"}"#);
    assert_eq!(flags, Ok(ERROR));
    assert_eq!(answer.error, Some(server_error(None, Some("validation"), "Batch size error")));
    let (_, answer) =
        body(rankings::read_body, r#"{"object":"error","message":"too long","type":"invalid","code":400}"#);
    assert_eq!(answer.error, Some(server_error(Some("400"), Some("invalid"), "too long")));
}

#[test]
fn boxes_in_images() {
    let (flags, answer) = body(
        images::read_body,
        r#"{"data":[{"index":0,"bounding_boxes":{"table":[]}}],"usage":{"images_size_mb":0.1}}"#,
    );
    assert_eq!((flags, answer.is_data), (Ok(EMPTY), true));
    assert!(body(images::read_body, r#"{"data":[]}"#).0.unwrap_err().contains("has no `data`"));
    assert_eq!(body(images::read_body, r#"{"detail":"bad image"}"#).0, Ok(ERROR));
}

#[test]
fn answers_of_any_kind() {
    for (text_of, flags, expected) in [
        (r#"{"choices":[{"message":{"content":"a"},"finish_reason":"stop"}]}"#, CONTENT | FINISH, "a"),
        (r#"{"status":"completed","output":[{"type":"message","content":[{"text":"b"}]}]}"#, CONTENT | FINISH, "b"),
        (r#"{"type":"message","content":[{"type":"text","text":"c"}]}"#, CONTENT, "c"),
        (r#"[{"generated_text":"d"}]"#, CONTENT, "d"),
        (r#"{"text_output":"e"}"#, CONTENT, "e"),
        (r#"{"content":"f","sources":[{"content":"not this"}]}"#, CONTENT, "f"),
        (r#"{"response":{"text":["g","h"]},"usage":{"prompt_tokens":1}}"#, CONTENT | USAGE, "gh"),
        (r#""i""#, CONTENT, "i"),
        ("plain\ntext", CONTENT, "plain\ntext"),
        (r#"{"text":""}"#, EMPTY, ""),
        (r#"{"data":[{"embedding":[0.5]}]}"#, EMPTY, ""),
        (r#"[{"index":0,"score":0.5}]"#, EMPTY, ""),
        (r#"{"error":"no"}"#, ERROR, ""),
    ] {
        let (found, answer) = body(any::read_body, text_of);
        assert_eq!((found, text(&answer)), (Ok(flags), expected), "{text_of}");
        assert_eq!(answer.is_data, expected.is_empty() && text_of.contains("0.5"), "{text_of}");
    }
    for text_of in ["", "  ", "{}", "7", r#"{"a":"b"}"#] {
        assert!(body(any::read_body, text_of).0.is_err(), "{text_of}");
    }
}

#[test]
fn streams_of_any_kind() {
    let (flags, answer) = read(any::read_event, RESPONSE_STREAM);
    assert_eq!(flags, read(responses::read_event, RESPONSE_STREAM).0);
    assert_eq!(text(&answer), "hmalphalook{}");
    let (flags, answer) = read(
        any::read_event,
        "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\ndata: {\"token\":{\"text\":\"b\"}}\n\n\
         data: {\"text_output\":\"c\"}\n\ndata: {\"content\":\"d\"}\n\ndata: plain\n\ndata: {\"x\":1}\n\ndata: [DONE]\n\n",
    );
    assert_eq!(flags, [CONTENT, CONTENT, CONTENT, CONTENT, CONTENT, UNKNOWN, DONE]);
    assert_eq!(text(&answer), "abcdplain");
    assert!(answer.done);
    let mut answer = Answer::default();
    assert_eq!(any::read_event(b"error", b"broken", &mut answer).flags, ERROR);
    assert_eq!(answer.error, Some(server_error(None, None, "broken")));
}
