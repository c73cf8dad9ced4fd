//! Stopping a run: nothing in flight is lost, and nothing waits for ever.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bytes::Bytes;
use tokamark_client::{Opening, Prepared, Supply};
use tokamark_plan::Plan;
use tokamark_record::{Outcome, Phase, RequestRecord};

use crate::support::answers::*;
use crate::support::plans::{lazy_plan, plan, rate, slots};
use crate::support::running::*;
use crate::support::server::{Server, pause};

/// Runs a phase and stops it once `enough` holds; gives the records.
fn stopped_when(plan: &Plan, enough: impl Fn() -> bool) -> Vec<RequestRecord> {
    let run = Run::start(plan).unwrap();
    let stop = run.engine.stop_handle();
    let profile = std::thread::spawn(move || {
        let outcome = run.profile().unwrap();
        assert!(outcome.was_interrupted);
        run
    });
    while !enough() {
        pause(1);
    }
    stop.stop();
    assert!(stop.is_stopped());
    ends(move || profile.join().unwrap().finish())
}

#[test]
fn a_stop_cancels_all_in_flight_and_loses_none() {
    for workers in [1, 2] {
        let server = Arc::new(Server::start(|peer| {
            while let Some(seen) = peer.request() {
                peer.write(STREAM.to_owned() + &chunk(&token("a")));
                if seen.index == 2 {
                    peer.wait_for_close();
                    return;
                }
                peer.write(chunk(&events(&[])) + LAST_CHUNK);
            }
        }));
        let mut plan = slots(plan(&server.url(), 1), 5, workers);
        plan.load.request_count = None;
        let records = stopped_when(&plan, || server.requests().len() == 15);
        assert_eq!(records.len(), 15);
        let cancelled: Vec<_> = records.iter().filter(|record| record.outcome == Outcome::Cancelled).collect();
        assert_eq!(cancelled.len(), 5);
        assert_eq!(records.iter().filter(|record| record.outcome == Outcome::Ok).count(), 10);
        for record in cancelled {
            assert!(record.times.send_start.is_some() && record.bytes_out > 0);
            assert!(record.times.end >= record.times.send_start.unwrap());
        }
    }
}

#[test]
fn a_stop_in_the_middle_of_a_stream_keeps_its_events() {
    let server = Arc::new(Server::start(|peer| {
        if peer.request().is_some() {
            peer.write(STREAM);
            while peer.write(chunk(&token("a"))) {
                pause(2);
            }
        }
    }));
    let mut plan = plan(&server.url(), 1);
    plan.load.request_count = None;
    let records = stopped_when(&plan, || {
        pause(40);
        server.requests().len() == 1
    });
    assert_eq!(records.len(), 1);
    assert_eq!(records[0].outcome, Outcome::Cancelled);
    assert!(!records[0].events.is_empty());
    assert_eq!(records[0].events.len(), records[0].text.len());
}

#[test]
fn a_stop_ends_a_busy_run_with_every_request_accounted_for() {
    let server = Arc::new(Server::answering(streamed(&["a"])));
    for workers in [1, 2] {
        let before = server.requests().len();
        for load in [slots(plan(&server.url(), 1), 8, workers), rate(plan(&server.url(), 1), 2_000.0, None, workers)] {
            let before = server.requests().len();
            let mut plan = load;
            plan.load.request_count = None;
            let records = stopped_when(&plan, || server.requests().len() >= before + 200);
            let seqs: std::collections::HashSet<u64> = records.iter().map(|record| record.seq).collect();
            assert_eq!(seqs.len(), records.len());
            assert!(records.iter().all(|record| matches!(record.outcome, Outcome::Ok | Outcome::Cancelled)));
            // What was written may still be on its way to the server's thread.
            let written = records.iter().filter(|record| record.bytes_out > 0).count();
            while server.requests().len() < before + written {
                pause(1);
            }
            pause(20);
            assert_eq!(server.requests().len(), before + written);
        }
        assert!(server.requests().len() > before);
    }
}

#[test]
fn a_stop_ends_what_waits_for_an_answer_a_cap_or_an_arrival() {
    let server = Arc::new(Server::start(|peer| {
        peer.request();
        peer.wait_for_close();
    }));
    let records = stopped_when(&rate(plan(&server.url(), 50), 1_000.0, Some(2), 2), || server.requests().len() == 2);
    assert_eq!(records.iter().filter(|record| record.bytes_out > 0).count(), 2);
    assert!(records.iter().all(|record| record.outcome == Outcome::Cancelled));

    let quiet = Arc::new(Server::answering(streamed(&["a"])));
    let records = stopped_when(&rate(plan(&quiet.url(), 50), 0.001, None, 1), || true);
    assert!(records.is_empty());
}

#[test]
fn a_stop_before_the_phase_sends_nothing() {
    let server = Server::answering(streamed(&["a"]));
    let plan = plan(&server.url(), 5);
    let records = ends(move || {
        let run = Run::start(&plan).unwrap();
        run.engine.stop_handle().stop();
        assert!(run.profile().unwrap().was_interrupted);
        assert!(run.profile().unwrap().was_interrupted);
        run.finish()
    });
    assert!(records.is_empty());
    assert!(server.requests().is_empty());
}

#[test]
fn a_stop_does_not_wait_for_a_supply() {
    struct Stuck(Arc<AtomicBool>);
    impl Supply for Stuck {
        fn open(&self, _phase: Phase, seq: u64) -> Opening {
            while seq > 0 && !self.0.load(Ordering::SeqCst) {
                pause(1);
            }
            Prepared { body: Bytes::from_static(BODY.as_bytes()), ..Prepared::default() }.into()
        }
    }
    let server = Arc::new(Server::answering(streamed(&["a"])));
    let release = Arc::new(AtomicBool::new(false));
    for load in [slots(plan(&server.url(), 9), 3, 1), rate(plan(&server.url(), 9), 1_000.0, None, 2)] {
        let before = server.requests().len();
        let (stuck, seen) = (Stuck(Arc::clone(&release)), Arc::clone(&server));
        let records = ends(move || {
            let run = Run::with(&load, Arc::new(stuck)).unwrap();
            let stop = run.engine.stop_handle();
            std::thread::spawn(move || {
                while seen.requests().len() == before {
                    pause(1);
                }
                pause(20);
                stop.stop();
            });
            run.profile().unwrap();
            run.finish()
        });
        assert_all_ok(&records, 1);
    }
    release.store(true, Ordering::SeqCst);
}

#[test]
fn opening_connections_ahead_does_not_wait_for_ever() {
    // Connected, but the handshake is never answered.
    let server = Server::start(|peer| peer.wait_for_close());
    let mut plan = slots(plan(&server.url().replace("http:", "https:"), 5), 200, 1);
    plan.target.request_timeout_s = 0.2;
    plan.load.request_count = None;
    let error = ends(move || Run::start(&plan).err().unwrap());
    assert!(error.to_string().contains("no connection within 0.2 s"), "{error}");
}

#[test]
fn a_handshake_that_hangs_is_cut_by_the_time_limit() {
    let server = Server::start(|peer| peer.wait_for_close());
    let mut plan = lazy_plan(&server.url().replace("http:", "https:"), 1);
    plan.target.request_timeout_s = 0.2;
    let record = run_one(&plan);
    assert_failed(&record, tokamark_record::FailureKind::Timeout);
    assert_eq!(record.times.send_start, None);
}
