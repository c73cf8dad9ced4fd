//! Conversations that begin at fixed instants.

use std::sync::Arc;

use tokamark_client::{ClientError, Opening, Step, When};
use tokamark_clock::MILLISECOND;
use tokamark_plan::Plan;

use crate::support::answers::*;
use crate::support::plans::plan;
use crate::support::running::*;
use crate::support::server::{Server, pause};
use crate::support::talks::*;

/// A plan that sends whatever the schedule has.
fn replay(url: &str, cap: Option<u32>, workers: u16) -> Plan {
    let mut plan = plan(url, 1);
    plan.load.request_count = None;
    plan.load.concurrency = cap;
    plan.load.workers = Some(workers);
    plan
}

fn offsets(ms: &[u64]) -> Vec<u64> {
    ms.iter().map(|ms| ms * MILLISECOND).collect()
}

#[test]
fn each_conversation_begins_at_its_instant() {
    for workers in [1, 2, 3] {
        let server = echo();
        let at = offsets(&[0, 3, 3, 3, 20, 21, 40]);
        let supply = Timed(at.clone(), |number| talk(number, 2, When::AtOnce));
        let (outcome, records) = run_with(&replay(&server.url(), None, workers), Arc::new(supply));
        assert_all_ok(&records, 14);
        let sessions = by_session(&records);
        assert_eq!(sessions.len(), 7);
        for (session, at) in sessions.iter().zip(at) {
            assert_eq!(session.iter().map(|record| record.turn).collect::<Vec<_>>(), [0, 1]);
            assert_eq!(session[0].times.scheduled, outcome.span.start_ns + at);
            assert!(session[0].times.send_start.unwrap() >= session[0].times.scheduled);
            // What follows needs no instant of the schedule.
            assert_eq!(session[1].times.scheduled, session[0].times.end);
        }
    }
}

#[test]
fn a_turn_with_an_instant_of_its_own_waits_for_it_or_for_the_answer_before() {
    let server = Server::start(|peer| {
        while let Some(seen) = peer.request() {
            pause(if seen.body.starts_with("1.0") { 60 } else { 0 });
            peer.write(streamed(&["a"]));
        }
    });
    let at = When::At { offset_ns: 40 * MILLISECOND };
    let supply = Timed(offsets(&[0, 1]), move |number| talk(number, 2, at));
    let (outcome, records) = run_with(&replay(&server.url(), None, 1), Arc::new(supply));
    assert_all_ok(&records, 4);
    let sessions = by_session(&records);
    assert_eq!(sessions[0][1].times.scheduled, outcome.span.start_ns + 40 * MILLISECOND);
    assert_eq!(sessions[1][1].times.scheduled, sessions[1][0].times.end);
}

#[test]
fn a_cap_holds_conversations_back_and_loses_none() {
    for workers in [1, 2] {
        let server = Server::start(|peer| {
            while peer.request().is_some() {
                pause(5);
                peer.write(streamed(&["a"]));
            }
        });
        let at = offsets(&[0, 1, 2, 3, 4, 5]);
        let supply = Timed(at.clone(), |number| talk(number, 2, When::AtOnce));
        let (outcome, records) = run_with(&replay(&server.url(), Some(1), workers), Arc::new(supply));
        assert_all_ok(&records, 12);
        assert_eq!(most_at_once(&records), 1);
        let told: Vec<_> = records.iter().map(|record| (record.session, record.turn)).collect();
        assert_eq!(told, (0..6).flat_map(|number| [(number, 0), (number, 1)]).collect::<Vec<_>>());
        for (session, at) in by_session(&records).iter().zip(at) {
            assert_eq!(session[0].times.scheduled, outcome.span.start_ns + at);
        }
    }
}

#[test]
fn the_stop_rules_cut_a_schedule() {
    let server = echo();
    let numbers = |change: &dyn Fn(&mut Plan)| {
        let mut plan = replay(&server.url(), None, 2);
        change(&mut plan);
        let supply = Timed(offsets(&[0, 1, 2, 3, 500_000]), |number| talk(number, 3, When::AtOnce));
        let (_, records) = run_with(&plan, Arc::new(supply));
        assert_all_ok(&records, records.len());
        (records.len(), records.iter().map(|record| record.session).max())
    };
    assert_eq!(numbers(&|plan| plan.load.session_count = Some(3)), (9, Some(2)));
    assert_eq!(numbers(&|plan| plan.load.duration_s = Some(0.1)), (12, Some(3)));
    assert_eq!(numbers(&|plan| plan.load.request_count = Some(5)).0, 5);
}

#[test]
fn an_empty_schedule_sends_nothing() {
    let server = echo();
    let supply = Timed(Vec::new(), |number| talk(number, 1, When::AtOnce));
    assert!(run_with(&replay(&server.url(), None, 2), Arc::new(supply)).1.is_empty());
    assert!(server.requests().is_empty());
}

#[test]
fn a_conversation_that_panics_ends_a_schedule() {
    let server = echo();
    let plan = replay(&server.url(), None, 2);
    let error = ends(move || {
        let opens = |_| Opening { rest: rest(|_| -> Step { panic!("on purpose") }), ..request("a", 0).into() };
        let run = Run::with(&plan, Arc::new(Timed(offsets(&[0, 3_600_000]), opens))).unwrap();
        let error = run.profile().unwrap_err();
        run.finish();
        error
    });
    assert!(matches!(error, ClientError::SupplyGone), "{error}");
}
