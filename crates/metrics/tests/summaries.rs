//! What runs come to: counts, statistics, rates, objectives, slices.
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests")]

mod made;

use made::{Made, answer, facts, ns, plan, worked_example};
use proptest::prelude::*;
use tokamark_metrics::{Accumulator, Counts, Metric, ObjectiveError, Summary, Value};
use tokamark_plan::{GoodputTarget, Plan};
use tokamark_record::{FailureKind, Outcome, Phase, RequestRecord, StopReason};
use tokamark_wire::EventFlags;

fn summary_of(plan: &Plan, records: &[RequestRecord]) -> Summary {
    let mut accumulator = Accumulator::new(plan, None).unwrap();
    records.iter().for_each(|record| {
        accumulator.add(record);
    });
    accumulator.finish(&facts(plan)).unwrap()
}

#[track_caller]
fn check(summary: &Summary, metric: Metric, expected: f64) {
    let got = summary.metrics.avg(metric).unwrap_or_else(|| panic!("{} is absent", metric.tag()));
    assert!((got - expected).abs() <= 1e-9 * expected.abs().max(1.0), "{} is {got}, not {expected}", metric.tag());
}

#[test]
fn percentiles_of_ten_known_latencies() {
    let records: Vec<_> = (0..10).map(|i| answer(i, i as f64 * 200.0, i as f64 * 210.0 + 10.0, 0.0, 1)).collect();
    let summary = summary_of(&plan(), &records);
    let ttft = summary.metrics.distribution(Metric::TimeToFirstToken).unwrap();
    assert_eq!(ttft.count, 10);
    for (name, expected) in [("avg", 55.0), ("p50", 55.0), ("p90", 91.0), ("p95", 95.5), ("p99", 99.1), ("sum", 550.0)]
    {
        let got = ttft.stat(name).unwrap();
        assert!((got - expected).abs() < 1e-9, "{name} is {got}");
    }
    assert!((ttft.std - 825.0_f64.sqrt()).abs() < 1e-9);
    // 0 to 1,900 ms: the last request is sent at 1,800 and answered after 100.
    check(&summary, Metric::BenchmarkDuration, 1.9);
    check(&summary, Metric::RequestThroughput, 10.0 / 1.9);
    check(&summary, Metric::OutputTokenThroughput, 10.0 / 1.9);
    check(&summary, Metric::InputTokenThroughput, 100.0 / 1.9);
    check(&summary, Metric::TotalTokenThroughput, 110.0 / 1.9);
    check(&summary, Metric::EffectiveConcurrency, 0.55 / 1.9);
}

#[test]
fn single_token_answers_take_no_part_in_gaps() {
    let mut records: Vec<_> = (0..9).map(|i| answer(i, i as f64 * 200.0, i as f64 * 200.0 + 100.0, 0.0, 1)).collect();
    records.push(answer(9, 1800.0, 1900.0, 50.0, 3));
    let summary = summary_of(&plan(), &records);
    let itl = summary.metrics.distribution(Metric::InterTokenLatency).unwrap();
    assert_eq!((itl.count, itl.avg, itl.percentile("p50")), (1, 50.0, Some(50.0)));
    assert_eq!(summary.metrics.distribution(Metric::InterChunkLatency).map(|d| d.count), Some(2));
    assert_eq!(summary.metrics.distribution(Metric::TimeToFirstToken).map(|d| (d.count, d.avg)), Some((10, 100.0)));
    check(&summary, Metric::TotalOsl, 12.0);
}

#[test]
fn failures_are_counted_and_grouped_but_not_measured() {
    let mut records = Vec::new();
    for i in 0..5 {
        let at = i as f64 * 300.0;
        records.push(answer(2 * i, at, at + 100.0, 50.0, 2));
        let refused = Made::sent(2 * i + 1, at + 200.0);
        let message = format!("rate limited, try again in {i} s");
        records.push(
            refused
                .failed(at + 205.0, FailureKind::HttpStatus, Some("429"), Some("Too Many Requests"), &message)
                .done(),
        );
    }
    let summary = summary_of(&plan(), &records);
    assert_eq!(summary.counts, Counts { attempted: 10, ok: 5, failed: 5, cancelled: 0 });
    assert_eq!(summary.errors.len(), 1);
    assert_eq!((summary.errors[0].count, summary.errors[0].code.as_deref()), (5, Some("429")));
    assert_eq!(summary.metrics.distribution(Metric::TimeToFirstToken).map(|d| (d.count, d.avg)), Some((5, 100.0)));
    assert_eq!(summary.metrics.distribution(Metric::RequestLatency).map(|d| (d.count, d.avg)), Some((5, 150.0)));
    check(&summary, Metric::RequestErrorRate, 50.0);
    check(&summary, Metric::CompletedRequestCount, 10.0);
    // The failure at the end is outside of the window.
    check(&summary, Metric::BenchmarkDuration, 1.35);
}

#[test]
fn nothing_but_failures_leaves_figures_absent() {
    let message = "This model's maximum context length is 4096 tokens";
    let records: Vec<_> = (0..20)
        .map(|i| Made::sent(i, 0.0).failed(5.0, FailureKind::HttpStatus, Some("400"), None, message).done())
        .collect();
    let summary = summary_of(&plan(), &records);
    assert_eq!(summary.counts, Counts { attempted: 20, ok: 0, failed: 20, cancelled: 0 });
    for metric in [
        Metric::TimeToFirstToken,
        Metric::RequestLatency,
        Metric::RequestThroughput,
        Metric::BenchmarkDuration,
        Metric::OutputTokenThroughput,
        Metric::TotalOsl,
        Metric::SteadyStateDuration,
    ] {
        assert_eq!(summary.metrics.get(metric), None, "{}", metric.tag());
    }
    assert_eq!((summary.errors.len(), summary.errors[0].count), (1, 20));
    assert!(summary.errors[0].message.contains("maximum context length is 4096 tokens"));
    check(&summary, Metric::ContextOverflowCount, 20.0);
}

#[test]
fn the_warm_up_is_apart() {
    let mut records: Vec<_> = (0..5)
        .map(|i| {
            let mut record = answer(i, 0.0, 2000.0, 0.0, 1);
            record.phase = Phase::Warmup;
            record
        })
        .collect();
    records.extend((0..20).map(|i| answer(i, 3000.0 + i as f64 * 200.0, 3100.0 + i as f64 * 200.0, 25.0, 2)));
    let summary = summary_of(&plan(), &records);
    let warmup = summary.warmup.as_ref().unwrap();
    assert_eq!((warmup.counts.ok, summary.counts.attempted), (5, 20));
    assert_eq!(warmup.metrics.avg(Metric::TimeToFirstToken), Some(2000.0));
    assert_eq!(summary.metrics.distribution(Metric::TimeToFirstToken).map(|d| (d.count, d.max)), Some((20, 100.0)));
    check(&summary, Metric::BenchmarkDuration, 3.925);
}

#[test]
fn objectives() {
    let mut plan = plan();
    plan.report.goodput = vec![
        GoodputTarget { tag: "time_to_first_token".into(), limit: 150.0 },
        GoodputTarget { tag: "inter_token_latency".into(), limit: 25.0 },
        GoodputTarget { tag: "output_token_throughput_per_user".into(), limit: 40.0 },
    ];
    let records = [
        answer(0, 0.0, 100.0, 20.0, 5),
        answer(1, 200.0, 400.0, 20.0, 5),
        answer(2, 500.0, 600.0, 30.0, 5),
        answer(3, 800.0, 900.0, 0.0, 1),
        Made::sent(4, 900.0).failed(950.0, FailureKind::Timeout, None, None, "too slow").done(),
    ];
    let summary = summary_of(&plan, &records);
    check(&summary, Metric::GoodRequestCount, 1.0);
    check(&summary, Metric::Goodput, 1.0 / 0.9);
    check(&summary, Metric::GoodRequestFraction, 0.2);
    assert_eq!(summary_of(&made::plan(), &records).metrics.get(Metric::Goodput), None);
}

#[test]
fn objectives_that_cannot_be_judged_are_refused() {
    let refused = |tag: &str, limit: f64, streaming: bool| {
        let mut plan = plan();
        plan.target.streaming = streaming;
        plan.report.goodput = vec![GoodputTarget { tag: tag.into(), limit }];
        Accumulator::new(&plan, None).err()
    };
    assert_eq!(refused("speed", 1.0, true), Some(ObjectiveError::Unknown("speed".into())));
    assert_eq!(refused("request_throughput", 1.0, true), Some(ObjectiveError::NotPerRequest("request_throughput")));
    assert_eq!(refused("ttft", 1.0, false), Some(ObjectiveError::NeedsStreaming("time_to_first_token")));
    assert_eq!(refused("request_latency", f64::NAN, true), Some(ObjectiveError::BadLimit("request_latency")));
    assert_eq!(refused("request-latency", 1.0, false), None);
}

#[test]
fn slices_go_by_the_time_of_sending() {
    let mut plan = plan();
    plan.report.slice_s = Some(1.0);
    let mut accumulator = Accumulator::new(&plan, None).unwrap();
    accumulator.begin_profiling(0);
    for record in
        [answer(0, 100.0, 200.0, 10.0, 2), answer(1, 900.0, 1200.0, 10.0, 2), answer(2, 2100.0, 2200.0, 300.0, 2)]
    {
        accumulator.add(&record);
    }
    let slices = accumulator.finish(&facts(&plan)).unwrap().slices;
    assert_eq!(slices.len(), 2);
    assert_eq!(slices[0].start_ns, made::WALL_START);
    assert_eq!((slices[0].end_ns - slices[0].start_ns, slices[0].is_complete), (1_000_000_000, true));
    assert_eq!(slices[0].metrics.avg(Metric::RequestThroughput), Some(2.0));
    assert_eq!(slices[0].metrics.avg(Metric::TimeToFirstToken), Some(200.0));
    assert_eq!(slices[1].start_ns - made::WALL_START, 2_000_000_000);
    assert_eq!((slices[1].end_ns - slices[1].start_ns, slices[1].is_complete), (500_000_000, false));
    assert_eq!(slices[1].metrics.avg(Metric::OutputTokenThroughput), Some(4.0));
}

#[test]
fn an_empty_run_has_a_summary() {
    let summary = summary_of(&plan(), &[]);
    assert_eq!(summary.counts, Counts::default());
    assert!(summary.metrics.distribution(Metric::RequestLatency).is_none());
    assert!(serde_json::to_string(&summary).is_ok());
}

#[test]
fn an_interrupted_run_says_so() {
    let plan = plan();
    let mut facts = facts(&plan);
    facts.stop = StopReason::Interrupted;
    let mut accumulator = Accumulator::new(&plan, None).unwrap();
    accumulator.add(&worked_example());
    accumulator.add(&Made::sent(1, 200.0).with(|record| record.outcome = Outcome::Cancelled).done());
    let summary = accumulator.finish(&facts).unwrap();
    assert!(summary.was_cancelled);
    assert_eq!(summary.counts, Counts { attempted: 2, ok: 1, failed: 0, cancelled: 1 });
    assert_eq!(summary.warnings[0].code(), "interrupted");
}

fn any_record() -> impl Strategy<Value = RequestRecord> {
    let event = (0.0..500.0_f64, 0_u16..2048, "[a-zé]{0,4}");
    (
        0_u64..50,
        0.0..1000.0_f64,
        prop::collection::vec(event, 0..6),
        prop::option::of((0_u64..1000, 0_u64..1000)),
        prop::option::of(0_u64..100),
        0..4_u8,
        any::<bool>(),
    )
        .prop_map(|(seq, sent, events, usage, requested, outcome, streamed)| {
            let mut made = Made::sent(seq, sent);
            for (after, flags, text) in events {
                made = made.event(sent + after, EventFlags::from_bits(flags), &text);
            }
            if let Some((prompt, completion)) = usage {
                made = made.usage(prompt, completion);
            }
            let mut record = made.done();
            record.requested_output_tokens = requested;
            record.local_output_tokens = requested;
            record.streamed = streamed;
            match outcome {
                0 => record.outcome = Outcome::Cancelled,
                1 => record = Made::sent(seq, sent).failed(sent, FailureKind::Reset, None, None, "reset").done(),
                _ => {}
            }
            record
        })
}

proptest! {
    #[test]
    fn no_figure_is_ever_not_a_number(records in prop::collection::vec(any_record(), 0..30)) {
        let summary = summary_of(&plan(), &records);
        let Counts { attempted, ok, failed, cancelled } = summary.counts;
        prop_assert_eq!(attempted, records.len() as u64);
        prop_assert_eq!(attempted, ok + failed + cancelled);
        for (metric, value) in summary.metrics.iter() {
            match value {
                Value::Scalar(value) => prop_assert!(value.is_finite(), "{}", metric.tag()),
                Value::Distribution(of) => {
                    prop_assert!(of.count > 0);
                    for value in [of.avg, of.min, of.max, of.sum, of.std].into_iter().chain(of.percentiles) {
                        prop_assert!(value.is_finite(), "{}", metric.tag());
                    }
                    prop_assert!(of.percentiles.windows(2).all(|pair| pair[0] <= pair[1]));
                    prop_assert!(of.min <= of.percentiles[0] && of.percentiles[9] <= of.max);
                }
            }
        }
        let json = serde_json::to_string(&summary).unwrap();
        prop_assert!(!json.contains("NaN") && !json.contains("inf,"));
    }

    #[test]
    fn the_order_of_records_does_not_matter(records in prop::collection::vec(any_record(), 1..20)) {
        let mut reversed = records.clone();
        reversed.reverse();
        let (a, b) = (summary_of(&plan(), &records), summary_of(&plan(), &reversed));
        prop_assert_eq!(a.counts, b.counts);
        for (metric, value) in a.metrics.iter() {
            let other = b.metrics.avg(metric).unwrap_or(f64::NAN);
            prop_assert!((value.avg() - other).abs() <= 1e-6 * other.abs().max(1.0), "{}", metric.tag());
        }
    }
}

#[test]
fn steady_state_leaves_ramp_and_drain_out() {
    let records: Vec<_> = (0..4).map(|i| answer(i, i as f64 * 100.0, i as f64 * 100.0 + 50.0, 50.0, 4)).collect();
    let summary = summary_of(&plan(), &records);
    // Each lives 200 ms: two overlap from 100 ms to 400 ms.
    check(&summary, Metric::SteadyStateDuration, 0.3);
    check(&summary, Metric::SteadyStateRequestThroughput, 10.0);
    assert_eq!(ns(0.5), 500_000);
}
