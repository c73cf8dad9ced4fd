//! Connections: kept, closed, reset, sent again over, refused.

use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokamark_client::ClientError;
use tokamark_plan::{ConnectMode, Reuse};
use tokamark_record::{FailureKind, Outcome};

use crate::support::answers::*;
use crate::support::plans::{lazy_plan, plan, slots};
use crate::support::running::*;
use crate::support::server::{Server, pause};

#[test]
fn connections_opened_ahead_are_no_part_of_a_request() {
    let server = Server::answering(streamed(&["a"]));
    let records = run(&plan(&server.url(), 3));
    assert_all_ok(&records, 3);
    assert_eq!(server.connections(), 1);
    for record in &records {
        assert_eq!((record.times.connect_start, record.times.connect_end, record.times.tls_end), (None, None, None));
    }
    let reused: Vec<bool> = records.iter().map(|record| record.connection_reused).collect();
    assert_eq!(reused, [false, true, true]);
}

#[test]
fn a_connection_opened_for_a_request_belongs_to_it() {
    let server = Server::answering(streamed(&["a"]));
    let records = run(&lazy_plan(&server.url(), 2));
    assert_all_ok(&records, 2);
    assert_eq!(server.connections(), 1);
    let times = records[0].times;
    let (start, end) = (times.connect_start.unwrap(), times.connect_end.unwrap());
    assert!(times.slot <= start && start <= end && end <= times.send_start.unwrap());
    assert!(!records[0].connection_reused);
    assert_eq!(records[1].times.connect_start, None);
    assert!(records[1].connection_reused);
}

#[test]
fn each_request_may_have_a_connection_of_its_own() {
    for (connect, reuse) in [(ConnectMode::PerRequest, Reuse::Pooled), (ConnectMode::Ahead, Reuse::Never)] {
        let server = Server::answering(streamed(&["a"]));
        let mut plan = plan(&server.url(), 3);
        (plan.target.connect, plan.target.reuse) = (connect, reuse);
        let records = run(&plan);
        assert_all_ok(&records, 3);
        assert_eq!(server.connections(), 3);
        assert!(records.iter().all(|record| !record.connection_reused && record.times.connect_start.is_some()));
    }
}

#[test]
fn the_instants_are_in_order_and_the_bytes_are_counted() {
    let answer = streamed(&["a", "b"]);
    let server = Server::answering(answer.clone());
    let records = run(&plan(&server.url(), 3));
    let seen = server.requests();
    for (record, seen) in records.iter().zip(&seen) {
        let times = record.times;
        let instants = [
            times.scheduled,
            times.slot,
            times.send_start.unwrap(),
            times.send_end.unwrap(),
            times.headers.unwrap(),
            times.first_byte.unwrap(),
            times.end,
        ];
        // The answer can overtake the return of the write's system call, the rest cannot.
        assert!(instants[0] <= instants[1] && instants[1] <= instants[2] && instants[2] <= instants[3], "{instants:?}");
        assert!(instants[2] < instants[4] && instants[4] <= instants[5] && instants[5] <= instants[6], "{instants:?}");
        assert_eq!(record.bytes_out, seen.length);
        assert_eq!(record.bytes_in, answer.len() as u64);
        assert!(times.send_start.unwrap() < seen.at_ns && seen.at_ns < record.events[0].arrival);
    }
}

#[test]
fn a_server_that_says_close_gets_a_new_connection_each_time() {
    let server = Server::start(|peer| {
        if peer.request().is_some() {
            peer.write(streamed(&["a"]).replacen("\r\n", "\r\nConnection: close\r\n", 1));
        }
    });
    let records = run(&plan(&server.url(), 3));
    assert_all_ok(&records, 3);
    assert_eq!(server.requests().len(), 3);
    assert!(records.iter().all(|record| record.attempt == 0 && !record.connection_reused));
}

#[test]
fn a_kept_connection_that_the_server_closes_costs_no_request() {
    // The close comes now before, now after the next request is written.
    for delay in [0, 1, 3] {
        let server = Server::start(move |peer| {
            if peer.request().is_some() {
                peer.write(streamed(&["a"]));
                pause(delay);
            }
        });
        let records = run(&slots(plan(&server.url(), 60), 4, 1));
        assert_all_ok(&records, 60);
        assert_eq!(server.requests().len(), 60);
        assert!(records.iter().all(|record| record.attempt <= 1));
    }
}

#[test]
fn a_request_that_a_kept_connection_swallowed_is_sent_again_once() {
    for resets in [false, true] {
        let server = Server::start(move |peer| {
            if peer.request().is_some() {
                peer.write(streamed(&["a"]));
            }
            if peer.number == 0 && peer.request().is_some() {
                if resets {
                    peer.reset_on_close();
                }
                return;
            }
            peer.wait_for_close();
        });
        let records = run(&plan(&server.url(), 2));
        assert_all_ok(&records, 2);
        assert_eq!((records[0].attempt, records[1].attempt), (0, 1));
        let seen: Vec<(usize, usize)> = server.requests().iter().map(|seen| (seen.connection, seen.index)).collect();
        assert_eq!(seen, [(0, 0), (0, 1), (1, 0)]);
        // The record is that of the attempt that was answered.
        assert!(!records[1].connection_reused);
        assert!(records[1].times.connect_start.is_some());
        assert_eq!(records[1].bytes_out, server.requests()[2].length);
        let ids: Vec<String> = server.requests().iter().map(|seen| seen.header("x-request-id")[0].to_owned()).collect();
        assert_eq!(ids[1], ids[2]);
        assert_ne!(ids[0], ids[1]);
    }
}

#[test]
fn a_request_is_not_sent_a_third_time() {
    let server = Server::start(|peer| {
        if peer.number == 0 && peer.request().is_some() {
            peer.write(streamed(&["a"]));
        }
        peer.request();
    });
    let records = run(&plan(&server.url(), 2));
    assert_failed(&records[1], FailureKind::Reset);
    assert_eq!(records[1].attempt, 1);
    assert_eq!(server.requests().len(), 3);
}

#[test]
fn no_request_is_sent_again_over_a_connection_of_its_own_or_after_a_byte_of_an_answer() {
    for connect in [ConnectMode::Lazy, ConnectMode::PerRequest] {
        let server = Server::start(|peer| {
            peer.request();
        });
        let mut plan = plan(&server.url(), 1);
        plan.target.connect = connect;
        let record = run_one(&plan);
        assert_failed(&record, FailureKind::Reset);
        assert_eq!((record.attempt, record.status, server.requests().len()), (0, 0, 1));
    }
    for part in ["H", "HTTP/1.1 200 OK\r\n", STREAM] {
        let server = Server::start(move |peer| {
            if peer.request().is_some() {
                peer.write(streamed(&["a"]));
            }
            if peer.request().is_some() {
                peer.write(part);
            }
        });
        let records = run(&plan(&server.url(), 2));
        assert_failed(&records[1], FailureKind::Reset);
        assert_eq!((records[1].attempt, server.requests().len()), (0, 2), "{part:?}");
        assert_eq!(records[1].bytes_in, part.len() as u64);
    }
}

#[test]
fn a_reset_keeps_what_had_come() {
    for (part, status, text) in
        [(String::new(), 0, ""), (STREAM.to_owned(), 200, ""), (STREAM.to_owned() + &chunk(&token("a")), 200, "a")]
    {
        let server = Server::start(move |peer| {
            if peer.request().is_some() {
                peer.write(&part);
                pause(30);
                peer.reset_on_close();
            }
        });
        let record = run_one(&lazy_plan(&server.url(), 1));
        assert_failed(&record, FailureKind::Reset);
        assert_eq!((record.status, record.text.as_str(), record.attempt), (status, text, 0));
        assert_eq!(record.events.len(), text.len());
    }
}

#[test]
fn what_an_idle_server_says_unasked_answers_nothing() {
    let server = Server::start(|peer| {
        if peer.request().is_some() {
            peer.write(streamed(&["a"]));
            if peer.number == 0 {
                peer.write("HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
            }
        }
        if peer.request().is_some() {
            peer.write(streamed(&["b"]));
        }
    });
    let run = ends(move || {
        let run = Run::start(&plan(&server.url(), 1)).unwrap();
        run.profile().unwrap();
        pause(20);
        run.profile().unwrap();
        run.finish()
    });
    let texts: Vec<&str> = run.iter().map(|record| record.text.as_str()).collect();
    assert_eq!(texts, ["a", "a"]);
    assert!(run.iter().all(|record| record.outcome == Outcome::Ok && record.attempt == 0));
}

#[test]
fn a_server_that_is_not_there_stops_the_run_before_it_begins() {
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let error = Run::start(&plan(&format!("http://{free}/v1"), 1)).err().unwrap();
    assert!(matches!(error, ClientError::Unreachable { .. }), "{error}");
    assert!(error.to_string().contains("connection refused"));
    let error = Run::start(&plan("http://no-such-host.invalid/v1", 1)).err().unwrap();
    assert!(matches!(&error, ClientError::Dns { host, .. } if host == "no-such-host.invalid"), "{error}");
}

#[test]
fn a_server_that_goes_away_fails_the_requests_that_follow() {
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let record = run_one(&lazy_plan(&format!("http://{free}/v1"), 1));
    assert_failed(&record, FailureKind::Connect);
    assert_eq!((record.status, record.times.send_start, record.bytes_out), (0, None, 0));
    assert!(record.times.end >= record.times.slot);

    let server = Server::start(|peer| {
        if peer.request().is_some() {
            peer.write(streamed(&["a"]));
        }
    });
    let run = ends(move || {
        let run = Run::start(&plan(&server.url(), 1)).unwrap();
        run.profile().unwrap();
        server.close();
        run.profile().unwrap();
        run.finish()
    });
    assert_eq!(run[0].outcome, Outcome::Ok);
    assert_failed(&run[1], FailureKind::Connect);
}

#[test]
fn a_body_held_open_after_the_end_mark_holds_no_slot() {
    // Each body ends only when the requests of all three have come: with the slot held this would never end.
    let arrived = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&arrived);
    let server = Server::start(move |peer| {
        while peer.request().is_some() {
            counted.fetch_add(1, Ordering::SeqCst);
            peer.write(STREAM.to_owned() + &chunk(&events(&["a"])));
            while counted.load(Ordering::SeqCst) < 3 {
                pause(1);
            }
            peer.write(LAST_CHUNK);
        }
    });
    let records = run(&plan(&server.url(), 3));
    assert_all_ok(&records, 3);
    assert_eq!(arrived.load(Ordering::SeqCst), 3);
    assert!(records.windows(2).all(|pair| pair[0].times.end <= pair[1].times.send_start.unwrap()));
    assert_eq!(server.connections(), 3);
    // Nobody waited for the ends of the first two bodies.
    assert!(records[..2].iter().all(|record| record.times.body_end.is_none()));
}

#[test]
fn a_body_that_is_read_to_its_end_says_when_that_was() {
    let server = Server::start(|peer| {
        while peer.request().is_some() {
            peer.write(STREAM.to_owned() + &chunk(&events(&["a"])));
            peer.write(LAST_CHUNK);
        }
    });
    let records = run(&plan(&server.url(), 2));
    assert_all_ok(&records, 2);
    for record in &records {
        let times = &record.times;
        assert!(times.slot <= times.built && times.built <= times.send_start.unwrap());
        assert!(times.body_end.is_some_and(|end| end >= times.end));
    }
}

#[test]
fn a_connection_whose_body_ends_late_is_used_again() {
    let server = Server::start(|peer| {
        while let Some(seen) = peer.request() {
            peer.write(STREAM.to_owned() + &chunk(&events(&["a"])));
            pause(if seen.index == 0 { 60 } else { 0 });
            peer.write(chunk(&token("late")) + LAST_CHUNK);
        }
    });
    let records = ends({
        let plan = plan(&server.url(), 1);
        move || {
            let run = Run::start(&plan).unwrap();
            run.profile().unwrap();
            // The body of the first ends in the background while the worker is idle.
            pause(200);
            run.profile().unwrap();
            run.finish()
        }
    });
    assert_eq!(server.connections(), 1);
    assert!(records.iter().all(|record| record.outcome == Outcome::Ok && record.text == "a"));
}

#[test]
fn a_time_limit_keeps_what_had_come() {
    let server = Server::start(|peer| {
        if peer.request().is_some() {
            peer.write(STREAM.to_owned() + &chunk(&token("a")));
            peer.wait_for_close();
        }
    });
    let mut plan = plan(&server.url(), 1);
    plan.target.request_timeout_s = 0.25;
    let record = run_one(&plan);
    assert_failed(&record, FailureKind::Timeout);
    assert!(failure(&record).message.contains("0.25 s"));
    assert_eq!((record.status, record.text.as_str(), record.events.len()), (200, "a", 1));
    assert!(record.times.end - record.times.slot >= 250_000_000);
}

#[test]
fn a_time_limit_ends_a_stream_that_never_pauses() {
    let server = Server::start(|peer| {
        if peer.request().is_some() {
            peer.write(STREAM);
            let flood = chunk(&token("a").repeat(500));
            while peer.write(&flood) {}
        }
    });
    let mut plan = plan(&server.url(), 1);
    plan.target.request_timeout_s = 0.25;
    let record = run_one(&plan);
    assert_failed(&record, FailureKind::Timeout);
    assert!(!record.events.is_empty());
}

#[test]
fn a_time_limit_ends_a_server_that_never_answers() {
    let server = Server::start(|peer| peer.wait_for_close());
    let mut plan = plan(&server.url(), 2);
    plan.target.request_timeout_s = 0.1;
    let records = run(&plan);
    assert_eq!(records.len(), 2);
    for record in &records {
        assert_failed(record, FailureKind::Timeout);
        assert_eq!((record.attempt, record.bytes_in), (0, 0));
    }
}

#[test]
fn a_connection_whose_answer_was_cut_off_is_closed_and_not_used_again() {
    let server = Server::start(|peer| {
        while peer.request().is_some() {
            if peer.number == 0 {
                peer.write(STREAM.to_owned() + &chunk(&token("a")));
                peer.wait_for_close();
                return;
            }
            peer.write(streamed(&["b"]));
        }
    });
    let mut plan = plan(&server.url(), 2);
    plan.target.request_timeout_s = 0.5;
    let records = run(&plan);
    assert_failed(&records[0], FailureKind::Timeout);
    assert_eq!((records[1].outcome.clone(), records[1].text.as_str()), (Outcome::Ok, "b"));
    assert!(records[1].times.connect_start.is_some());
    assert_eq!(server.connections(), 2);
    // The first when it was cut off, the second at the end of the run.
    while server.closed_by_client() < 2 {
        pause(1);
    }
}
