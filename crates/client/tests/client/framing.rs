//! RFC 9112: where heads and bodies end, and what is no HTTP.

use std::io::Read;
use std::sync::Arc;

use bytes::Bytes;
use tokamark_client::{Opening, Prepared, Supply};
use tokamark_record::{FailureKind, Outcome, Phase};

use crate::support::answers::*;
use crate::support::plans::{lazy_plan, plan};
use crate::support::running::*;
use crate::support::server::{Server, pause};

/// The record of one request that gets these bytes, after which the server closes.
fn answer_then_close(bytes: impl Into<String>) -> tokamark_record::RequestRecord {
    let bytes = bytes.into();
    let server = Server::start(move |peer| {
        if peer.request().is_some() {
            peer.write(&bytes);
        }
    });
    run_one(&lazy_plan(&server.url(), 1))
}

/// The record of the first of two requests over a connection that stays open.
fn answer_and_keep(bytes: &str) -> tokamark_record::RequestRecord {
    let server = Server::answering(bytes);
    let records = run(&plan(&server.url(), 2));
    assert_eq!(server.connections(), 1, "the connection was not kept");
    assert!(records[1].connection_reused);
    records.into_iter().next().unwrap()
}

#[test]
fn chunk_extensions_and_trailers_are_no_data() {
    let body = events(&["a", "b"]);
    let (first, second) = body.split_at(31);
    let answer = format!(
        "{STREAM}{:x};name=\"va;lue\";flag\r\n{first}\r\n{:X} \r\n{second}\r\n0;last\r\nX-Sum: data: x\r\nX-More: 1\r\n\r\n",
        first.len(),
        second.len()
    );
    let record = answer_and_keep(&answer);
    assert_eq!(record.outcome, Outcome::Ok);
    assert_eq!(record.text, "ab");
    assert_eq!(record.events.len(), 4);
    assert_eq!(record.bytes_in, answer.len() as u64);
}

#[test]
fn a_stream_may_have_a_length() {
    let record = answer_and_keep(&sized("200 OK", "text/event-stream; charset=utf-8", &events(&["a", "b"])));
    assert_eq!(record.outcome, Outcome::Ok);
    assert_eq!((record.text.as_str(), record.streamed), ("ab", true));
}

#[test]
fn a_body_may_end_with_the_connection() {
    for version in ["HTTP/1.1", "HTTP/1.0"] {
        let head = format!("{version} 200 OK\r\nContent-Type: text/event-stream\r\n\r\n");
        let body: String = [token("a"), token("b"), finish("stop")].concat();
        let record = answer_then_close(head + &body);
        assert_eq!(record.outcome, Outcome::Ok, "{version}");
        assert_eq!(record.text, "ab");
        let record =
            answer_then_close(format!("{version} 200 OK\r\nContent-Type: text/event-stream\r\n\r\n{}", token("a")));
        assert_failed(&record, FailureKind::Incomplete);
        assert_eq!(record.text, "a");
    }
}

#[test]
fn interim_responses_are_passed_over() {
    let interim = "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n\
                   HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\n\r\n";
    let record = answer_and_keep(&(interim.to_owned() + &streamed(&["a"])));
    assert_eq!(record.outcome, Outcome::Ok);
    assert_eq!((record.status, record.text.as_str()), (200, "a"));
}

#[test]
fn an_interim_response_is_a_response() {
    // The kept connection dies after a byte of an answer came: sending again could make the server work twice.
    let server = Server::start(|peer| {
        if peer.request().is_some() {
            peer.write(streamed(&["a"]));
        }
        if peer.request().is_some() {
            peer.write("HTTP/1.1 103 Early Hints\r\n\r\n");
        }
    });
    let records = run(&plan(&server.url(), 2));
    assert_failed(&records[1], FailureKind::Reset);
    assert_eq!(records[1].attempt, 0);
    assert_eq!(server.requests().len(), 2);
}

#[test]
fn a_switch_of_protocols_is_no_answer() {
    let record = answer_then_close("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n");
    assert_failed(&record, FailureKind::UnexpectedStatus);
    assert_eq!(record.status, 101);
}

#[test]
fn names_of_headers_have_no_case() {
    let body = events(&["a"]);
    for (kind, length) in [("content-type", "content-length"), ("CONTENT-TYPE", "CONTENT-LENGTH")] {
        let answer = format!("HTTP/1.1 200 OK\r\n{kind}: Text/Event-Stream\r\n{length}: {}\r\n\r\n{body}", body.len());
        assert_eq!(answer_and_keep(&answer).text, "a");
    }
    let answer = "HTTP/1.1 200 OK\r\ncontent-TYPE:text/event-stream\r\ntransfer-ENCODING:\tChunked \r\n\r\n";
    assert_eq!(answer_and_keep(&(answer.to_owned() + &chunk(&body) + LAST_CHUNK)).text, "a");
}

#[test]
fn heads_that_are_no_http_are_undecodable() {
    for head in [
        "HTTP/1.1 200 OK\r\nX-Folded: a\r\n b\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 2OO OK\r\n\r\n",
        "SSH-2.0-OpenSSH_9.6\r\n",
        "HTTP/1.1 200 OK\r\nNo colon here\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
    ] {
        let record = answer_then_close(head);
        assert_failed(&record, FailureKind::Undecodable);
        assert_eq!((record.attempt, record.status), (0, 0), "{head}");
    }
}

#[test]
fn a_length_beside_chunks_does_not_count() {
    let body = chunk(&events(&["a"])) + LAST_CHUNK;
    let head =
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 7\r\nTransfer-Encoding: chunked\r\n\r\n";
    let record = answer_then_close(format!("{head}{body}"));
    assert_eq!(record.outcome, Outcome::Ok);
    assert_eq!(record.text, "a");
}

#[test]
fn broken_chunks_are_undecodable_and_what_came_is_kept() {
    for bad in ["xyz\r\n", "\r\n", "-5\r\nabcde\r\n", "fffffffffffffffff\r\n", "3\r\nabcdef\r\n"] {
        let record = answer_then_close(format!("{STREAM}{}{bad}", chunk(&token("a"))));
        assert_failed(&record, FailureKind::Undecodable);
        assert_eq!((record.status, record.text.as_str(), record.events.len()), (200, "a", 1), "{bad:?}");
    }
}

#[test]
fn a_body_that_is_too_short_was_cut_off() {
    let whole = events(&["a", "b"]);
    for (head, body) in [
        ("Transfer-Encoding: chunked".to_owned(), chunk(&token("a"))),
        ("Transfer-Encoding: chunked".to_owned(), format!("fff\r\n{}", token("a"))),
        (format!("Content-Length: {}", whole.len()), token("a")),
    ] {
        let record =
            answer_then_close(format!("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n{head}\r\n\r\n{body}"));
        assert_failed(&record, FailureKind::Reset);
        assert_eq!((record.status, record.text.as_str(), record.events.len()), (200, "a", 1));
    }
    let document = document("a");
    let record = answer_then_close(format!("HTTP/1.1 200 OK\r\nContent-Length: 9999\r\n\r\n{document}"));
    assert_failed(&record, FailureKind::Reset);
}

#[test]
fn the_last_chunk_may_be_missing_after_the_end_mark() {
    let record = answer_then_close(format!("{STREAM}{}", chunk(&events(&["a"]))));
    assert_eq!(record.outcome, Outcome::Ok);
    let record = answer_then_close(format!("{STREAM}{}", chunk(&(token("a") + &finish("stop")))));
    assert_eq!(record.outcome, Outcome::Ok);
}

#[test]
fn a_body_without_a_type_is_looked_at() {
    let length = |body: &str| format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len());
    let record = answer_and_keep(&length(&(": hello\n\n".to_owned() + &events(&["a"]))));
    assert_eq!((record.streamed, record.text.as_str(), record.events.len()), (true, "a", 4));
    let record = answer_and_keep(&length(&document("a")));
    assert_eq!((record.streamed, record.text.as_str(), record.events.len()), (false, "a", 1));
    let record = answer_then_close(length("<html>busy</html>"));
    assert_failed(&record, FailureKind::Undecodable);
    // Byte by byte, so that the first bytes alone tell nothing.
    let server = Server::start(move |peer| {
        if peer.request().is_some() {
            peer.write("HTTP/1.1 200 OK\r\n\r\n");
            for byte in events(&["a"]).bytes() {
                peer.write([byte]);
                pause(0);
            }
        }
    });
    let record = run_one(&plan(&server.url(), 1));
    assert_eq!((record.streamed, record.text.as_str(), record.outcome), (true, "a", Outcome::Ok));
}

#[test]
fn an_encoded_body_is_undecodable() {
    for encoding in ["gzip", "br", "GZIP", "identity, gzip"] {
        let body = "\u{1f}\u{8b}garbage";
        let record = answer_then_close(format!(
            "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Encoding: {encoding}\r\n\
             Content-Length: {}\r\n\r\n{body}",
            body.len()
        ));
        assert_failed(&record, FailureKind::Undecodable);
        assert!(failure(&record).message.contains(&encoding.to_lowercase()));
    }
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Encoding: identity\r\n\r\n";
    assert_eq!(answer_then_close(format!("{head}{}", events(&["a"]))).outcome, Outcome::Ok);
}

#[test]
fn an_encoded_stream_that_is_held_open_does_not_hold_its_slot() {
    let server = Server::start(|peer| {
        if peer.request().is_some() {
            peer.write(STREAM.replace("\r\n\r\n", "\r\nContent-Encoding: gzip\r\n\r\n") + &chunk("\u{1f}\u{8b}"));
            peer.wait_for_close();
        }
    });
    let record = run_one(&plan(&server.url(), 1));
    assert_failed(&record, FailureKind::Undecodable);
}

#[test]
fn redirects_are_never_followed() {
    let elsewhere = Server::answering(streamed(&["a"]));
    for status in ["301 Moved Permanently", "302 Found", "307 Temporary Redirect", "308 Permanent Redirect"] {
        let record = answer_and_keep(&format!(
            "HTTP/1.1 {status}\r\nLocation: {}\r\nContent-Length: 0\r\n\r\n",
            elsewhere.url()
        ));
        assert_failed(&record, FailureKind::UnexpectedStatus);
        assert_eq!(record.status.to_string(), status[..3]);
    }
    assert_eq!(elsewhere.connections(), 0);
}

#[test]
fn no_content_is_no_answer() {
    for status in ["204 No Content", "304 Not Modified"] {
        let record = answer_and_keep(&format!("HTTP/1.1 {status}\r\n\r\n"));
        assert_failed(&record, FailureKind::UnexpectedStatus);
    }
    let record = answer_and_keep("HTTP/1.1 205 Reset Content\r\nContent-Length: 0\r\n\r\n");
    assert_failed(&record, FailureKind::UnexpectedStatus);
}

#[test]
fn refusals_keep_the_connection_and_say_why() {
    let body = "{\"error\":{\"message\":\"slow down\",\"type\":\"rate_limit\"}}";
    let record = answer_and_keep(&sized("429 Too Many Requests", "application/json", body));
    let failure = failure(&record);
    assert_eq!(failure.kind, FailureKind::HttpStatus);
    assert_eq!(failure.code.as_deref(), Some("429"));
    assert_eq!(failure.label.as_deref(), Some("rate_limit"));
    assert_eq!(failure.message, "slow down");
    assert!(record.events.is_empty());
}

#[test]
fn a_refusal_counts_even_if_its_body_does_not_end() {
    let head = "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 999\r\n\r\n";
    let record = answer_then_close(format!("{head}{{\"error\":"));
    assert_failed(&record, FailureKind::HttpStatus);
    assert_eq!(failure(&record).code.as_deref(), Some("503"));

    let server = Server::start(move |peer| {
        if peer.request().is_some() {
            peer.write(head);
            peer.wait_for_close();
        }
    });
    let mut plan = plan(&server.url(), 1);
    plan.target.request_timeout_s = 0.1;
    assert_failed(&run_one(&plan), FailureKind::HttpStatus);
}

#[test]
fn a_refusal_that_is_encoded_is_told_by_its_status() {
    let body = "\u{1f}\u{8b}garbage";
    let record = answer_then_close(format!(
        "HTTP/1.1 502 Bad Gateway\r\nContent-Encoding: gzip\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    ));
    assert_failed(&record, FailureKind::HttpStatus);
    assert_eq!(failure(&record).message, "Bad Gateway");
}

#[test]
fn heads_without_end_are_refused() {
    let line = format!("X-Long: {}\r\n", "x".repeat(1 << 20));
    assert_failed(&answer_then_close(format!("HTTP/1.1 200 OK\r\n{line}\r\n")), FailureKind::Undecodable);
    let lines = "X-Many: 1\r\n".repeat(1_000);
    assert_failed(&answer_then_close(format!("HTTP/1.1 200 OK\r\n{lines}\r\n")), FailureKind::Undecodable);
}

#[test]
fn interim_responses_without_end_run_into_the_time_limit() {
    let server = Server::start(|peer| {
        if peer.request().is_some() {
            let flood = "HTTP/1.1 103 Early Hints\r\n\r\n".repeat(500);
            while peer.write(&flood) {}
        }
    });
    let mut plan = plan(&server.url(), 1);
    plan.target.request_timeout_s = 0.25;
    assert_failed(&run_one(&plan), FailureKind::Timeout);
}

/// Bodies that no socket buffer holds.
struct Large;

impl Supply for Large {
    fn open(&self, _phase: Phase, _number: u64) -> Opening {
        Prepared { body: Bytes::from(vec![b' '; 32 << 20]), ..Prepared::default() }.into()
    }
}

#[test]
fn a_large_request_is_sent_whole() {
    let server = Server::answering(streamed(&["a"]));
    let (_, records) = run_with(&plan(&server.url(), 2), Arc::new(Large));
    assert_all_ok(&records, 2);
    let seen = server.requests();
    assert!(seen.iter().all(|seen| seen.body.len() == 32 << 20));
    for (record, seen) in records.iter().zip(&seen) {
        assert_eq!(record.bytes_out, seen.length);
        assert!(record.times.send_start.unwrap() < record.times.send_end.unwrap());
    }
}

#[test]
fn a_refusal_may_come_before_the_request_is_over() {
    let server = Server::start(|peer| {
        let mut some = [0; 1_000];
        if peer.stream().read(&mut some).unwrap() > 0 {
            peer.write("HTTP/1.1 413 Payload Too Large\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
            peer.wait_for_close();
        }
    });
    let (_, records) = run_with(&lazy_plan(&server.url(), 1), Arc::new(Large));
    assert_failed(&records[0], FailureKind::HttpStatus);
    assert_eq!((records[0].status, records[0].attempt), (413, 0));
    assert_eq!(server.connections(), 1);
}
