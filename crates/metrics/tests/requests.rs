//! What single requests measure, to the digit.
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests")]

mod made;

use made::{Made, answer, ns, worked_example};
use tokamark_metrics::{Metric, RequestMetrics};
use tokamark_record::{FailureKind, Outcome, RequestRecord};
use tokamark_wire::{EventFlags, Usage};

#[track_caller]
fn check(record: &RequestRecord, expected: &[(Metric, f64)], absent: &[Metric]) {
    let metrics = RequestMetrics::of(record);
    for (metric, value) in expected {
        let got = metrics.shown(*metric).unwrap_or_else(|| panic!("{} is absent", metric.tag()));
        assert!((got - value).abs() < 1e-9 * value.abs().max(1.0), "{} is {got}, not {value}", metric.tag());
    }
    for metric in absent {
        assert_eq!(metrics.get(*metric), None, "{}", metric.tag());
    }
}

#[test]
fn the_worked_example() {
    check(
        &worked_example(),
        &[
            (Metric::TimeToFirstToken, 105.0),
            (Metric::TimeToFirstTokenFromSchedule, 110.0),
            (Metric::TimeToSecondToken, 20.0),
            (Metric::TimeToFirstOutputToken, 105.0),
            (Metric::RequestLatency, 165.0),
            (Metric::RequestLatencyFromSchedule, 170.0),
            (Metric::DecodeDuration, 60.0),
            (Metric::InterTokenLatency, 15.0),
            (Metric::TimePerOutputToken, 15.0),
            (Metric::OutputTokenThroughputPerUser, 1000.0 / 15.0),
            (Metric::E2eOutputTokenThroughput, 5000.0 / 165.0),
            (Metric::PrefillThroughputPerUser, 7000.0 / 105.0),
            (Metric::OutputSequenceLength, 5.0),
            (Metric::InputSequenceLength, 7.0),
            (Metric::TokensPerEvent, 1.25),
            (Metric::RequestedOsl, 8.0),
            (Metric::OslMismatchDiffPct, -37.5),
            (Metric::SendDelay, 5.0),
            (Metric::StreamSetupLatency, 100.0),
            (Metric::StreamPrefillLatency, 5.0),
            (Metric::StreamCloseLatency, 3.0),
            (Metric::HttpReqDuration, 168.0),
            (Metric::HttpReqDataSent, 0.5),
            (Metric::HttpReqDataReceived, 2.0),
        ],
        &[Metric::ReasoningTokenCount, Metric::ErrorIsl, Metric::ConnectTcp, Metric::GoodRequestCount],
    );
    assert_eq!(RequestMetrics::of(&worked_example()).gaps(), [20e6, 20e6, 20e6]);
}

#[test]
fn bundles_of_tokens() {
    // Three events of four tokens each, as with speculative decoding.
    let record = ["abcd", "efgh", "ijkl"]
        .iter()
        .zip([10.0, 26.8, 43.6])
        .fold(Made::sent(0, 0.0).usage(5, 12), |made, (text, at)| made.content(at, text));
    check(
        &record.done(),
        &[(Metric::InterTokenLatency, 33.6 / 11.0), (Metric::TimePerOutputToken, 4.2), (Metric::TokensPerEvent, 4.0)],
        &[],
    );
}

#[test]
fn one_token_has_no_gaps() {
    check(
        &answer(0, 0.0, 100.0, 0.0, 1),
        &[(Metric::TimeToFirstToken, 100.0), (Metric::RequestLatency, 100.0), (Metric::DecodeDuration, 0.0)],
        &[
            Metric::InterTokenLatency,
            Metric::TimePerOutputToken,
            Metric::OutputTokenThroughputPerUser,
            Metric::TimeToSecondToken,
        ],
    );
}

#[test]
fn tokens_that_all_came_at_once_have_no_time_between_them() {
    check(
        &answer(0, 0.0, 100.0, 0.0, 3),
        &[(Metric::OutputSequenceLength, 3.0)],
        &[Metric::InterTokenLatency, Metric::OutputTokenThroughputPerUser, Metric::TimePerOutputToken],
    );
}

#[test]
fn reasoning_counts_as_output_but_not_as_visible() {
    let usage = |record: &mut RequestRecord| {
        record.usage = Some(Usage { completion: Some(8), reasoning: Some(5), ..Usage::default() });
    };
    let thinking =
        (0..5).fold(Made::sent(0, 0.0), |made, i| made.event(100.0 + 50.0 * f64::from(i), EventFlags::REASONING, "r"));
    let answered = thinking.content(600.0, "a").content(650.0, "b").content(700.0, "c").with(usage).done();
    check(
        &answered,
        &[
            (Metric::TimeToFirstToken, 100.0),
            (Metric::TimeToFirstOutputToken, 600.0),
            (Metric::RequestLatency, 700.0),
            (Metric::InterTokenLatency, 600.0 / 7.0),
            (Metric::OutputSequenceLength, 8.0),
            (Metric::OutputTokenCount, 3.0),
            (Metric::ReasoningTokenCount, 5.0),
            (Metric::ThinkingEfficiency, 5.0 / 3.0),
        ],
        &[],
    );
    let only = Made::sent(0, 0.0)
        .event(100.0, EventFlags::REASONING, "r")
        .event(250.0, EventFlags::REASONING, "r")
        .with(|record| {
            record.usage = Some(Usage { completion: Some(4), reasoning: Some(4), ..Usage::default() });
        });
    check(
        &only.done(),
        &[(Metric::InterTokenLatency, 50.0), (Metric::ReasoningTokenCount, 4.0)],
        &[Metric::TimeToFirstOutputToken, Metric::OutputTokenCount],
    );
}

#[test]
fn tool_calls_are_answers() {
    let record = Made::sent(0, 0.0)
        .event(200.0, EventFlags::TOOL, "f")
        .event(300.0, EventFlags::TOOL, "{\"a\":1}")
        .usage(10, 6)
        .done();
    check(
        &record,
        &[
            (Metric::TimeToFirstToken, 200.0),
            (Metric::TimeToFirstOutputToken, 200.0),
            (Metric::InterTokenLatency, 20.0),
        ],
        &[],
    );
}

#[test]
fn a_whole_body_has_latency_but_no_first_token() {
    let record = Made::sent(0, 0.0).content(120.0, "AB").usage(3, 2).with(|record| record.streamed = false).done();
    check(
        &record,
        &[(Metric::RequestLatency, 120.0), (Metric::E2eOutputTokenThroughput, 2000.0 / 120.0)],
        &[Metric::TimeToFirstToken, Metric::InterTokenLatency, Metric::DecodeDuration, Metric::StreamSetupLatency],
    );
    let embedding = Made::sent(0, 10.0).with(|record| {
        record.streamed = false;
        record.times.end = ns(25.0);
    });
    check(&embedding.done(), &[(Metric::RequestLatency, 15.0)], &[Metric::OutputSequenceLength]);
}

#[test]
fn failed_and_cancelled_requests_have_no_latency_and_no_tokens() {
    let failed = Made::sent(0, 0.0)
        .content(100.0, "A")
        .usage(9, 1)
        .failed(110.0, FailureKind::Incomplete, None, None, "the stream ended without an end mark")
        .done();
    let nothing = [
        Metric::TimeToFirstToken,
        Metric::RequestLatency,
        Metric::RequestLatencyFromSchedule,
        Metric::OutputSequenceLength,
        Metric::InputSequenceLength,
        Metric::UsagePromptTokens,
    ];
    check(&failed, &[(Metric::ErrorIsl, 9.0), (Metric::HttpReqDuration, 110.0), (Metric::SendDelay, 0.0)], &nothing);
    assert!(RequestMetrics::of(&failed).gaps().is_empty());
    let cancelled = Made::sent(0, 0.0).content(100.0, "A").with(|record| record.outcome = Outcome::Cancelled).done();
    check(&cancelled, &[], &nothing);
    let never_sent = Made::sent(0, 0.0)
        .with(|record| record.times.send_start = None)
        .failed(5.0, FailureKind::Connect, None, None, "connection refused")
        .done();
    check(&never_sent, &[], &[Metric::SendDelay, Metric::HttpReqTotal, Metric::HttpReqConnectionReused]);
}

#[test]
fn server_and_client_counts_are_both_kept() {
    let record = Made::sent(0, 0.0)
        .content(10.0, "A")
        .content(20.0, "B")
        .usage(110, 2)
        .with(|record| {
            record.local_input_tokens = Some(100);
            record.local_output_tokens = Some(4);
        })
        .done();
    check(
        &record,
        &[
            (Metric::InputSequenceLength, 110.0),
            (Metric::OutputSequenceLength, 2.0),
            (Metric::UsagePromptTokens, 110.0),
            (Metric::UsagePromptTokensDiffPct, 10.0),
            (Metric::UsageCompletionTokensDiffPct, 50.0),
        ],
        &[Metric::UsageReasoningTokens],
    );
    let silent = Made::sent(0, 0.0).content(10.0, "A").with(|record| {
        record.local_input_tokens = Some(100);
        record.local_output_tokens = Some(4);
        record.local_reasoning_tokens = Some(2);
    });
    check(
        &silent.done(),
        &[
            (Metric::InputSequenceLength, 100.0),
            (Metric::OutputSequenceLength, 6.0),
            (Metric::OutputTokenCount, 4.0),
            (Metric::ReasoningTokenCount, 2.0),
        ],
        &[Metric::UsagePromptTokens],
    );
}

#[test]
fn phases_of_the_transport() {
    let record = Made::sent(0, 30.0)
        .content(75.0, "A")
        .with(|record| {
            let times = &mut record.times;
            times.scheduled = ns(0.0);
            times.slot = ns(2.0);
            times.connect_start = Some(ns(5.0));
            times.connect_end = Some(ns(15.0));
            times.tls_end = Some(ns(30.0));
            times.send_end = Some(ns(31.0));
            times.headers = Some(ns(70.0));
            times.first_byte = Some(ns(71.0));
            times.end = ns(80.0);
        })
        .done();
    check(
        &record,
        &[
            (Metric::ConnectTcp, 10.0),
            (Metric::ConnectTls, 15.0),
            (Metric::HttpReqBlocked, 3.0),
            (Metric::HttpReqConnecting, 25.0),
            (Metric::HttpReqConnectionOverhead, 28.0),
            (Metric::HttpReqSending, 1.0),
            (Metric::HttpReqWaiting, 40.0),
            (Metric::HttpReqReceiving, 9.0),
            (Metric::HttpReqDuration, 50.0),
            (Metric::HttpReqTotal, 78.0),
            (Metric::HttpReqConnectionReused, 0.0),
            (Metric::SendDelay, 30.0),
        ],
        &[],
    );
}
