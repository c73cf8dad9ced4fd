//! Which warnings a run gives, and which it does not.
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests")]

mod made;

use made::{Made, answer, facts, ns, plan};
use tokamark_metrics::{Accumulator, Summary, Warning};
use tokamark_plan::Plan;
use tokamark_record::{FailureKind, Outcome, Phase, RequestRecord, RunFacts, StopReason};
use tokamark_wire::{EventFlags, Usage};

fn summary_of(plan: &Plan, facts: &RunFacts, records: &[RequestRecord]) -> Summary {
    let mut accumulator = Accumulator::new(plan, None).unwrap();
    records.iter().for_each(|record| {
        accumulator.add(record);
    });
    accumulator.finish(facts).unwrap()
}

fn steady(count: u64) -> Vec<RequestRecord> {
    (0..count).map(|i| answer(i, i as f64 * 200.0, i as f64 * 200.0 + 100.0, 20.0, 4)).collect()
}

fn codes(summary: &Summary) -> Vec<&'static str> {
    summary.warnings.iter().map(Warning::code).collect()
}

#[track_caller]
fn one<'a>(summary: &'a Summary, code: &str) -> &'a Warning {
    let found = summary.warnings.iter().find(|warning| warning.code() == code);
    found.unwrap_or_else(|| panic!("no {code} among {:?}", codes(summary)))
}

fn warnings_with(change: impl FnOnce(&mut Plan, &mut RunFacts, &mut Vec<RequestRecord>)) -> Summary {
    let mut plan = plan();
    let mut facts = facts(&plan);
    let mut records = steady(120);
    change(&mut plan, &mut facts, &mut records);
    facts.plan = plan.clone();
    summary_of(&plan, &facts, &records)
}

#[test]
fn a_sound_run_has_none() {
    assert_eq!(codes(&warnings_with(|_, _, _| {})), Vec::<&str>::new());
}

#[test]
fn a_run_that_ended_early_says_why() {
    for (stop, expected) in [
        (StopReason::Interrupted, "the run was interrupted; the figures rest on the 120 requests answered until then"),
        (
            StopReason::Aborted,
            "the run was aborted by an error; the figures rest on the 120 requests answered until then",
        ),
        (
            StopReason::Unfinished,
            "the record breaks off: the run was killed, or its file is damaged; the figures rest on the 120 requests \
             answered until then",
        ),
    ] {
        let summary = warnings_with(|_, facts, _| facts.stop = stop);
        assert_eq!(codes(&summary), ["interrupted"]);
        assert_eq!(one(&summary, "interrupted").message(), expected);
        assert!(summary.was_cancelled);
    }
}

#[test]
fn what_a_killed_run_did_not_live_to_say_is_unknown() {
    let summary = warnings_with(|_, facts, _| facts.stop = StopReason::Unfinished);
    assert_eq!(summary.health.peak_in_flight, None);
    assert_eq!(warnings_with(|_, _, _| {}).health.peak_in_flight, Some(1));
}

#[test]
fn a_run_without_an_answer() {
    let summary = warnings_with(|_, _, records| records.clear());
    assert_eq!(codes(&summary), ["nothing_measured"]);
    assert_eq!(one(&summary, "nothing_measured").message(), "no request was sent, so there are no figures");
    let summary = warnings_with(|_, _, records| {
        records.truncate(4);
        records.iter_mut().for_each(|record| record.outcome = Outcome::Cancelled);
    });
    assert_eq!(
        one(&summary, "nothing_measured").message(),
        "none of the requests was answered in time and 4 were cancelled, so there are no figures"
    );
}

#[test]
fn few_samples() {
    let summary = warnings_with(|_, _, records| records.truncate(10));
    assert_eq!(codes(&summary), ["few_samples"]);
    assert_eq!(one(&summary, "few_samples").message(), "p99 figures rest on only 10 samples");
    let summary = warnings_with(|_, _, records| records.truncate(9));
    assert_eq!(one(&summary, "few_samples").message(), "p90, p95 and p99 rest on only 9 samples");
}

#[test]
fn a_cold_start() {
    let cold = |slow: u64, warmup: u64| {
        warnings_with(|plan, _, records| {
            plan.load.warmup_requests = warmup;
            *records = (0..25)
                .map(|i| {
                    let sent = i as f64 * 3000.0;
                    answer(i, sent, sent + if i < slow { 2000.0 } else { 100.0 }, 20.0, 2)
                })
                .collect();
        })
    };
    let summary = cold(5, 0);
    let warning = one(&summary, "cold_start");
    assert_eq!(
        warning.message(),
        "a cold start: the first 5 requests took 2,000.0 ms (20.0 times the median of 100.0 ms) and are in all figures"
    );
    assert_eq!(warning.hint(), "add a warm-up: --warmup-request-count 10");
    assert_eq!(one(&cold(1, 2), "cold_start").hint(), "raise --warmup-request-count from 2 to 4");
    assert!(!codes(&cold(0, 0)).contains(&"cold_start"));
}

#[test]
fn slow_requests_here_and_there_are_no_cold_start() {
    let summary = warnings_with(|_, _, records| {
        for i in (0..120).step_by(6) {
            records[i] = answer(i as u64, i as f64 * 200.0, i as f64 * 200.0 + 900.0, 20.0, 2);
        }
    });
    assert!(!codes(&summary).contains(&"cold_start"));
}

#[test]
fn cached_prompts() {
    let cached = |distinct: bool| {
        warnings_with(|_, facts, records| {
            facts.prompts_are_distinct = distinct;
            records.truncate(10);
            for record in records.iter_mut() {
                let cache_read = Some(if record.seq == 0 { 0 } else { 900 });
                record.usage = Some(Usage { prompt: Some(1000), completion: Some(4), cache_read, ..Usage::default() });
            }
        })
    };
    assert_eq!(
        one(&cached(true), "cached_prompts").message(),
        "the server took 81.0 % of the prompt tokens (8,100 of 10,000) from a cache, though the prompts are distinct"
    );
    assert!(!codes(&cached(false)).contains(&"cached_prompts"));
}

#[test]
fn repeated_prompts_say_what_came_from_the_cache() {
    let summary = warnings_with(|_, facts, records| {
        facts.prompts_are_distinct = false;
        records.truncate(10);
        for record in records.iter_mut() {
            record.dataset_row %= 5;
            let cache_read = Some(if record.seq < 5 { 0 } else { 1000 });
            record.usage = Some(Usage { prompt: Some(1000), completion: Some(4), cache_read, ..Usage::default() });
        }
    });
    assert_eq!(
        one(&summary, "repeated_prompts").message(),
        "5 of 10 requests repeated a prompt that had been sent before, which a prefix cache makes faster; the server \
         took 50.0 % of the prompt tokens from its cache"
    );
}

#[test]
fn shorter_and_longer_answers() {
    let summary = warnings_with(|_, _, records| {
        for record in records.iter_mut() {
            record.requested_output_tokens = Some(if record.seq < 30 { 8 } else { 4 });
        }
    });
    assert_eq!(
        one(&summary, "shorter_answers").message(),
        "30 of 120 answers are shorter than requested: 4.0 output tokens came on average, 5.0 were asked for"
    );
    let summary = warnings_with(|_, _, records| records[3].requested_output_tokens = Some(2));
    assert_eq!(codes(&summary), ["longer_answers"]);
}

#[test]
fn failures_and_failed_warm_up() {
    let summary = warnings_with(|_, _, records| {
        let refuse = |seq| {
            Made::sent(seq, 0.0).failed(
                1.0,
                FailureKind::HttpStatus,
                Some("500"),
                Some("Internal Server Error"),
                "boom",
            )
        };
        records.push(refuse(120).done());
        records.push(refuse(0).with(|record| record.phase = Phase::Warmup).done());
    });
    assert_eq!(codes(&summary), ["failed_requests", "failed_warmup"]);
    assert_eq!(
        one(&summary, "failed_warmup").message(),
        "1 of 1 warm-up request failed, so the server may not have been warm; most often: 500 Internal Server Error: boom"
    );
}

#[test]
fn counts_that_differ_or_are_missing() {
    let summary = warnings_with(|_, _, records| records[5].local_output_tokens = Some(9));
    assert_eq!(codes(&summary), ["count_mismatch"]);
    let summary = warnings_with(|plan, _, records| {
        plan.target.use_server_token_count = true;
        records[5].usage = None;
    });
    assert_eq!(codes(&summary), ["missing_usage"]);
    // A chat template adds a few tokens to a short prompt; that is no mismatch.
    let summary = warnings_with(|_, _, records| records.iter_mut().for_each(|r| r.local_input_tokens = Some(5)));
    assert_eq!(codes(&summary), Vec::<&str>::new());
    let summary = warnings_with(|_, facts, records| {
        facts.tokenizer_is_fallback = true;
        for record in records.iter_mut() {
            record.usage = None;
            record.local_output_tokens = Some(4);
        }
    });
    assert_eq!(codes(&summary), ["fallback_tokenizer"]);
}

#[test]
fn a_late_client() {
    let summary =
        warnings_with(|_, _, records| records.iter_mut().for_each(|r| r.times.scheduled -= r.seq.min(1) * 5_000_000));
    assert_eq!(
        one(&summary, "send_lateness").message(),
        "the client sent requests late: p99 of the lateness is 5.00 ms, more than 1.00 ms"
    );
    // Waiting for a slot is the plan's will where it sets both a rate and a limit in flight.
    let summary = warnings_with(|plan, _, records| {
        plan.load.request_rate = Some(5.0);
        for record in records.iter_mut().skip(1) {
            record.times.scheduled -= 5_000_000;
        }
    });
    assert!(!codes(&summary).contains(&"send_lateness"));
}

#[test]
fn a_rate_that_was_not_achieved() {
    let summary = warnings_with(|plan, _, records| {
        plan.load.request_rate = Some(10.0);
        plan.load.concurrency = Some(1);
        records.iter_mut().for_each(|record| record.times.scheduled = ns(record.seq as f64 * 100.0));
    });
    let warning = one(&summary, "rate_not_achieved");
    assert_eq!(warning.message(), "5.00 requests/s were sent where the schedule had 10.00");
    assert!(warning.hint().contains("--concurrency"));
}

#[test]
fn limits_of_the_client() {
    let summary = warnings_with(|_, facts, _| {
        facts.client.cpu_user_s = 4.8;
        facts.client.open_files = 1000;
        facts.connections = 28_000;
        facts.anchor_end.wall_ns += ns(3_600_000.0);
    });
    assert_eq!(codes(&summary), ["client_cpu", "open_files", "ephemeral_ports", "wall_clock_step"]);
    assert!(one(&summary, "client_cpu").hint().contains("--max-threads"));
    assert!(one(&summary, "wall_clock_step").message().contains("3,600.000 s forward"));
}

#[test]
fn what_the_plan_asked_for_and_did_not_get() {
    let summary = warnings_with(|plan, facts, records| {
        plan.load.concurrency = Some(50);
        facts.peak_in_flight = 40;
        facts.skipped_lines = 2;
        for record in records.iter_mut() {
            record.dataset_row %= 30;
            record.attempt = u8::from(record.seq == 3);
        }
    });
    assert_eq!(codes(&summary), ["repeated_prompts", "skipped_lines", "concurrency_not_reached", "retried_requests"]);
    assert!(one(&summary, "repeated_prompts").message().starts_with("90 of 120 requests repeated a prompt"));
    assert_eq!(one(&summary, "skipped_lines").message(), "skipped 2 lines of the dataset that had no usable prompt");
}

#[test]
fn what_the_stream_was_like() {
    let summary = warnings_with(|_, _, records| {
        for record in records.iter_mut() {
            record.usage = Some(Usage { prompt: Some(10), completion: Some(16), ..Usage::default() });
            record.events.iter_mut().for_each(|event| event.read_number = 0);
            record.events[0].flags |= EventFlags::UNKNOWN;
        }
    });
    assert_eq!(codes(&summary), ["unknown_events", "bundled_tokens", "coalesced_events"]);
    let summary = warnings_with(|_, facts, records| {
        facts.unstamped_reads = 50;
        records.iter_mut().for_each(|r| r.events.iter_mut().for_each(|event| event.read += 5_000_000));
    });
    assert_eq!(codes(&summary), ["read_lag"]);
}
