//! Conversations: the order of turns, think times, stop rules, children, connections of their own.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use tokamark_client::{Branch, ClientError, Opening, Step, When};
use tokamark_clock::{MILLISECOND, SECOND};
use tokamark_plan::{Plan, Reuse};
use tokamark_record::{Outcome, RequestRecord};

use crate::support::answers::*;
use crate::support::plans::{lazy_plan, plan, rate, slots};
use crate::support::running::*;
use crate::support::server::{Server, pause};
use crate::support::talks::*;

/// A plan that ends after so many conversations.
fn sessions(mut plan: Plan, count: u64) -> Plan {
    plan.load.request_count = None;
    plan.load.session_count = Some(count);
    plan
}

const THINK: When = When::After { delay_ns: 15 * MILLISECOND };

#[test]
fn turns_follow_one_another_and_build_on_what_the_server_said() {
    for workers in [1, 2, 3] {
        let server = echo();
        let plan = sessions(slots(plan(&server.url(), 1), 3, workers), 5);
        let (outcome, records) = run_with(&plan, Arc::new(Opens(|number| talk(number, 3, When::AtOnce))));
        assert_all_ok(&records, 15);
        assert!(outcome.peak_in_flight <= 3);
        for (number, session) in by_session(&records).into_iter().enumerate() {
            assert_eq!(session.iter().map(|record| record.turn).collect::<Vec<_>>(), [0, 1, 2]);
            let texts: Vec<&str> = session.iter().map(|record| record.text.as_str()).collect();
            let first = format!("re: {number}.0");
            let second = format!("re: {number}.1 {first}");
            assert_eq!(texts, [first.clone(), second.clone(), format!("re: {number}.2 {second}")]);
            for pair in session.windows(2) {
                assert_eq!(pair[1].times.scheduled, pair[0].times.end);
                assert!(pair[1].times.send_start.unwrap() >= pair[1].times.slot);
                assert_eq!(pair[0].worker, pair[1].worker);
            }
        }
    }
}

#[test]
fn a_slot_is_held_while_its_user_thinks() {
    for (slots_, workers) in [(1, 1), (2, 1), (3, 2), (4, 3)] {
        let server = echo();
        let plan = sessions(slots(plan(&server.url(), 1), slots_, workers), 9);
        let (_, records) = run_with(&plan, Arc::new(Opens(|number| talk(number, 3, THINK))));
        assert_all_ok(&records, 27);
        assert_eq!(most_at_once(&records), i32::try_from(slots_).unwrap());
        for session in by_session(&records) {
            for pair in session.windows(2) {
                assert_eq!(pair[1].times.scheduled, pair[0].times.end + 15 * MILLISECOND);
                assert!(pair[1].times.slot >= pair[1].times.scheduled);
            }
        }
    }
}

#[test]
fn a_number_of_requests_is_exact_in_the_middle_of_conversations() {
    for workers in [1, 2, 3] {
        let server = echo();
        for plan in [
            slots(plan(&server.url(), 17), 3, workers),
            rate(plan(&server.url(), 17), 2_000.0, None, workers),
            rate(plan(&server.url(), 17), 2_000.0, Some(2), workers),
        ] {
            let before = server.requests().len();
            let (_, records) = run_with(&plan, Arc::new(Opens(|number| talk(number, 1_000, When::AtOnce))));
            assert_all_ok(&records, 17);
            assert_eq!(server.requests().len(), before + 17);
        }
    }
}

#[test]
fn a_number_of_conversations_lets_those_that_began_end() {
    for workers in [1, 2, 3] {
        let server = echo();
        for load in [
            slots(plan(&server.url(), 1), 3, workers),
            rate(plan(&server.url(), 1), 1_000.0, None, workers),
            rate(plan(&server.url(), 1), 1_000.0, Some(2), workers),
        ] {
            let plan = sessions(load, 4);
            let (_, records) = run_with(&plan, Arc::new(Opens(|number| talk(number, 3, When::AtOnce))));
            assert_all_ok(&records, 12);
            assert!(by_session(&records).iter().all(|session| session.len() == 3));
            assert_eq!(records.iter().map(|record| record.session).max(), Some(3));
        }
    }
}

#[test]
fn after_the_duration_no_turn_is_sent() {
    for load in [slots(plan("", 1), 2, 1), rate(plan("", 1), 100.0, Some(2), 2)] {
        let server = echo();
        let mut plan = load;
        plan.target.urls = vec![server.url()];
        plan.load.request_count = None;
        plan.load.duration_s = Some(0.2);
        let (outcome, records) = run_with(&plan, Arc::new(Opens(|number| talk(number, 1_000, THINK))));
        let count = records.len();
        assert_all_ok(&records, count);
        assert_eq!(server.requests().len(), count);
        let over = outcome.span.start_ns + 200 * MILLISECOND;
        assert!(records.iter().all(|record| record.times.scheduled < over));
        // Nobody takes the place of those who think beyond the end.
        assert!(records.iter().all(|record| record.session < 2));
    }
}

#[test]
fn a_conversation_learns_that_a_turn_failed_and_decides() {
    let server = Server::start(|peer| {
        while let Some(seen) = peer.request() {
            if seen.body.contains("fail") {
                peer.write(sized("503 Busy", "text/plain", "busy"));
            } else {
                peer.write(streamed(&["fine"]));
            }
        }
    });
    let opens = |number| {
        let mut turn = 0;
        let next = rest(move |reply| {
            turn += 1;
            match (turn, reply.is_ok, number) {
                (1, true, _) => send("fail", 1, When::AtOnce),
                (2, false, 0) => send("again", 2, When::AtOnce),
                (2, false, _) | (3, true, 0) => Step::End,
                _ => panic!("turn {turn} of {number} was told {reply:?}"),
            }
        });
        Opening { rest: next, ..request("first", 0).into() }
    };
    let (_, records) = run_with(&sessions(plan(&server.url(), 1), 2), Arc::new(Opens(opens)));
    let told: Vec<_> = records.iter().map(|record| (record.session, record.turn, record.status)).collect();
    assert_eq!(told, [(0, 0, 200), (0, 1, 503), (0, 2, 200), (1, 0, 200), (1, 1, 503)]);
    assert!(records.iter().enumerate().all(|(at, record)| record.seq == at as u64));
}

#[test]
fn children_begin_beside_their_parent_and_are_waited_for_where_they_join() {
    // The child that does not join is answered only when the parent has gone on.
    let arrived = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&arrived);
    let server = Server::start(move |peer| {
        while let Some(request) = peer.request() {
            seen.lock().unwrap().push(request.body.clone());
            while request.body == "loose" && !seen.lock().unwrap().iter().any(|body| body == "after") {
                pause(1);
            }
            if request.body.starts_with("joined") {
                pause(20);
            }
            peer.write(streamed(&[&request.body]));
        }
    });
    let child = |body: &'static str, joins| Branch { opening: request(body, 10).into(), joins };
    let opens = move |_| {
        let mut step = 0;
        let next = rest(move |reply| {
            step += 1;
            match step {
                1 => {
                    let mut asked = false;
                    let goes_on = rest(move |_| {
                        if std::mem::replace(&mut asked, true) { Step::End } else { send("joined 2", 12, When::AtOnce) }
                    });
                    let long = Opening { rest: goes_on, ..request("joined 1", 11).into() };
                    Step::Branch(vec![child("loose", false), Branch { opening: long, joins: true }])
                }
                2 => Step::Join,
                3 => {
                    assert_eq!(reply.text, "first");
                    send("after", 1, When::AtOnce)
                }
                _ => Step::End,
            }
        });
        Opening { rest: next, before: vec![child("before", false)], ..request("first", 0).into() }
    };
    for load in [slots(plan(&server.url(), 1), 1, 1), rate(plan(&server.url(), 1), 500.0, Some(1), 2)] {
        arrived.lock().unwrap().clear();
        let (_, records) = run_with(&sessions(load, 1), Arc::new(Opens(opens)));
        assert_all_ok(&records, 6);
        assert!(records.iter().all(|record| record.session == 0));
        let of = |text: &str| records.iter().find(|record| record.text == text).unwrap();
        assert_eq!((of("first").turn, of("after").turn, of("joined 2").turn), (0, 1, 12));
        assert!(of("joined 2").times.scheduled >= of("joined 1").times.end);
        assert!(of("after").times.scheduled >= of("joined 2").times.end);
        assert!(of("loose").times.end >= of("after").times.send_start.unwrap());
        assert!(of("loose").times.scheduled >= of("first").times.end);
    }
}

#[test]
fn a_conversation_keeps_a_connection_of_its_own() {
    for workers in [1, 2] {
        let server = echo();
        let mut plan = sessions(slots(lazy_plan(&server.url(), 1), 2, workers), 6);
        plan.target.reuse = Reuse::StickyUserSessions;
        let (outcome, records) = run_with(&plan, Arc::new(Opens(|number| talk(number, 3, THINK))));
        assert_all_ok(&records, 18);
        assert_eq!((server.connections(), outcome.connections), (6, 6));
        let seen = server.requests();
        for connection in 0..6 {
            let mut bodies: Vec<_> = seen.iter().filter(|seen| seen.connection == connection).collect();
            assert_eq!(bodies.len(), 3);
            let number = bodies[0].body.split('.').next().unwrap().to_owned();
            assert!(bodies.drain(..).all(|seen| seen.body.starts_with(&format!("{number}."))));
        }
        assert!(records.iter().all(|record| record.connection_reused == (record.turn > 0)));
        while server.closed_by_client() < 6 {
            pause(1);
        }
    }
}

#[test]
fn pooled_connections_serve_whoever_comes() {
    let server = echo();
    let plan = sessions(slots(plan(&server.url(), 1), 2, 1), 6);
    let (outcome, records) = run_with(&plan, Arc::new(Opens(|number| talk(number, 3, THINK))));
    assert_all_ok(&records, 18);
    assert_eq!((server.connections(), outcome.connections), (2, 2));
}

#[test]
fn a_conversation_stays_with_its_url() {
    for workers in [1, 3] {
        let servers: Vec<Server> = (0..3).map(|_| echo()).collect();
        let mut plan = sessions(slots(lazy_plan("", 1), 4, workers), 7);
        plan.target.urls = servers.iter().map(Server::url).collect();
        let (_, records) = run_with(&plan, Arc::new(Opens(|number| talk(number, 3, When::AtOnce))));
        assert_all_ok(&records, 21);
        assert!(records.iter().all(|record| u64::from(record.url_index) == record.session % 3));
        assert_eq!(servers.iter().map(|server| server.requests().len()).collect::<Vec<_>>(), [9, 6, 6]);
    }
}

#[test]
fn a_rate_is_that_of_turns_and_those_who_wait_go_first() {
    let server = echo();
    // Far more time between arrivals than an answer takes.
    let plan = sessions(rate(plan(&server.url(), 1), 10.0, None, 2), 2);
    let (outcome, records) = run_with(&plan, Arc::new(Opens(|number| talk(number, 2, When::AtOnce))));
    assert_all_ok(&records, 4);
    let told: Vec<_> = records.iter().map(|record| (record.session, record.turn)).collect();
    assert_eq!(told, [(0, 0), (0, 1), (1, 0), (1, 1)]);
    for record in &records {
        assert_eq!(record.times.scheduled, outcome.span.start_ns + (record.seq + 1) * SECOND / 10);
    }
}

#[test]
fn no_two_requests_share_an_arrival() {
    for workers in [1, 3] {
        let server = echo();
        let plan = rate(plan(&server.url(), 60), 1_000.0, None, workers);
        let (outcome, records) = run_with(&plan, Arc::new(Opens(|number| talk(number, 4, When::AtOnce))));
        assert_all_ok(&records, 60);
        let due = |record: &RequestRecord| record.times.scheduled - outcome.span.start_ns;
        let mut all: Vec<u64> = records.iter().map(due).collect();
        all.sort_unstable();
        // Where the client is late, an arrival may serve a turn that became ready after it; none serves two.
        assert!(all.iter().zip(1..).all(|(&due, number)| due >= number * MILLISECOND), "{all:?}");
        all.dedup();
        assert_eq!(all.len(), 60);
        assert!(records.iter().filter(|record| record.turn == 0).all(|record| due(record) % MILLISECOND == 0));
    }
}

#[test]
fn a_cap_counts_conversations_from_the_first_turn_to_the_last() {
    for workers in [1, 2] {
        let server = echo();
        let plan = sessions(rate(plan(&server.url(), 1), 1_000.0, Some(2), workers), 6);
        let (_, records) = run_with(&plan, Arc::new(Opens(|number| talk(number, 3, THINK))));
        assert_all_ok(&records, 18);
        assert_eq!(most_at_once(&records), 2);
    }
}

#[test]
fn a_stop_ends_think_times_at_once() {
    let server = Arc::new(echo());
    for load in [slots(plan(&server.url(), 1), 3, 2), rate(plan(&server.url(), 1), 1_000.0, Some(3), 1)] {
        let (mut plan, before) = (load, server.requests().len());
        plan.load.request_count = None;
        let seen = Arc::clone(&server);
        let records = ends(move || {
            let forever = When::After { delay_ns: 3_600 * SECOND };
            let run = Run::with(&plan, Arc::new(Opens(move |number| talk(number, 2, forever)))).unwrap();
            let stop = run.engine.stop_handle();
            std::thread::spawn(move || {
                while seen.requests().len() < before + 3 {
                    pause(1);
                }
                pause(20);
                stop.stop();
            });
            assert!(run.profile().unwrap().was_interrupted);
            run.finish()
        });
        assert_eq!(records.len(), 3);
        assert!(records.iter().all(|record| record.turn == 0));
        assert!(records.iter().all(|record| matches!(record.outcome, Outcome::Ok)));
    }
}

#[test]
fn a_conversation_that_panics_ends_the_run_with_an_error() {
    let server = echo();
    for load in [slots(plan(&server.url(), 1_000_000), 3, 2), rate(plan(&server.url(), 1_000_000), 500.0, None, 2)] {
        let (error, records) = ends(move || {
            let opens = |number| {
                let next = rest(move |_| if number < 4 { Step::End } else { panic!("on purpose") });
                Opening { rest: next, ..request("a", 0).into() }
            };
            let run = Run::with(&load, Arc::new(Opens(opens))).unwrap();
            (run.profile().unwrap_err(), run.finish())
        });
        assert!(matches!(error, ClientError::SupplyGone), "{error}");
        // Whatever was sent was sent whole.
        let count = records.len();
        assert!(count >= 5);
        assert_all_ok(&records, count);
    }
}

#[test]
fn nobody_waits_for_a_conversation_that_thinks_for_ever() {
    let server = Arc::new(echo());
    let asked = Arc::new(AtomicUsize::new(0));
    let (noted, seen) = (Arc::clone(&asked), Arc::clone(&asked));
    let plan = slots(plan(&server.url(), 100), 2, 1);
    let records = ends(move || {
        let opens = move |_| {
            let noted = Arc::clone(&noted);
            let next = rest(move |_| {
                noted.fetch_add(1, Ordering::SeqCst);
                loop {
                    std::thread::park();
                }
            });
            Opening { rest: next, ..request("a", 0).into() }
        };
        let run = Run::with(&plan, Arc::new(Opens(opens))).unwrap();
        let stop = run.engine.stop_handle();
        std::thread::spawn(move || {
            while seen.load(Ordering::SeqCst) == 0 {
                pause(1);
            }
            stop.stop();
        });
        assert!(run.profile().unwrap().was_interrupted);
        run.finish()
    });
    assert!((1..=2).contains(&records.len()));
}
