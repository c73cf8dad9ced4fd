//! What the truth log says, against the schedule.

mod support;

use std::thread;

use support::{CHAT, Fixture, chat, post_request, words};
use tokamark_sim::{End, TruthRecord};

const MS: u64 = 1_000_000;

/// The writes that carry tokens.
fn token_writes(record: &TruthRecord) -> Vec<u64> {
    record.writes.iter().filter(|write| write.tokens > 0).map(|write| write.before_ns).collect()
}

#[test]
fn no_token_of_a_paced_stream_is_early_and_none_is_missing() {
    let fixture = Fixture::start("per_stream=200&ttft=30");
    let addr = fixture.addr();
    thread::scope(|scope| {
        for _ in 0..20 {
            scope.spawn(|| {
                let response = fixture.post(CHAT, &chat("a", 15));
                assert_eq!(response.json_events().len(), 1 + 15 + 2, "{addr}");
            });
        }
    });
    let log = fixture.stop();
    assert_eq!(log.len(), 20);
    for record in &log {
        assert_eq!((record.output_tokens, record.end), (15, End::Complete));
        let mut sent = 0;
        for write in &record.writes {
            assert!(write.after_ns >= write.before_ns);
            if write.tokens > 0 {
                sent += u64::from(write.tokens);
                let due = record.arrival_ns + 30 * MS + (sent - 1) * 5 * MS;
                assert!(write.before_ns >= due, "token {sent} was early");
            }
        }
        assert_eq!(sent, 15);
        let first = record.first_token_ns().unwrap();
        assert_eq!(Some(&first.0), token_writes(record).first());
    }
}

#[test]
fn synchronous_streams_tick_on_the_same_grid() {
    let fixture = Fixture::start("per_stream=100&ttft=20&phase=synchronous");
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| fixture.post(CHAT, &chat("a", 5)));
        }
    });
    for record in fixture.stop() {
        let first = token_writes(&record)[0];
        // The first multiple of 10 ms after arrival and 20 ms.
        assert!(first >= (record.arrival_ns + 20 * MS).div_ceil(10 * MS) * 10 * MS);
    }
}

#[test]
fn arrivals_lie_between_the_neighbours_that_are_known() {
    let fixture = Fixture::start("head=token");
    let mut client = fixture.connect();
    let mut spans = Vec::new();
    for _ in 0..3 {
        let before = tokamark_clock::now_ns();
        let request = post_request(CHAT, &chat("a", 2)).replace("host: sim", "x-request-id: abc");
        client.send(request.as_bytes());
        let response = client.receive(false);
        let after = tokamark_clock::now_ns();
        assert!(response.is_complete);
        spans.push((before, after));
    }
    let log = fixture.stop();
    for (record, (before, after)) in log.iter().zip(spans) {
        // The two clocks are mapped onto each other to within microseconds.
        assert!(record.arrival_ns + MS >= before && record.arrival_ns <= after);
    }
    for pair in log.windows(2) {
        // The client may be ahead of the server's return from the call that wrote the last answer.
        let last = pair[0].writes.last().unwrap();
        assert!(pair[1].arrival_ns > last.before_ns);
    }
    for record in &log {
        assert!(record.arrival_ns <= record.read_ns && record.read_ns <= record.writes[0].before_ns);
        // A server that is late sends the second token with the first.
        assert!(record.writes[0].carried.starts_with("head+role+first"));
        assert_eq!(record.x_request_id.as_deref(), Some("abc"));
        assert!(record.arrival_wall_ns > 0);
    }
}

#[test]
fn an_unpaced_stream_comes_whole_through_a_full_socket() {
    let fixture = Fixture::start("per_stream=inf&ttft=1&context=1000000");
    let mut client = fixture.connect();
    client.send(post_request(CHAT, &chat("a", 100_000)).as_bytes());
    // The socket fills up before anything is read.
    thread::sleep(std::time::Duration::from_millis(100));
    let response = client.receive(false);
    let text: String = response
        .json_events()
        .iter()
        .filter_map(|event| event["choices"][0]["delta"]["content"].as_str().map(str::to_owned))
        .collect();
    assert_eq!(text, words(0..100_000));
    let log = fixture.stop();
    assert_eq!(log[0].writes.iter().map(|write| u64::from(write.tokens)).sum::<u64>(), 100_000);
    assert!(log[0].writes.iter().any(|write| write.carried == "partial"));
}

#[test]
fn threads_share_connections_and_the_numbers_of_requests() {
    let fixture = Fixture::start("threads=2");
    for _ in 0..6 {
        fixture.post(CHAT, &chat("a", 2));
    }
    let total: f64 =
        (0..2).map(|engine| fixture.metric("vllm:generation_tokens_total", &format!("engine=\"{engine}\""))).sum();
    assert_eq!(total, 12.0);
    let mut log = fixture.stop();
    log.sort_by_key(|record| record.request);
    assert_eq!(log.iter().map(|record| record.request).collect::<Vec<_>>(), [0, 1, 2, 3, 4, 5]);
    assert_eq!(log.iter().filter(|record| record.thread == 1).count(), 3);
}

#[test]
fn a_shutdown_logs_what_was_on_its_way() {
    let fixture = Fixture::start("decode=10");
    let mut client = fixture.connect();
    client.send(post_request(CHAT, &chat("a", 1_000)).as_bytes());
    while fixture.metric("vllm:num_requests_running", "") != 1.0 {}
    let log = fixture.stop();
    assert_eq!((log.len(), log[0].end), (1, End::Shutdown));
}
