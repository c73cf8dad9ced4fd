//! What one request measured: a pure function of its record.

use tokamark_record::{Event, Outcome, RequestRecord};
use tokamark_wire::EventFlags;

use crate::definitions::Metric;
use crate::goodput::Objective;
use crate::tokens::{TokenCounts, local_output, server_output};

/// The values of one request in internal units (times in nanoseconds). What is not defined for it is absent.
#[derive(Clone, Debug, PartialEq)]
pub struct RequestMetrics {
    /// NaN stands for absence, so that the whole is one flat array.
    values: [f64; Metric::COUNT],
    /// Gaps between generated events in nanoseconds.
    gaps: Vec<f64>,
}

impl RequestMetrics {
    /// Measures a request. Failed and cancelled ones have neither latencies nor token counts.
    #[must_use]
    pub fn of(record: &RequestRecord) -> Self {
        let mut metrics = Self { values: [f64::NAN; Metric::COUNT], gaps: Vec::new() };
        metrics.transport(record);
        match record.outcome {
            Outcome::Ok => {
                let tokens = TokenCounts::of(record);
                metrics.counts(record, tokens);
                metrics.latencies(record, tokens);
            }
            Outcome::Failed(_) => {
                let input = record.local_input_tokens.or(record.usage.and_then(|usage| usage.prompt));
                metrics.set_count(Metric::ErrorIsl, input);
            }
            Outcome::Cancelled => {}
        }
        metrics
    }

    /// The value of a metric in its internal unit. Lists have none; see [`gaps`](Self::gaps).
    #[must_use]
    pub fn get(&self, metric: Metric) -> Option<f64> {
        self.values.get(metric.index()).copied().filter(|value| !value.is_nan())
    }

    /// The value of a metric in its display unit.
    #[must_use]
    pub fn shown(&self, metric: Metric) -> Option<f64> {
        self.get(metric).map(|value| metric.unit().shown(value))
    }

    /// The gaps between generated events, in nanoseconds.
    #[must_use]
    pub fn gaps(&self) -> &[f64] {
        &self.gaps
    }

    /// Notes whether the request met all objectives; without objectives there is nothing to note.
    pub(crate) fn judge(&mut self, record: &RequestRecord, objectives: &[Objective]) {
        if record.outcome == Outcome::Ok && !objectives.is_empty() {
            let good = objectives.iter().all(|objective| objective.is_met(self));
            self.set(Metric::GoodRequestCount, Some(f64::from(u8::from(good))));
        }
    }

    fn set(&mut self, metric: Metric, value: Option<f64>) {
        if let (Some(value), Some(place)) = (value.filter(|v| v.is_finite()), self.values.get_mut(metric.index())) {
            *place = value;
        }
    }

    fn set_count(&mut self, metric: Metric, value: Option<u64>) {
        self.set(metric, value.map(|value| value as f64));
    }

    fn transport(&mut self, record: &RequestRecord) {
        let times = &record.times;
        let connecting = times.connect_start.and_then(|start| since(times.tls_end.or(times.connect_end), start));
        if let Some(start) = times.connect_start {
            self.set(Metric::ConnectTcp, since(times.connect_end, start));
        }
        if let Some(connected) = times.connect_end {
            self.set(Metric::ConnectTls, since(times.tls_end, connected));
        }
        let Some(sent) = times.send_start else { return };
        self.set(Metric::SendDelay, since(Some(sent), times.scheduled));
        let blocked = since(Some(times.connect_start.unwrap_or(sent)), times.slot);
        let connecting = connecting.or(Some(0.0));
        let sending = since(times.send_end, sent);
        let waiting = times.send_end.and_then(|end| since(times.first_byte, end));
        let receiving = times.first_byte.and_then(|first| since(Some(times.end), first));
        self.set(Metric::HttpReqBlocked, blocked);
        self.set(Metric::HttpReqConnecting, connecting);
        self.set(Metric::HttpReqConnectionOverhead, sum([blocked, connecting]));
        self.set(Metric::HttpReqSending, sending);
        self.set(Metric::HttpReqWaiting, waiting);
        self.set(Metric::HttpReqReceiving, receiving);
        self.set(Metric::HttpReqDuration, receiving.and(since(Some(times.end), sent)));
        self.set(Metric::HttpReqTotal, sum([blocked, connecting, sending, waiting, receiving]));
        self.set(Metric::HttpReqConnectionReused, Some(f64::from(u8::from(record.connection_reused))));
        self.set_count(Metric::HttpReqDataSent, Some(record.bytes_out));
        if record.bytes_in > 0 {
            self.set_count(Metric::HttpReqDataReceived, Some(record.bytes_in));
            self.set_count(Metric::HttpReqChunksReceived, Some(reads(&record.events)));
        }
    }

    fn counts(&mut self, record: &RequestRecord, tokens: TokenCounts) {
        self.set_count(Metric::InputSequenceLength, tokens.input);
        self.set_count(Metric::OutputSequenceLength, tokens.output);
        self.set_count(Metric::OutputTokenCount, tokens.visible.filter(|count| *count > 0));
        self.set_count(Metric::ReasoningTokenCount, tokens.reasoning.filter(|count| *count > 0));
        self.set(
            Metric::ThinkingEfficiency,
            ratio(self.get(Metric::ReasoningTokenCount), self.get(Metric::OutputTokenCount)),
        );
        self.set_count(Metric::RequestedOsl, record.requested_output_tokens);
        if let (Some(output), Some(asked)) = (tokens.output, record.requested_output_tokens.filter(|asked| *asked > 0))
        {
            let difference = output as f64 - asked as f64;
            self.set(Metric::OslMismatchDiffPct, Some(100.0 * difference / asked as f64));
        }
        let Some(usage) = record.usage else { return };
        for (metric, count) in [
            (Metric::UsagePromptTokens, usage.prompt),
            (Metric::UsageCompletionTokens, usage.completion),
            (Metric::UsageTotalTokens, usage.total),
            (Metric::UsageReasoningTokens, usage.reasoning),
            (Metric::UsagePromptCacheReadTokens, usage.cache_read),
            (Metric::UsagePromptCacheWriteTokens, usage.cache_write),
            (Metric::UsageAcceptedPredictionTokens, usage.accepted_prediction),
            (Metric::UsageRejectedPredictionTokens, usage.rejected_prediction),
        ] {
            self.set_count(metric, count);
        }
        for (metric, server, client) in [
            (Metric::UsagePromptTokensDiffPct, usage.prompt, record.local_input_tokens),
            (Metric::UsageCompletionTokensDiffPct, server_output(&usage), local_output(record)),
            (Metric::UsageReasoningTokensDiffPct, usage.reasoning, record.local_reasoning_tokens),
        ] {
            if let (Some(server), Some(client)) = (server, client.filter(|client| *client > 0)) {
                self.set(metric, Some(100.0 * server.abs_diff(client) as f64 / client as f64));
            }
        }
    }

    fn latencies(&mut self, record: &RequestRecord, tokens: TokenCounts) {
        let times = &record.times;
        let Some(sent) = times.send_start else { return };
        let Some(last) = last_arrival(record) else { return };
        let latency = since(Some(last), sent);
        let output = tokens.output.map(|count| count as f64);
        self.set(Metric::RequestLatency, latency);
        self.set(Metric::RequestLatencyFromSchedule, since(Some(last), times.scheduled));
        self.set(Metric::E2eOutputTokenThroughput, per_second(output, latency));
        if !record.streamed {
            return;
        }
        let generated: Vec<&Event> = record.events.iter().filter(|event| event.flags.is_generated()).collect();
        let Some(first) = generated.first() else { return };
        let ttft = since(Some(first.arrival), sent);
        let decode = since(Some(last), first.arrival);
        self.set(Metric::TimeToFirstToken, ttft);
        self.set(Metric::TimeToFirstTokenFromSchedule, since(Some(first.arrival), times.scheduled));
        self.set(
            Metric::TimeToSecondToken,
            generated.get(1).and_then(|second| since(Some(second.arrival), first.arrival)),
        );
        let visible = generated.iter().find(|event| event.flags.has(EventFlags::CONTENT | EventFlags::TOOL));
        self.set(Metric::TimeToFirstOutputToken, visible.and_then(|event| since(Some(event.arrival), sent)));
        self.set(Metric::DecodeDuration, decode);
        self.set(Metric::StreamSetupLatency, since(times.headers, sent));
        self.set(Metric::StreamPrefillLatency, times.headers.and_then(|headers| since(Some(first.arrival), headers)));
        self.set(Metric::StreamCloseLatency, since(Some(times.end), last));
        self.set(Metric::PrefillThroughputPerUser, per_second(tokens.input.map(|count| count as f64), ttft));
        self.gaps = generated
            .iter()
            .zip(generated.iter().skip(1))
            .filter_map(|(before, after)| since(Some(after.arrival), before.arrival))
            .collect();

        let Some(output) = output else { return };
        self.set(Metric::TokensPerEvent, Some(output / generated.len() as f64));
        let spread = decode.filter(|decode| *decode > 0.0);
        let inter_token = spread.filter(|_| output >= 2.0).map(|decode| decode / (output - 1.0));
        self.set(Metric::InterTokenLatency, inter_token);
        self.set(Metric::OutputTokenThroughputPerUser, per_second(Some(1.0), inter_token));
        let after_first = output - first_event_tokens(&generated, output);
        self.set(Metric::TimePerOutputToken, spread.filter(|_| after_first >= 1.0).map(|decode| decode / after_first));
    }
}

/// When the answer was complete: the last generated event, or the end of a body that is not a stream.
pub(crate) fn last_arrival(record: &RequestRecord) -> Option<u64> {
    let generated = record.events.iter().rev().find(|event| event.flags.is_generated());
    match generated {
        Some(event) => Some(event.arrival),
        None if record.streamed => None,
        None => Some(record.events.last().map_or(record.times.end, |event| event.arrival)),
    }
}

/// Tokens of the first generated event. Where events are about one token each it is one; where they are bundles, the
/// event's share of the text says how many of them it held.
fn first_event_tokens(generated: &[&Event], output: f64) -> f64 {
    if output <= 1.2 * generated.len() as f64 {
        return 1.0;
    }
    let bytes =
        |event: &Event| f64::from(event.reasoning_len) + f64::from(event.content_len) + f64::from(event.tool_len);
    let all: f64 = generated.iter().map(|event| bytes(event)).sum();
    let first = generated.first().map_or(0.0, |event| bytes(event));
    if all > 0.0 { (output * first / all).round().max(1.0) } else { 1.0 }
}

fn reads(events: &[Event]) -> u64 {
    let changes = events.iter().zip(events.iter().skip(1)).filter(|(a, b)| a.read_number != b.read_number).count();
    changes as u64 + u64::from(!events.is_empty())
}

/// Nanoseconds from `start` to `end`. Clocks are mapped onto each other, so that an instant can seem to precede its cause
/// by less than the accuracy of that: such a span is 0.
fn since(end: Option<u64>, start: u64) -> Option<f64> {
    end.map(|end| end.saturating_sub(start) as f64)
}

fn ratio(part: Option<f64>, whole: Option<f64>) -> Option<f64> {
    Some(part? / whole.filter(|whole| *whole > 0.0)?)
}

fn per_second(amount: Option<f64>, nanoseconds: Option<f64>) -> Option<f64> {
    ratio(amount.map(|amount| amount * 1e9), nanoseconds)
}

fn sum<const N: usize>(parts: [Option<f64>; N]) -> Option<f64> {
    parts.into_iter().sum()
}
