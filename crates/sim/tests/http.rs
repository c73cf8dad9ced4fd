//! HTTP as clients send it.

mod support;

use std::time::Duration;

use support::{CHAT, Fixture, chat, post_request};

#[test]
fn a_connection_serves_one_request_after_the_other() {
    let fixture = Fixture::start("");
    let mut client = fixture.connect();
    for tokens in 1..4 {
        assert!(client.post(CHAT, &chat("a", tokens)).is_complete);
        assert_eq!(client.exchange("GET /health HTTP/1.1\r\n\r\n").status, 200);
    }
    let log = fixture.stop();
    assert_eq!(log.iter().map(|record| record.output_tokens).collect::<Vec<_>>(), [1, 2, 3]);
    assert!(log.iter().all(|record| record.connection == log[0].connection));
}

#[test]
fn requests_may_come_in_any_pieces() {
    let fixture = Fixture::start("");
    let mut client = fixture.connect();
    let request = post_request(CHAT, &chat(&"x".repeat(300), 2));
    for piece in request.as_bytes().chunks(29) {
        client.send(piece);
        std::thread::sleep(Duration::from_micros(300));
    }
    assert_eq!(client.receive(false).json_events().len(), 5);
    // Two at once, the second while the first is being answered.
    client.send([post_request(CHAT, &chat("a", 1)), post_request(CHAT, &chat("a", 2))].concat().as_bytes());
    assert_eq!(client.receive(false).json_events().len(), 4);
    assert_eq!(client.receive(false).json_events().len(), 5);
}

#[test]
fn bodies_may_come_in_chunks_or_be_announced() {
    let fixture = Fixture::start("");
    let mut client = fixture.connect();
    let body = chat("a", 1);
    let (first, second) = body.split_at(10);
    let chunks = format!("{:x}\r\n{first}\r\n{:x};x=y\r\n{second}\r\n0\r\nT: v\r\n\r\n", first.len(), second.len());
    client.send(format!("POST {CHAT} HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n").as_bytes());
    client.send(chunks.as_bytes());
    assert_eq!(client.receive(false).json_events().len(), 4);
    client.send(
        format!("POST {CHAT} HTTP/1.1\r\nexpect: 100-continue\r\ncontent-length: {}\r\n\r\n", body.len()).as_bytes(),
    );
    assert_eq!(client.receive(true).status, 100);
    client.send(body.as_bytes());
    assert_eq!(client.receive(false).json_events().len(), 4);
}

#[test]
fn a_large_prompt_comes_through() {
    let fixture = Fixture::start("context=1000000&kv=1000000");
    let response = fixture.post(CHAT, &chat(&"x".repeat(2_000_000), 1));
    assert_eq!(response.json_events().last().unwrap()["usage"]["prompt_tokens"], 500_000);
}

#[test]
fn methods_are_checked() {
    let fixture = Fixture::start("");
    let mut client = fixture.connect();
    let head = client.exchange("HEAD /v1/models HTTP/1.1\r\n\r\n");
    assert_eq!((head.status, head.body.len()), (200, 0));
    assert!(!head.head.contains("content-length: 0\r\n"));
    let options = client.exchange("OPTIONS /v1/completions HTTP/1.1\r\n\r\n");
    assert!(options.head.contains("allow: post, options"));
    assert_eq!(client.exchange("DELETE /v1/models HTTP/1.1\r\n\r\n").status, 405);
    assert_eq!(client.exchange("GET /nothing HTTP/1.1\r\n\r\n").status, 404);
    assert_eq!(client.exchange("GET / HTTP/1.1\r\n\r\n").status, 405);
}

#[test]
fn connections_are_closed_when_asked() {
    let fixture = Fixture::start("");
    let body = chat("a", 2);
    let mut client = fixture.connect();
    let request = format!("POST {CHAT} HTTP/1.1\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}", body.len());
    let response = client.exchange(&request);
    assert!(response.is_complete && response.head.contains("connection: close"));
    assert!(client.is_closed());
    // HTTP/1.0 knows no chunks: the end of the connection is the end of the answer.
    let mut client = fixture.connect();
    let response = client.exchange(&format!("POST {CHAT} HTTP/1.0\r\ncontent-length: {}\r\n\r\n{body}", body.len()));
    assert!(!response.head.contains("transfer-encoding"));
    assert_eq!(response.json_events().len(), 5);
}

#[test]
fn what_is_no_request_is_answered_and_closed() {
    let fixture = Fixture::start("");
    for (request, status) in [
        ("nonsense\r\n\r\n".to_owned(), 400),
        (format!("GET / HTTP/1.1\r\nx: {}\r\n\r\n", "y".repeat(70_000)), 431),
        ("POST / HTTP/1.1\r\ncontent-length: 99999999999\r\n\r\n".to_owned(), 413),
        ("POST / HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n".to_owned(), 400),
    ] {
        let mut client = fixture.connect();
        assert_eq!(client.exchange(&request).status, status);
        assert!(client.is_closed());
    }
}

#[test]
fn idle_connections_are_closed_when_told() {
    let fixture = Fixture::start("close_idle=30ms");
    let mut client = fixture.connect();
    assert_eq!(client.exchange("GET /health HTTP/1.1\r\n\r\n").status, 200);
    assert!(client.is_closed());
}

#[test]
fn a_client_that_leaves_frees_its_place() {
    let fixture = Fixture::start("decode=10&max_batch=1");
    let mut client = fixture.connect();
    client.send(post_request(CHAT, &chat("a", 1_000)).as_bytes());
    while fixture.metric("vllm:num_requests_running", "") != 1.0 {}
    drop(client);
    while fixture.metric("vllm:num_requests_running", "") != 0.0 {}
    assert_eq!(fixture.metric("vllm:request_success_total", "abort"), 1.0);
    let log = fixture.stop();
    assert_eq!(log[0].end, tokamark_sim::End::ClientGone);
}

#[test]
fn many_connections_opened_at_once_are_all_served() {
    let fixture = Fixture::start("per_stream=100&ttft=50");
    let mut clients: Vec<_> = (0..400).map(|_| fixture.connect()).collect();
    for client in &mut clients {
        client.send(post_request(CHAT, &chat("a", 5)).as_bytes());
    }
    for client in &mut clients {
        assert_eq!(client.receive(false).json_events().len(), 1 + 5 + 2);
    }
    assert_eq!(fixture.stop().len(), 400);
}
