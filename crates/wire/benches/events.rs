//! Time per event, for events as servers send them: `cargo bench -p tokamark-wire`.
//!
//! `decode` is the event stream alone; `classify` is one event's data, beside what a JSON tree of it costs.

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use tokamark_wire::openai::read_event;
use tokamark_wire::sse::SseDecoder;
use tokamark_wire::{Answer, EventInfo, any, huggingface, messages, responses, triton};

fn main() {
    divan::main();
}

const HEAD: &str = r#"{"id":"chatcmpl-3a7c1f8e2b5d4096a1c3e5f708192a3b","object":"chat.completion.chunk","created":1754000000,"model":"meta-llama/Llama-3.1-8B-Instruct","#;

/// The shapes that make up a stream.
const SHAPES: [(&str, &str); 8] = [
    ("content", r#""choices":[{"index":0,"delta":{"content":" token"},"logprobs":null,"finish_reason":null}]}"#),
    (
        "escapes",
        r#""choices":[{"index":0,"delta":{"content":"caf\u00e9 \ud83d\ude00\n"},"logprobs":null,"finish_reason":null}]}"#,
    ),
    (
        "reasoning",
        r#""choices":[{"index":0,"delta":{"reasoning_content":" hm"},"logprobs":null,"finish_reason":null}]}"#,
    ),
    (
        "role",
        r#""choices":[{"index":0,"delta":{"role":"assistant","content":""},"logprobs":null,"finish_reason":null}]}"#,
    ),
    (
        "finish",
        r#""choices":[{"index":0,"delta":{"content":""},"logprobs":null,"finish_reason":"stop","stop_reason":null}]}"#,
    ),
    (
        "tool",
        r#""choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"a\":"}}]},"finish_reason":null}]}"#,
    ),
    (
        "continuous_usage",
        r#""choices":[{"index":0,"delta":{"content":" token"},"finish_reason":null}],"usage":{"prompt_tokens":150,"total_tokens":163,"completion_tokens":13}}"#,
    ),
    (
        "usage",
        r#""choices":[],"usage":{"prompt_tokens":150,"total_tokens":278,"completion_tokens":128,"prompt_tokens_details":{"cached_tokens":64}}}"#,
    ),
];

fn names() -> impl Iterator<Item = &'static str> {
    SHAPES.iter().map(|(name, _)| *name)
}

fn event(name: &str) -> String {
    let rest = SHAPES.iter().find(|(shape, _)| *shape == name).map_or("", |(_, rest)| rest);
    format!("{HEAD}{rest}")
}

#[divan::bench(args = names())]
fn classify(bencher: Bencher<'_, '_>, name: &str) {
    let data = event(name);
    let mut answer = Answer::default();
    bencher.bench_local(|| -> EventInfo {
        answer.text.clear();
        read_event(black_box(data.as_bytes()), &mut answer)
    });
}

/// A delta of each of the other APIs, by its own reader and by the one that is not told whose it is.
const DELTAS: [(&str, &str); 4] = [
    ("messages", r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":" token"}}"#),
    (
        "responses",
        r#"{"type":"response.output_text.delta","item_id":"msg_67c9fdcf37fc8190","output_index":0,"content_index":0,"delta":" token","sequence_number":7,"logprobs":[]}"#,
    ),
    (
        "huggingface",
        r#"{"index":7,"token":{"id":4037,"text":" token","logprob":-0.48,"special":false},"generated_text":null,"details":null}"#,
    ),
    ("triton", r#"{"model_name":"llama","model_version":"1","text_output":" token"}"#),
];

#[divan::bench(args = DELTAS.map(|(api, _)| api))]
fn classify_delta(bencher: Bencher<'_, '_>, api: &str) {
    let data = DELTAS.iter().find(|(name, _)| *name == api).map_or("", |(_, data)| data);
    let mut answer = Answer::default();
    bencher.bench_local(|| -> EventInfo {
        answer.text.clear();
        let data = black_box(data.as_bytes());
        match api {
            "messages" => messages::read_event(b"content_block_delta", data, &mut answer),
            "responses" => responses::read_event(b"response.output_text.delta", data, &mut answer),
            "huggingface" => huggingface::read_event(data, &mut answer),
            _ => triton::read_event(data, &mut answer),
        }
    });
}

#[divan::bench(args = DELTAS.map(|(api, _)| api))]
fn classify_any(bencher: Bencher<'_, '_>, api: &str) {
    let data = DELTAS.iter().find(|(name, _)| *name == api).map_or("", |(_, data)| data);
    let mut answer = Answer::default();
    bencher.bench_local(|| -> EventInfo {
        answer.text.clear();
        any::read_event(b"", black_box(data.as_bytes()), &mut answer)
    });
}

#[divan::bench(args = names())]
fn json_tree(bencher: Bencher<'_, '_>, name: &str) {
    let data = event(name);
    bencher.bench_local(|| serde_json::from_slice::<serde_json::Value>(black_box(data.as_bytes())).ok());
}

const EVENTS: usize = 1000;

fn stream() -> Vec<u8> {
    format!("data: {}\n\n", event("content")).repeat(EVENTS).into_bytes()
}

/// Time per event is the time shown divided by 1000; the pieces are the sizes of reads.
#[divan::bench(args = [100, 280, 1448, 65536])]
fn decode_1000(bencher: Bencher<'_, '_>, piece: usize) {
    let stream = stream();
    let mut decoder = SseDecoder::new();
    bencher.counter(ItemsCount::new(EVENTS)).bench_local(|| {
        let mut bytes = 0;
        for (read, piece) in stream.chunks(piece).enumerate() {
            decoder.feed(black_box(piece), read, |event| bytes += event.data.len());
        }
        bytes
    });
}

/// One event of 10 MB in reads of 64 KiB.
#[divan::bench]
fn decode_10_mb_event(bencher: Bencher<'_, '_>) {
    let mut stream = b"data: ".to_vec();
    stream.resize(10_000_000, b'a');
    stream.extend_from_slice(b"\n\n");
    bencher.bench_local(|| {
        let mut decoder = SseDecoder::new();
        let mut bytes = 0;
        for piece in stream.chunks(65536) {
            decoder.feed(black_box(piece), (), |event| bytes += event.data.len());
        }
        bytes
    });
}
