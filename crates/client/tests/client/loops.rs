//! Closed and open loops: how many at once, in which order, when.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex};

use bytes::Bytes;
use tokamark_client::{ClientError, Opening, Prepared, Supply};
use tokamark_clock::now_ns;
use tokamark_record::{Outcome, Phase};

use crate::support::answers::*;
use crate::support::plans::{lazy_plan, plan, rate, slots};
use crate::support::running::*;
use crate::support::server::{Server, pause};

/// Counts requests in flight as the server sees them.
#[derive(Default)]
struct Gauge {
    now: AtomicUsize,
    peak: AtomicUsize,
}

impl Gauge {
    fn enter(&self) -> usize {
        let now = self.now.fetch_add(1, Ordering::SeqCst) + 1;
        self.peak.fetch_max(now, Ordering::SeqCst);
        now
    }

    fn leave(&self) {
        self.now.fetch_sub(1, Ordering::SeqCst);
    }

    fn peak(&self) -> usize {
        self.peak.load(Ordering::SeqCst)
    }
}

#[test]
fn all_slots_are_in_flight_at_once_and_never_one_more() {
    for workers in [1, 2, 3] {
        let gauge = Arc::new(Gauge::default());
        let gate = Arc::new((Mutex::new(0), Condvar::new()));
        let (counted, gated) = (Arc::clone(&gauge), Arc::clone(&gate));
        // Nobody is answered before all fifty have come.
        let server = Server::start(move |peer| {
            while peer.request().is_some() {
                counted.enter();
                let mut arrived = gated.0.lock().unwrap();
                *arrived += 1;
                gated.1.notify_all();
                while *arrived < 50 {
                    arrived = gated.1.wait(arrived).unwrap();
                }
                drop(arrived);
                pause(2);
                counted.leave();
                peer.write(streamed(&["a"]));
            }
        });
        let (outcome, records) = run_with(&slots(plan(&server.url(), 175), 50, workers), Arc::new(Fixed));
        assert_all_ok(&records, 175);
        assert_eq!(gauge.peak(), 50, "{workers} workers");
        assert_eq!(outcome.peak_in_flight, 50);
        assert_eq!(server.requests().len(), 175);
        assert_eq!(outcome.connections, 50);
        assert!(!outcome.was_interrupted);
        let mut used: Vec<u16> = records.iter().map(|record| record.worker).collect();
        used.sort_unstable();
        used.dedup();
        assert_eq!(used, (0..workers).collect::<Vec<_>>());
    }
}

#[test]
fn fewer_requests_than_slots_are_sent_once_each() {
    let server = Server::answering(streamed(&["a"]));
    let (outcome, records) = run_with(&slots(plan(&server.url(), 3), 10, 2), Arc::new(Fixed));
    assert_all_ok(&records, 3);
    assert!(outcome.peak_in_flight <= 3);
    assert_eq!(server.requests().len(), 3);
}

#[test]
fn the_span_of_a_phase_holds_its_requests() {
    let server = Server::answering(streamed(&["a"]));
    let (outcome, records) = run_with(&slots(plan(&server.url(), 20), 4, 2), Arc::new(Fixed));
    let sent: Vec<u64> = records.iter().map(|record| record.times.send_start.unwrap()).collect();
    assert!(records.iter().all(|record| record.times.scheduled >= outcome.span.start_ns));
    assert_eq!(outcome.span.sent_ns, *sent.iter().max().unwrap());
    assert!(records.iter().all(|record| record.times.end <= outcome.span.end_ns));
    assert!(outcome.reads >= 20);
}

#[test]
fn constant_arrivals_come_in_order_and_never_early() {
    for workers in [1, 3] {
        let server = Server::answering(streamed(&["a"]));
        let (outcome, records) = run_with(&rate(plan(&server.url(), 40), 400.0, None, workers), Arc::new(Fixed));
        assert_all_ok(&records, 40);
        for record in &records {
            let due = outcome.span.start_ns + (record.seq + 1) * 2_500_000;
            assert_eq!(record.times.scheduled, due);
            assert!(record.times.slot >= due && record.times.send_start.unwrap() >= record.times.slot);
        }
        let mut used: Vec<u16> = records.iter().map(|record| record.worker).collect();
        used.sort_unstable();
        used.dedup();
        assert_eq!(used, (0..workers).collect::<Vec<_>>());
    }
}

#[test]
fn arrivals_do_not_wait_for_answers() {
    // Each answer waits for the last request to arrive.
    let arrived = Arc::new(AtomicUsize::new(0));
    let server = Server::start(move |peer| {
        while peer.request().is_some() {
            arrived.fetch_add(1, Ordering::SeqCst);
            while arrived.load(Ordering::SeqCst) < 30 {
                pause(1);
            }
            peer.write(streamed(&["a"]));
        }
    });
    let (outcome, records) = run_with(&rate(plan(&server.url(), 30), 1_000.0, None, 2), Arc::new(Fixed));
    assert_all_ok(&records, 30);
    assert_eq!(outcome.peak_in_flight, 30);
}

#[test]
fn a_cap_holds_arrivals_back_and_the_wait_is_seen() {
    for workers in [1, 2] {
        let gauge = Arc::new(Gauge::default());
        let counted = Arc::clone(&gauge);
        let server = Server::start(move |peer| {
            while peer.request().is_some() {
                counted.enter();
                pause(20);
                counted.leave();
                peer.write(streamed(&["a"]));
            }
        });
        let (_, records) = run_with(&rate(plan(&server.url(), 12), 1_000.0, Some(2), workers), Arc::new(Fixed));
        assert_all_ok(&records, 12);
        assert_eq!(gauge.peak(), 2);
        // Two at a time, 20 ms each: number 11 is due at 12 ms and cannot be sent before five pairs are over.
        let last = &records[11].times;
        assert!(last.send_start.unwrap() - last.scheduled >= 80_000_000);
        assert!(last.slot - last.scheduled >= 80_000_000);
    }
}

#[test]
fn nothing_is_sent_after_the_duration_and_all_that_was_sent_is_waited_for() {
    let server = Server::start(|peer| {
        while peer.request().is_some() {
            pause(40);
            peer.write(streamed(&["a"]));
        }
    });
    let mut plan = slots(plan(&server.url(), 1), 3, 1);
    plan.load.request_count = None;
    plan.load.duration_s = Some(0.2);
    let (outcome, records) = run_with(&plan, Arc::new(Fixed));
    let count = records.len();
    assert_all_ok(&records, count);
    assert_eq!(server.requests().len(), count);
    let over = outcome.span.start_ns + 200_000_000;
    assert!(records.iter().all(|record| record.times.scheduled < over));
    assert!(!outcome.was_interrupted);
}

#[test]
fn what_is_in_flight_when_the_grace_is_over_is_cancelled() {
    for open in [false, true] {
        let server = Server::start(|peer| {
            while peer.request().is_some() {
                peer.write(STREAM.to_owned() + &chunk(&token("a")));
                if peer.number > 0 {
                    peer.wait_for_close();
                    return;
                }
                peer.write(chunk(&events(&[])) + LAST_CHUNK);
            }
        });
        let mut plan = slots(plan(&server.url(), 1), 4, 2);
        if open {
            plan.load.request_rate = Some(200.0);
        }
        plan.load.request_count = None;
        plan.load.duration_s = Some(0.1);
        plan.load.grace_s = Some(0.05);
        let (outcome, records) = run_with(&plan, Arc::new(Fixed));
        assert_eq!(records.len(), server.requests().len());
        let cancelled: Vec<_> = records.iter().filter(|record| record.outcome == Outcome::Cancelled).collect();
        let ok = records.iter().filter(|record| record.outcome == Outcome::Ok).count();
        assert!((1..=4).contains(&cancelled.len()), "{}", cancelled.len());
        assert_eq!(ok + cancelled.len(), records.len());
        assert!(cancelled.iter().all(|record| record.text == "a" && record.status == 200));
        assert!(cancelled.iter().all(|record| record.times.end >= outcome.span.start_ns + 150_000_000));
        assert!(!outcome.was_interrupted);
    }
}

#[test]
fn a_phase_that_ran_out_of_time_leaves_the_next_one_whole() {
    let server = Server::start(|peer| {
        while let Some(seen) = peer.request() {
            if seen.connection == 0 {
                peer.wait_for_close();
                return;
            }
            peer.write(streamed(&["a"]));
        }
    });
    let plan = plan(&server.url(), 2);
    let records = ends(move || {
        let run = Run::start(&plan).unwrap();
        let mut warmup = plan.load.clone();
        (warmup.duration_s, warmup.grace_s) = (Some(0.05), Some(0.05));
        assert!(!run.engine.run_phase(Phase::Warmup, &warmup).unwrap().was_interrupted);
        assert!(!run.engine.stop_handle().is_stopped());
        assert!(!run.profile().unwrap().was_interrupted);
        run.finish()
    });
    let (warmup, profile): (Vec<_>, Vec<_>) = records.into_iter().partition(|record| record.phase == Phase::Warmup);
    assert_eq!(warmup.len(), 1);
    assert_eq!(warmup[0].outcome, Outcome::Cancelled);
    assert_all_ok(&profile, 2);
}

#[test]
fn a_warm_up_is_a_phase_of_its_own() {
    let server = Server::start(|peer| {
        while let Some(seen) = peer.request() {
            if seen.index < 2 {
                peer.write("HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\n\r\n");
            } else {
                peer.write(streamed(&["a"]));
            }
        }
    });
    let plan = plan(&server.url(), 3);
    let records = ends(move || {
        let run = Run::start(&plan).unwrap();
        let mut warmup = plan.load.clone();
        warmup.request_count = Some(2);
        run.engine.run_phase(Phase::Warmup, &warmup).unwrap();
        run.profile().unwrap();
        run.finish()
    });
    let (warmup, profile): (Vec<_>, Vec<_>) = records.into_iter().partition(|record| record.phase == Phase::Warmup);
    assert_eq!(warmup.iter().map(|record| record.seq).collect::<Vec<_>>(), [0, 1]);
    assert!(warmup.iter().all(|record| failure(record).message == "Internal Server Error"));
    assert_all_ok(&profile, 3);
    assert!(profile.iter().all(|record| record.connection_reused));
    let seen = server.requests();
    let mut ids: Vec<_> = seen.iter().map(|seen| seen.header("x-request-id")[0]).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), 5);
}

#[test]
fn a_slow_supply_delays_requests_and_loses_none() {
    struct Slow;
    impl Supply for Slow {
        fn open(&self, _phase: Phase, seq: u64) -> Opening {
            pause(10);
            Prepared { body: Bytes::from_static(BODY.as_bytes()), dataset_row: seq + 100, ..Prepared::default() }.into()
        }
    }
    let server = Server::answering(streamed(&["a"]));
    for workers in [1, 2] {
        let (_, records) = run_with(&rate(plan(&server.url(), 20), 1_000.0, Some(2), workers), Arc::new(Slow));
        assert_all_ok(&records, 20);
        assert!(records.iter().all(|record| record.dataset_row == record.seq + 100));
        let last = &records[19].times;
        // The phase starts with seven at most; number 19 is due after 20 ms and is there after 130 ms.
        assert!(last.send_start.unwrap() - last.scheduled >= 40_000_000);
    }
    let (_, records) = run_with(&slots(plan(&server.url(), 20), 5, 2), Arc::new(Slow));
    assert_all_ok(&records, 20);
    // Ten at most are there when the phase starts; the others come later, one at a time.
    assert!(records[19].times.send_start.unwrap() - records[19].times.scheduled >= 5_000_000);
    assert_eq!(server.requests().len(), 60);
}

#[test]
fn a_phase_starts_when_what_it_uses_at_once_has_been_made() {
    /// Notes when each request had been made.
    struct Noting(Mutex<Vec<u64>>);
    impl Supply for Noting {
        fn open(&self, _phase: Phase, seq: u64) -> Opening {
            pause(3);
            let mut made = self.0.lock().unwrap();
            assert_eq!(made.len() as u64, seq);
            made.push(now_ns());
            Prepared { body: Bytes::from_static(BODY.as_bytes()), ..Prepared::default() }.into()
        }
    }
    let server = Server::answering(streamed(&["a"]));
    let url = server.url();
    let loads = [
        (slots(plan(&url, 12), 4, 1), 4),
        (slots(plan(&url, 12), 5, 2), 5),
        (slots(plan(&url, 3), 10, 3), 3),
        (rate(plan(&url, 12), 1_000.0, None, 2), 12),
        (rate(plan(&url, 12), 1_000.0, Some(2), 1), 2),
        (rate(plan(&url, 12), 40.0, None, 1), 12),
    ];
    for (load, window) in loads {
        let supply = Arc::new(Noting(Mutex::default()));
        let (outcome, records) = run_with(&load, Arc::clone(&supply) as Arc<dyn Supply>);
        assert_all_ok(&records, records.len());
        let made = supply.0.lock().unwrap();
        assert!(made[..window].iter().all(|&at| at <= outcome.span.start_ns), "{window} of {}", made.len());
    }
}

#[test]
fn a_supply_that_panics_ends_the_run_with_an_error() {
    struct Broken;
    impl Supply for Broken {
        fn open(&self, _phase: Phase, seq: u64) -> Opening {
            assert!(seq < 5, "on purpose");
            Prepared { body: Bytes::from_static(BODY.as_bytes()), ..Prepared::default() }.into()
        }
    }
    let server = Server::answering(streamed(&["a"]));
    for load in [slots(plan(&server.url(), 100), 3, 2), rate(plan(&server.url(), 100), 1_000.0, None, 2)] {
        let (error, records) = ends(move || {
            let run = Run::with(&load, Arc::new(Broken)).unwrap();
            (run.profile().unwrap_err(), run.finish())
        });
        assert!(matches!(error, ClientError::SupplyGone), "{error}");
        assert_all_ok(&records, 5);
    }
}

#[test]
fn requests_take_the_urls_in_turn() {
    for workers in [1, 2, 3] {
        let servers: Vec<Server> = ["a", "b", "c"].map(|word| Server::answering(streamed(&[word]))).into();
        let mut plan = slots(lazy_plan("", 20), 4, workers);
        plan.target.urls = servers.iter().map(Server::url).collect();
        let records = run(&plan);
        assert_all_ok(&records, 20);
        for record in &records {
            assert_eq!(u64::from(record.url_index), record.seq % 3);
            assert_eq!(record.text, ["a", "b", "c"][usize::from(record.url_index)]);
        }
        assert_eq!(servers.iter().map(|server| server.requests().len()).collect::<Vec<_>>(), [7, 7, 6]);
    }
}

#[test]
fn connections_are_opened_ahead_to_all_urls() {
    let servers: Vec<Server> = (0..2).map(|_| Server::answering(streamed(&["a"]))).collect();
    let mut plan = slots(plan("", 1), 6, 2);
    plan.load.request_count = None;
    plan.target.urls = servers.iter().map(Server::url).collect();
    let run = Run::start(&plan).unwrap();
    while servers.iter().map(Server::connections).sum::<usize>() < 6 {
        pause(1);
    }
    assert_eq!(servers.iter().map(Server::connections).collect::<Vec<_>>(), [3, 3]);
    assert!(run.finish().is_empty());
}
