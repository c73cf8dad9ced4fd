//! Every dialect against the simulated engine, over real HTTP: what is sent is understood, and what comes back is read whole.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test helper fails by panicking")]

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::{Map, Value, json};
use tokamark_conversation::{Image, Prompt, TextGroup, Turn};
use tokamark_endpoint::{BodyOptions, Ending, Request, Verdict, VerdictKind, dialect, judge};
use tokamark_plan::EndpointKind;
use tokamark_plan::target_url::{Endpoint, endpoint_url};
use tokamark_sim::{Server, SimConfig, word};
use tokamark_wire::sse::SseDecoder;
use tokamark_wire::{Answer, EventFlags, EventInfo};

const FAST: &str = "overhead=0&prefill=inf&decode=2000&sequence=0&count=bytes";

fn server(options: &str) -> Server {
    let config: SimConfig = format!("sim:?{FAST}&{options}").parse().unwrap();
    Server::start(config, "127.0.0.1:0".parse().unwrap()).unwrap()
}

/// What came back for one request.
struct Reply {
    status: u16,
    infos: Vec<EventInfo>,
    answer: Answer,
    verdict: Verdict,
}

impl Reply {
    fn text(&self) -> &str {
        std::str::from_utf8(&self.answer.text).unwrap()
    }

    /// The texts of one role, in order.
    fn part(&self, len: fn(&EventInfo) -> u32, before: fn(&EventInfo) -> u32) -> String {
        let mut at = 0;
        let mut part = String::new();
        for info in &self.infos {
            let start = at + before(info) as usize;
            part.push_str(&self.text()[start..start + len(info) as usize]);
            at += (info.reasoning_len + info.content_len + info.tool_len) as usize;
        }
        part
    }

    fn reasoning(&self) -> String {
        self.part(|info| info.reasoning_len, |_| 0)
    }

    fn content(&self) -> String {
        self.part(|info| info.content_len, |info| info.reasoning_len)
    }

    fn generated_events(&self) -> usize {
        self.infos.iter().filter(|info| info.flags.is_generated()).count()
    }
}

fn ask(server: &Server, kind: EndpointKind, turn: &Turn, streaming: bool, extra: Value) -> Reply {
    let extra: Map<String, Value> = extra.as_object().cloned().unwrap_or_default();
    let path = extra.get("path").and_then(Value::as_str).map(str::to_owned);
    let extra = extra.into_iter().filter(|(key, _)| key != "path").collect();
    let options = BodyOptions { model: "m".to_owned(), streaming, legacy_max_tokens: false, extra };
    let body = dialect(kind).body(Request::from(turn), &options);
    let endpoint = Endpoint { kind, model: "m", streaming, path: path.as_deref() };
    let url = endpoint_url(&server.addr().to_string(), endpoint).unwrap();
    let path = url.strip_prefix(&format!("http://{}", server.addr())).unwrap();

    let mut socket = TcpStream::connect(server.addr()).unwrap();
    socket.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    // The body of an answer to HTTP/1.0 ends with the connection.
    let head =
        format!("POST {path} HTTP/1.0\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n", body.len());
    socket.write_all(head.as_bytes()).unwrap();
    socket.write_all(&body).unwrap();
    let mut response = Vec::new();
    socket.read_to_end(&mut response).unwrap();
    let end = response.windows(4).position(|part| part == b"\r\n\r\n").unwrap();
    let head = std::str::from_utf8(&response[..end]).unwrap().to_ascii_lowercase();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    let is_stream = head.contains("text/event-stream");
    assert_eq!(is_stream, streaming && status == 200, "{head}");
    read(kind, &response[end + 4..], status, is_stream)
}

fn read(kind: EndpointKind, body: &[u8], status: u16, streamed: bool) -> Reply {
    let dialect = dialect(kind);
    let mut answer = Answer::default();
    let mut infos = Vec::new();
    if streamed {
        let mut decoder = SseDecoder::<()>::new();
        decoder.feed(body, (), |event| infos.push(dialect.read_event(event.name, event.data, &mut answer)));
        decoder.finish(|event| infos.push(dialect.read_event(event.name, event.data, &mut answer)));
    } else if status == 200 {
        let info = dialect.read_body(body, &mut answer);
        infos.push(info.unwrap_or_else(|reason| panic!("{kind:?}: {reason}")));
    }
    let generated_events = infos.iter().filter(|info| info.flags.is_generated()).count() as u64;
    let verdict = judge(dialect, &answer, &Ending { streamed, generated_events, requested_output_tokens: None });
    Reply { status, infos, answer, verdict }
}

fn words(range: std::ops::Range<u64>) -> String {
    range.map(word).collect()
}

/// 8 bytes, which the engine counts as 2 tokens.
fn turn(tokens: u64) -> Turn {
    Turn { output_tokens: Some(tokens), ..Turn::text(0, "12345678") }
}

const TALKING: [EndpointKind; 6] = [
    EndpointKind::Chat,
    EndpointKind::Completions,
    EndpointKind::Responses,
    EndpointKind::Messages,
    EndpointKind::Generate,
    EndpointKind::HuggingfaceGenerate,
];

#[test]
fn streams_come_whole_in_every_dialect() {
    let server = server("");
    for kind in TALKING {
        let reply = ask(&server, kind, &turn(5), true, json!({}));
        assert_eq!((reply.status, &reply.verdict), (200, &Verdict::Ok), "{kind:?}");
        assert_eq!(reply.content(), words(0..5), "{kind:?}");
        assert_eq!(reply.generated_events(), 5, "{kind:?}");
        assert!(reply.infos.iter().all(|info| !info.flags.has(EventFlags::UNKNOWN | EventFlags::ERROR)), "{kind:?}");
        if kind == EndpointKind::Generate {
            assert_eq!((reply.answer.usage, &reply.answer.finish_reason, reply.answer.done), (None, &None, false));
        } else {
            let usage = reply.answer.usage.unwrap();
            assert_eq!((usage.prompt, usage.completion), (Some(2), Some(5)), "{kind:?}");
            assert!(reply.answer.done, "{kind:?}");
        }
    }
}

#[test]
fn whole_answers_are_the_same_in_every_dialect() {
    let server = server("");
    for kind in TALKING {
        let reply = ask(&server, kind, &turn(5), false, json!({}));
        assert_eq!((reply.status, &reply.verdict), (200, &Verdict::Ok), "{kind:?}");
        assert_eq!(reply.text(), words(0..5), "{kind:?}");
        if kind != EndpointKind::Generate {
            let usage = reply.answer.usage.unwrap();
            assert_eq!((usage.prompt, usage.completion), (Some(2), Some(5)), "{kind:?}");
        }
    }
}

#[test]
fn why_an_answer_ended_is_told_in_the_words_of_the_api() {
    let server = server("output=3");
    let reasons = |turn: &Turn, streaming| {
        TALKING.map(|kind| ask(&server, kind, turn, streaming, json!({})).answer.finish_reason.unwrap_or_default())
    };
    for streaming in [true, false] {
        let at_max = reasons(&turn(2), streaming);
        assert_eq!(at_max, ["length", "length", "max_output_tokens", "max_tokens", "", "length"]);
        let of_itself = reasons(&Turn::text(0, "a"), streaming);
        // Messages always have a limit.
        assert_eq!(of_itself, ["stop", "stop", "completed", "max_tokens", "", "eos_token"]);
    }
}

#[test]
fn reasoning_comes_first_and_apart() {
    let server = server("reasoning=0.4&tokens_per_event=3");
    for kind in [EndpointKind::Chat, EndpointKind::Responses, EndpointKind::Messages] {
        for streaming in [true, false] {
            let reply = ask(&server, kind, &turn(20), streaming, json!({}));
            assert_eq!(reply.verdict, Verdict::Ok, "{kind:?}");
            assert_eq!(reply.reasoning(), words(0..8), "{kind:?} {streaming}");
            assert_eq!(reply.content(), words(8..20), "{kind:?} {streaming}");
            // 3 + 3 + 2 of reasoning, 1 + 3 + 3 + 3 + 2 of text.
            assert_eq!(reply.generated_events(), if streaming { 8 } else { 1 }, "{kind:?}");
        }
    }
}

#[test]
fn the_prefix_cache_shows_in_every_count() {
    let long = Turn { output_tokens: Some(1), ..Turn::text(0, "a".repeat(64 * 3 + 4)) };
    for kind in [EndpointKind::Chat, EndpointKind::Responses, EndpointKind::Messages] {
        let server = server("");
        let cached: Vec<_> = [true, true, false]
            .map(|streaming| {
                let usage = ask(&server, kind, &long, streaming, json!({})).answer.usage.unwrap();
                assert_eq!(usage.prompt, Some(49), "{kind:?}");
                usage.cache_read
            })
            .into();
        assert_eq!(cached, [Some(0), Some(48), Some(48)], "{kind:?}");
    }
}

#[test]
fn errors_in_the_stream_are_read_in_every_dialect() {
    let server = server("stream_error_rate=1");
    for kind in TALKING {
        let reply = ask(&server, kind, &turn(6), true, json!({}));
        let Verdict::Failed { kind: failed, message, .. } = &reply.verdict else { panic!("{kind:?} is fine") };
        assert_eq!(*failed, VerdictKind::ServerError, "{kind:?}");
        assert_eq!(message, "an error on purpose, halfway through the answer", "{kind:?}");
        assert_eq!(reply.text(), words(0..3), "{kind:?}");
        let whole = ask(&server, kind, &turn(6), false, json!({}));
        assert!(matches!(whole.verdict, Verdict::Failed { kind: VerdictKind::ServerError, .. }), "{kind:?}");
    }
}

#[test]
fn streams_that_are_cut_off_show_where_the_api_marks_ends() {
    let server = server("truncate_rate=1");
    for kind in TALKING {
        let reply = ask(&server, kind, &turn(6), true, json!({}));
        let is_incomplete = matches!(reply.verdict, Verdict::Failed { kind: VerdictKind::Incomplete, .. });
        assert_eq!(is_incomplete, kind != EndpointKind::Generate, "{kind:?}");
        assert_eq!(reply.text(), words(0..3), "{kind:?}");
    }
}

#[test]
fn malformed_events_are_unknown_and_the_rest_is_read() {
    let server = server("malformed_rate=1");
    for kind in TALKING {
        let reply = ask(&server, kind, &turn(6), true, json!({}));
        let unknown = reply.infos.iter().filter(|info| info.flags.has(EventFlags::UNKNOWN)).count();
        assert_eq!((unknown, reply.text()), (1, &*words(0..6)), "{kind:?}");
    }
}

#[test]
fn the_root_path_of_text_generation_inference_decides_by_the_body() {
    let server = server("");
    let kind = EndpointKind::HuggingfaceGenerate;
    let whole = ask(&server, kind, &turn(3), false, json!({"path": "/"}));
    assert_eq!((whole.text(), &whole.verdict), (&*words(0..3), &Verdict::Ok));
    let streamed = ask(&server, kind, &turn(3), true, json!({"path": "/", "stream": true}));
    assert_eq!((streamed.text(), &streamed.verdict), (&*words(0..3), &Verdict::Ok));
}

#[test]
fn a_batch_of_texts_is_a_batch_of_outputs() {
    let server = server("");
    let batch =
        Turn { prompt: Prompt::Texts(vec!["a".to_owned(), "b".to_owned()]), output_tokens: Some(2), ..Turn::default() };
    for kind in [EndpointKind::Generate, EndpointKind::Completions] {
        assert_eq!(ask(&server, kind, &batch, false, json!({})).text(), words(0..2).repeat(2), "{kind:?}");
    }
}

#[test]
fn vectors_ranks_and_boxes_come_for_every_input() {
    let server = server("dimensions=4");
    let image = || Image { uri: "data:image/png;base64,AA".into(), uuid: None };
    let media = Turn { images: vec![image(), image()], ..Turn::text(0, "12345678") };
    let group = |name: &str, texts: &[&str]| TextGroup {
        name: name.to_owned(),
        texts: texts.iter().map(|&text| text.to_owned()).collect(),
    };
    let ranking = Turn {
        prompt: Prompt::Groups(vec![group("queries", &["1234"]), group("passages", &["12345678", "1234"])]),
        ..Turn::default()
    };
    for (kind, turn, prompt) in [
        (EndpointKind::Embeddings, &media, Some(2)),
        (EndpointKind::ChatEmbeddings, &media, Some(2)),
        // A text and two images, of which each is 6 tokens long as a text.
        (EndpointKind::NimEmbeddings, &media, Some(14)),
        (EndpointKind::Nvclip, &media, Some(14)),
        // The query is read with every passage.
        (EndpointKind::NimRankings, &ranking, Some(5)),
        (EndpointKind::CohereRankings, &ranking, Some(5)),
        (EndpointKind::HfTeiRankings, &ranking, None),
        (EndpointKind::ImageRetrieval, &media, None),
    ] {
        let reply = ask(&server, kind, turn, false, json!({}));
        assert_eq!((reply.status, &reply.verdict), (200, &Verdict::Ok), "{kind:?}");
        assert_eq!(reply.answer.usage.and_then(|usage| usage.prompt), prompt, "{kind:?}");
        assert!(reply.answer.is_data && reply.answer.text.is_empty(), "{kind:?}");
    }
}

#[test]
fn raw_and_template_read_whatever_comes() {
    let server = server("");
    let paths =
        ["/v1/chat/completions", "/v1/responses", "/v1/messages", "/generate_stream", "/v2/models/m/generate_stream"];
    let bodies = [
        json!({"messages": [{"role": "user", "content": "a"}], "max_tokens": 4, "stream": true}),
        json!({"input": "a", "max_output_tokens": 4, "stream": true}),
        json!({"messages": [{"role": "user", "content": "a"}], "max_tokens": 4, "stream": true}),
        json!({"inputs": "a", "parameters": {"max_new_tokens": 4}}),
        json!({"text_input": "a", "max_tokens": 4}),
    ];
    for (path, body) in paths.into_iter().zip(bodies) {
        let turn = Turn { prompt: Prompt::Body(body.to_string()), ..Turn::default() };
        let reply = ask(&server, EndpointKind::Raw, &turn, true, json!({"path": path}));
        assert_eq!((reply.content(), reply.verdict), (words(0..4), Verdict::Ok), "{path}");
    }
    let template = r#"{"input": {{ texts|tojson }}, "model": "{{ model }}"}"#;
    let extra = json!({"path": "/v1/embeddings", "payload_template": template});
    let reply = ask(&server, EndpointKind::Template, &turn(1), false, extra);
    assert_eq!((reply.answer.is_data, reply.verdict), (true, Verdict::Ok));
}
