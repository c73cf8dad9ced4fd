//! Requests of our own runs give the same figures as the export that is made of them.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

mod common;

use std::fs;

use common::{START, assert_near, avg};
use serde_json::json;
use tokamark_genai_perf::{
    Accumulator, EndpointType, ExportHead, Fidelity, Figures, LiveRun, Metric, Options, ProfileExportWriter, Recorded,
    Sent, read_export,
};
use tokamark_record::{Anchor, Event, Failure, FailureKind, Outcome, Phase, RequestRecord, Times};
use tokamark_tokenizer::Tokenizer;
use tokamark_wire::EventFlags;

/// The monotonic clock stood at 5,000 ns when the wall clock stood at `START`.
const ANCHOR: Anchor = Anchor { monotonic_ns: 5_000, wall_ns: START };

fn ms(ms: u64) -> u64 {
    ANCHOR.monotonic_ns + ms * 1_000_000
}

fn event(at: u64, flags: EventFlags, reasoning: &str, content: &str) -> Event {
    Event {
        arrival: ms(at),
        flags,
        reasoning_len: reasoning.len() as u32,
        content_len: content.len() as u32,
        ..Event::default()
    }
}

/// Sent at 10; role at 20, a thought at 30, words at 50 and 60, the end at 70.
fn record() -> RequestRecord {
    RequestRecord {
        seq: 0,
        phase: Phase::Profiling,
        worker: 0,
        session: 0,
        turn: 0,
        dataset_row: 0,
        url_index: 0,
        model_index: 0,
        attempt: 0,
        connection_reused: true,
        times: Times { scheduled: ms(5), send_start: Some(ms(10)), end: ms(70), ..Times::default() },
        bytes_out: 0,
        bytes_in: 0,
        status: 200,
        requested_output_tokens: None,
        local_input_tokens: Some(2),
        local_output_tokens: Some(2),
        local_reasoning_tokens: Some(1),
        usage: None,
        finish_reason: Some("stop".to_owned()),
        streamed: true,
        outcome: Outcome::Ok,
        events: vec![
            event(20, EventFlags::ROLE, "", ""),
            event(30, EventFlags::REASONING, " so", ""),
            event(50, EventFlags::CONTENT, "", " the"),
            event(60, EventFlags::CONTENT | EventFlags::FINISH, "", " king"),
            event(65, EventFlags::USAGE, "", ""),
            event(70, EventFlags::DONE, "", ""),
        ],
        text: " so the king".to_owned(),
    }
}

fn run(fidelity: Fidelity) -> LiveRun {
    LiveRun { anchor: ANCHOR, endpoint_type: EndpointType::Chat, fidelity }
}

/// Ours: from the thought at 30 to 60, three tokens, so 15 ms each. GenAI-Perf's: from 50 to 60, two tokens, 10 ms.
#[test]
fn figures_of_a_record() {
    for (fidelity, first, tokens, gap) in [(Fidelity::Right, 20.0, 3.0, 15.0), (Fidelity::Same, 40.0, 2.0, 10.0)] {
        let mut accumulator = Accumulator::new(Figures::Llm, fidelity, &[]);
        run(fidelity).add(&mut accumulator, &record(), Sent { session: Some("s".to_owned()), images: None });
        let summary = accumulator.finish(None);
        let value = |metric: Metric| summary.values.get(metric).unwrap().avg();
        assert_near(value(Metric::TimeToFirstToken), first);
        assert_near(value(Metric::RequestLatency), 50.0);
        assert_near(value(Metric::OutputSequenceLength), tokens);
        assert_near(value(Metric::InterTokenLatency), gap);
        assert_near(value(Metric::InputSequenceLength), 2.0);
        assert_eq!(summary.sessions.len(), 1);
    }
}

#[test]
fn what_is_no_answer_is_in_no_figure() {
    let mut accumulator = Accumulator::new(Figures::Llm, Fidelity::Right, &[]);
    let failure =
        Failure { kind: FailureKind::Reset, code: None, label: None, message: "the connection broke".to_owned() };
    for outcome in [Outcome::Ok, Outcome::Failed(failure), Outcome::Cancelled] {
        run(Fidelity::Right).add(&mut accumulator, &RequestRecord { outcome, ..record() }, Sent::default());
    }
    let empty = RequestRecord { events: vec![event(20, EventFlags::ROLE, "", "")], text: String::new(), ..record() };
    run(Fidelity::Right).add(&mut accumulator, &empty, Sent::default());
    let summary = accumulator.finish(None);
    assert_eq!((summary.counts.answered, summary.counts.failed, summary.counts.empty), (1, 1, 1));
    assert_eq!(summary.failures, ["the connection broke"]);
    assert_near(summary.values.get(Metric::RequestThroughput).unwrap().avg(), 1.0 / 0.05);
}

/// A body that came at once has no first token of its own.
#[test]
fn a_body_at_once() {
    let body = RequestRecord {
        streamed: false,
        events: vec![event(60, EventFlags::CONTENT, "", " the king")],
        text: " the king".to_owned(),
        local_reasoning_tokens: None,
        ..record()
    };
    let mut accumulator = Accumulator::new(Figures::Llm, Fidelity::Right, &[]);
    run(Fidelity::Right).add(&mut accumulator, &body, Sent::default());
    let summary = accumulator.finish(None);
    assert!(summary.values.get(Metric::TimeToFirstToken).is_none());
    assert_near(summary.values.get(Metric::RequestLatency).unwrap().avg(), 50.0);
}

/// The export of a record, read again by either rules, gives the figures of the record by the same rules.
#[test]
fn an_export_of_a_record_gives_its_figures() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("profile_export.json");
    let head = ExportHead {
        mode: "concurrency".to_owned(),
        value: json!(1),
        version: "0.0.0".to_owned(),
        service_kind: "openai".to_owned(),
        endpoint: "v1/chat/completions".to_owned(),
    };
    let payload = json!({"model": "m", "stream": true, "messages": [{"role": "user", "content": " the king"}]});
    let mut writer = ProfileExportWriter::create(&path, head).unwrap();
    writer.append(&run(Fidelity::Right).export(&record(), &payload.to_string(), Some("s"))).unwrap();
    writer.finish(&[START, START + 1]).unwrap();
    assert!(!fs::read_to_string(&path).unwrap().contains("usage"), "GenAI-Perf cannot read usage events");
    for fidelity in [Fidelity::Same, Fidelity::Right] {
        let export = read_export(&path).unwrap();
        let options = Options { fidelity, ..Options::default() };
        let recorded = Recorded::of(&export, &Tokenizer::builtin(), &options).unwrap();
        let mut accumulator = Accumulator::new(Figures::Llm, fidelity, &[]);
        run(fidelity).add(&mut accumulator, &record(), Sent { session: Some("s".to_owned()), images: None });
        let summary = accumulator.finish(None);
        assert_eq!(recorded.summary, summary);
        assert_near(avg(&recorded, Metric::RequestLatency), 50.0);
    }
}

/// Two images in 50 ms.
#[test]
fn images_of_a_record() {
    let body = RequestRecord { streamed: false, events: vec![event(60, EventFlags::NONE, "", "")], ..record() };
    let mut accumulator = Accumulator::new(Figures::Images, Fidelity::Right, &[]);
    let run = LiveRun { endpoint_type: EndpointType::ImageRetrieval, ..run(Fidelity::Right) };
    run.add(&mut accumulator, &body, Sent { session: None, images: Some(2) });
    let summary = accumulator.finish(None);
    assert_near(summary.values.get(Metric::ImageThroughput).unwrap().avg(), 40.0);
    assert_near(summary.values.get(Metric::ImageLatency).unwrap().avg(), 25.0);
}
