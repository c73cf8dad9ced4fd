//! Faults on purpose look as they do on real wires.

mod support;

use support::{CHAT, Fixture, chat, words};
use tokamark_sim::End;

const WHOLE: &str = r#"{"messages":[{"role":"user","content":"a"}],"max_tokens":10}"#;

#[test]
fn errors_come_with_their_status() {
    for status in [429, 500, 503] {
        let fixture = Fixture::start(&format!("error_rate=1&error_status={status}"));
        let mut client = fixture.connect();
        for _ in 0..2 {
            let response = client.post(CHAT, &chat("a", 10));
            assert_eq!(response.status, status);
            assert_eq!(response.json()["error"]["code"], status);
        }
        let log = fixture.stop();
        assert!(log.iter().all(|record| record.end == End::Rejected && record.status == status));
    }
}

#[test]
fn a_reset_comes_halfway() {
    let fixture = Fixture::start("reset_rate=1");
    let response = fixture.post(CHAT, &chat("a", 10));
    assert!(response.was_reset && !response.is_complete);
    assert!(fixture.post(CHAT, WHOLE).was_reset);
    let log = fixture.stop();
    assert_eq!((log[0].end, log[0].output_tokens), (End::Reset, 5));
    assert_eq!((log[1].end, log[1].output_tokens), (End::Reset, 0));
}

#[test]
fn a_truncated_stream_ends_cleanly_without_an_end_mark() {
    let fixture = Fixture::start("truncate_rate=1");
    let mut client = fixture.connect();
    for _ in 0..2 {
        let response = client.post(CHAT, &chat("a", 10));
        assert!(response.is_complete);
        assert_eq!(response.json_events().len(), 1 + 5);
        assert!(!response.text().contains("[DONE]") && !response.text().contains("\"length\""));
    }
    let whole = fixture.post(CHAT, WHOLE);
    assert!(!whole.is_complete && !whole.was_reset && !whole.body.is_empty());
    assert!(fixture.stop().iter().all(|record| record.end == End::Truncated));
}

#[test]
fn an_error_event_ends_a_stream() {
    let fixture = Fixture::start("stream_error_rate=1");
    let response = fixture.post(CHAT, &chat("a", 10));
    let events = response.json_events();
    assert_eq!((response.status, events.len()), (200, 1 + 5 + 1));
    assert_eq!(events[6]["error"]["code"], 500);
    let whole = fixture.post(CHAT, WHOLE);
    assert_eq!(whole.status, 200);
    assert!(whole.json()["error"].is_object());
}

#[test]
fn a_malformed_event_lies_between_good_ones() {
    let fixture = Fixture::start("malformed_rate=1");
    let events = fixture.post(CHAT, &chat("a", 10)).events();
    let bad: Vec<_> =
        events.iter().enumerate().filter(|(_, e)| serde_json::from_str::<serde_json::Value>(e).is_err()).collect();
    // After role and five tokens; `[DONE]` is no JSON either.
    assert_eq!(bad.iter().map(|(at, _)| *at).collect::<Vec<_>>(), [6, events.len() - 1]);
    assert_eq!(events.len(), 1 + 10 + 1 + 3);
    let whole = fixture.post(CHAT, WHOLE);
    assert!(whole.is_complete && serde_json::from_slice::<serde_json::Value>(&whole.body).is_err());
}

#[test]
fn a_stall_is_a_pause_in_the_log_and_nothing_is_lost() {
    let fixture = Fixture::start("stall_rate=1&stall=80ms");
    let response = fixture.post(CHAT, &chat("a", 10));
    let text: String = response
        .json_events()
        .iter()
        .filter_map(|event| event["choices"][0]["delta"]["content"].as_str().map(str::to_owned))
        .collect();
    assert_eq!(text, words(0..10));
    let whole = fixture.post(CHAT, WHOLE).json();
    assert_eq!(whole["choices"][0]["message"]["content"], words(0..10));
    let log = fixture.stop();
    let tokens: Vec<_> = log[0].writes.iter().filter(|write| write.tokens > 0).collect();
    // The pause begins when the sixth token is due; half of the tokens came before it, the other half after it.
    let pause = tokens.windows(2).position(|pair| pair[1].before_ns - pair[0].before_ns >= 80_000_000).unwrap();
    assert_eq!(tokens[..=pause].iter().map(|write| write.tokens).sum::<u32>(), 5);
    assert_eq!(tokens[pause + 1..].iter().map(|write| write.tokens).sum::<u32>(), 5);
}

#[test]
fn a_slow_head_comes_after_its_time_with_all_that_was_due() {
    let fixture = Fixture::start("slow_head_rate=1&slow_head=60ms");
    assert_eq!(fixture.post(CHAT, &chat("a", 10)).json_events().len(), 13);
    let log = fixture.stop();
    assert!(log[0].writes[0].before_ns - log[0].arrival_ns >= 60_000_000);
    assert!(log[0].writes[0].carried.starts_with("head+role+first"));
}
