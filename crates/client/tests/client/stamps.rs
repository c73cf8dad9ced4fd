//! When events arrived, held against when the server wrote them: one clock, order alone.

use std::sync::{Arc, Mutex};

use tokamark_clock::now_ns;
use tokamark_record::Outcome;

use crate::support::answers::*;
use crate::support::plans::{plan, slots};
use crate::support::running::*;
use crate::support::server::{Server, pause};
use crate::support::tls::Authority;

/// Just before and just after a write.
type Written = (u64, u64);

fn check(secure: bool) {
    let written: Arc<Mutex<Vec<Vec<Written>>>> = Arc::default();
    let log = Arc::clone(&written);
    let script = move |peer: &mut crate::support::server::Peer| {
        while peer.request().is_some() {
            let mut writes = Vec::new();
            peer.write(STREAM);
            for _ in 0..20 {
                pause(2);
                let before = now_ns();
                peer.write(chunk(&token("a")));
                writes.push((before, now_ns()));
            }
            log.lock().unwrap().push(writes);
            peer.write(chunk(&events(&[])) + LAST_CHUNK);
        }
    };
    let authority = Authority::new();
    let server =
        if secure { Server::with_tls(authority.server("localhost", false), script) } else { Server::start(script) };
    let mut plan = plan(&server.url(), 5);
    if secure {
        plan.target.urls = vec![server.url().replace("http://127.0.0.1", "https://localhost")];
        plan.target.tls.ca_file = Some(authority.file());
    }
    let records = run(&plan);
    assert_all_ok(&records, 5);
    let written = written.lock().unwrap();
    for (record, writes) in records.iter().zip(written.iter()) {
        let tokens: Vec<_> = record.events.iter().filter(|event| event.flags.is_generated()).collect();
        assert_eq!(tokens.len(), 20);
        for (at, (event, (before, _))) in tokens.iter().zip(writes).enumerate() {
            assert!(event.arrival >= *before, "event {at} arrived {} ns before it was written", before - event.arrival);
            assert!(event.read >= event.arrival);
            // It was there before the next write was over, unless it came in one read with what was written then. Without a
            // kernel stamp the read may be late.
            if let (Some(next), Some((next_before, next_after))) = (tokens.get(at + 1), writes.get(at + 1)) {
                assert!(event.arrival <= next.arrival);
                if event.read_number != next.read_number && event.arrival < event.read {
                    assert!(event.arrival <= *next_after, "event {at}: {} after {next_before}", event.arrival);
                }
            }
        }
    }
}

#[test]
fn events_arrive_after_they_were_written_and_before_the_next() {
    check(false);
}

#[test]
fn so_they_do_under_tls() {
    check(true);
}

#[test]
fn read_numbers_and_arrivals_never_go_back_on_any_of_many_streams() {
    let server = Server::start(|peer| {
        while peer.request().is_some() {
            peer.write(STREAM);
            for step in 0..30 {
                peer.write(chunk(&token("a").repeat(step % 4 + 1)));
                if step % 5 == 0 {
                    pause(1);
                }
            }
            peer.write(chunk(&events(&[])) + LAST_CHUNK);
        }
    });
    let records = run(&slots(plan(&server.url(), 40), 20, 2));
    assert_all_ok(&records, 40);
    for record in &records {
        assert_eq!(record.outcome, Outcome::Ok);
        assert_eq!(record.events.len(), 73 + 2);
        assert!(record.events[0].read_number >= 1);
        assert!(record.events[0].arrival >= record.times.headers.unwrap());
        for pair in record.events.windows(2) {
            assert!(pair[0].read_number <= pair[1].read_number);
            assert!(pair[0].arrival <= pair[1].arrival && pair[0].read <= pair[1].read);
            if pair[0].read_number == pair[1].read_number {
                assert_eq!((pair[0].arrival, pair[0].read), (pair[1].arrival, pair[1].read));
            }
        }
        let last = record.events.last().unwrap();
        assert_eq!(record.times.end, last.arrival);
    }
}
