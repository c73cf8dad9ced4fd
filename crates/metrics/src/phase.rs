//! Everything that is added up over the requests of one phase, or of one slice of it.

use std::io;
use std::path::{Path, PathBuf};

use serde::Serialize;
use tokamark_record::{Column, Outcome, RequestRecord};

use crate::definitions::{Console, Kind, Metric};
use crate::errors::ErrorGroups;
use crate::request::{RequestMetrics, last_arrival};
use crate::stats::{Distribution, Metrics, Value, percents};
use crate::steady::Spans;

/// How requests ended. `attempted` is always the sum of the others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// All requests.
    pub attempted: u64,
    /// A whole answer came.
    pub ok: u64,
    /// Something went wrong.
    pub failed: u64,
    /// We stopped them.
    pub cancelled: u64,
}

impl Counts {
    fn add(&mut self, outcome: &Outcome) {
        self.attempted += 1;
        match outcome {
            Outcome::Ok => self.ok += 1,
            Outcome::Failed(_) => self.failed += 1,
            Outcome::Cancelled => self.cancelled += 1,
        }
    }
}

/// Where columns keep what is too much for memory, and from how many values on.
#[derive(Clone, Debug)]
pub(crate) struct Storage {
    pub(crate) limit: usize,
    pub(crate) dir: Option<PathBuf>,
}

/// How far answers were from the length that was asked for, and client from server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Mismatches {
    pub(crate) shorter: u64,
    pub(crate) longer: u64,
    pub(crate) discrepancies: u64,
    pub(crate) context_overflows: u64,
}

/// The sums of a phase.
#[derive(Debug)]
pub(crate) struct PhaseTotals {
    pub(crate) counts: Counts,
    pub(crate) mismatches: Mismatches,
    pub(crate) errors: ErrorGroups,
    pub(crate) spans: Option<Spans>,
    columns: Vec<Column>,
    everything: bool,
    has_objectives: bool,
    good: u64,
    first_sent: Option<u64>,
    last_token: Option<u64>,
}

impl PhaseTotals {
    /// Sums of all metrics.
    pub(crate) fn new(storage: &Storage, has_objectives: bool) -> Self {
        Self {
            counts: Counts::default(),
            mismatches: Mismatches::default(),
            errors: ErrorGroups::default(),
            spans: Some(Spans::default()),
            columns: Metric::ALL.iter().map(|_| column(storage)).collect(),
            everything: true,
            has_objectives,
            good: 0,
            first_sent: None,
            last_token: None,
        }
    }

    /// Sums of what the console shows alone, for slices.
    pub(crate) fn brief(has_objectives: bool) -> Self {
        let storage = Storage { limit: 1 << 20, dir: None };
        Self { spans: None, everything: false, ..Self::new(&storage, has_objectives) }
    }

    pub(crate) fn add(&mut self, record: &RequestRecord, metrics: &RequestMetrics) {
        self.counts.add(&record.outcome);
        for metric in Metric::per_request() {
            if !self.everything && !is_brief(metric) {
                continue;
            }
            // What a failed request measured of the transport stays in its own row: no figure here mixes outcomes.
            if record.outcome != Outcome::Ok && !matches!(metric, Metric::ErrorIsl | Metric::SendDelay) {
                continue;
            }
            let Some(column) = self.columns.get_mut(metric.index()) else { continue };
            match metric.definition().kind {
                Kind::List => metrics.gaps().iter().for_each(|gap| column.push(*gap)),
                _ => {
                    if let Some(value) = metrics.get(metric) {
                        column.push(value);
                    }
                }
            }
        }
        match &record.outcome {
            Outcome::Ok => self.add_ok(record, metrics),
            Outcome::Failed(failure) => {
                self.errors.add(failure);
                self.mismatches.context_overflows += u64::from(is_context_overflow(&failure.message));
            }
            Outcome::Cancelled => {}
        }
        if let (Some(spans), Some(sent)) = (&mut self.spans, record.times.send_start) {
            let answer = last_arrival(record).filter(|_| record.outcome == Outcome::Ok).map(|last| {
                let wait = metrics.get(Metric::TimeToFirstToken).or(metrics.get(Metric::RequestLatency));
                let tokens = metrics.get(Metric::OutputSequenceLength).unwrap_or(0.0);
                (sent + wait.unwrap_or(0.0) as u64, last, tokens as u64)
            });
            spans.add(sent, answer.map_or(record.times.end, |(_, last, _)| last), answer);
        }
    }

    fn add_ok(&mut self, record: &RequestRecord, metrics: &RequestMetrics) {
        self.good += u64::from(metrics.get(Metric::GoodRequestCount) == Some(1.0));
        if let (Some(sent), Some(last)) = (record.times.send_start, last_arrival(record)) {
            self.first_sent = Some(self.first_sent.map_or(sent, |first| first.min(sent)));
            self.last_token = Some(self.last_token.map_or(last, |before| before.max(last)));
        }
        if let (Some(output), Some(asked)) =
            (metrics.get(Metric::OutputSequenceLength), metrics.get(Metric::RequestedOsl))
        {
            let allowed = (0.05 * asked).min(50.0);
            self.mismatches.shorter += u64::from(asked - output > allowed);
            self.mismatches.longer += u64::from(output - asked > allowed);
        }
        let differs = |metric| metrics.get(metric).is_some_and(|percent| percent > 10.0);
        self.mismatches.discrepancies += u64::from(
            differs(Metric::UsagePromptTokensDiffPct)
                || differs(Metric::UsageCompletionTokensDiffPct)
                || differs(Metric::UsageReasoningTokensDiffPct),
        );
    }

    /// First request sent to last token received, over requests that were ok, in nanoseconds.
    pub(crate) fn window(&self) -> Option<f64> {
        Some(self.last_token?.saturating_sub(self.first_sent?) as f64)
    }

    /// When the first request that was ok was sent, and when the last token of one came.
    pub(crate) fn window_bounds(&self) -> Option<(u64, u64)> {
        Some((self.first_sent?, self.last_token?))
    }

    pub(crate) fn column(&self, metric: Metric) -> Option<&Column> {
        self.columns.get(metric.index())
    }

    /// All metrics, with rates over `window` nanoseconds.
    pub(crate) fn metrics(&self, window: Option<f64>) -> io::Result<Metrics> {
        let mut values = Vec::new();
        for metric in Metric::per_request() {
            if let Some(stats) =
                self.columns.get(metric.index()).map(|column| column.stats(&percents())).transpose()?.flatten()
            {
                values.push((metric, Value::Distribution(Distribution::of(metric, &stats))));
            }
        }
        let distributions = Metrics::new(values.clone());
        self.totals(&distributions, window, |metric, value| {
            values.push((metric, Value::Scalar(metric.unit().shown(value))))
        });
        Ok(Metrics::new(values))
    }

    fn totals(&self, of: &Metrics, window: Option<f64>, mut put: impl FnMut(Metric, f64)) {
        // Sums of distributions are in display units; what is summed up here has a divisor of 1 or is scaled back.
        let sum = |metric: Metric| of.distribution(metric).map(|d| d.sum * metric.unit().divisor);
        let Counts { ok, failed, .. } = self.counts;
        let window = window.filter(|window| *window > 0.0 && ok > 0);

        for (total, part) in [
            (Metric::TotalIsl, Metric::InputSequenceLength),
            (Metric::TotalOsl, Metric::OutputSequenceLength),
            (Metric::TotalOutputTokens, Metric::OutputTokenCount),
            (Metric::TotalReasoningTokens, Metric::ReasoningTokenCount),
            (Metric::TotalErrorIsl, Metric::ErrorIsl),
            (Metric::TotalUsagePromptTokens, Metric::UsagePromptTokens),
            (Metric::TotalUsageCompletionTokens, Metric::UsageCompletionTokens),
            (Metric::TotalUsageTotalTokens, Metric::UsageTotalTokens),
            (Metric::TotalUsageReasoningTokens, Metric::UsageReasoningTokens),
            (Metric::TotalUsagePromptCacheReadTokens, Metric::UsagePromptCacheReadTokens),
            (Metric::TotalUsagePromptCacheWriteTokens, Metric::UsagePromptCacheWriteTokens),
            (Metric::TotalUsageAcceptedPredictionTokens, Metric::UsageAcceptedPredictionTokens),
            (Metric::TotalUsageRejectedPredictionTokens, Metric::UsageRejectedPredictionTokens),
        ] {
            if let Some(value) = sum(part) {
                put(total, value);
            }
        }
        let quotient = |part: Option<f64>, whole: Option<f64>| Some(part? / whole.filter(|whole| *whole > 0.0)?);
        let isl = sum(Metric::InputSequenceLength);
        let osl = sum(Metric::OutputSequenceLength);
        let seconds = window.map(|window| window / 1e9);
        let completed = (ok + failed) as f64;
        let good = self.has_objectives.then_some(self.good as f64);
        let percent = |value: Option<f64>| value.map(|value| 100.0 * value);
        for (metric, value) in [
            (Metric::BenchmarkDuration, window),
            (Metric::RequestCount, Some(ok as f64)),
            (Metric::ErrorRequestCount, Some(failed as f64).filter(|count| *count > 0.0)),
            (Metric::CompletedRequestCount, Some(completed)),
            (Metric::RequestErrorRate, percent(quotient(Some(failed as f64), Some(completed)))),
            (Metric::ContextOverflowCount, some_count(self.mismatches.context_overflows)),
            (Metric::GoodRequestCount, good),
            (Metric::Goodput, quotient(good, seconds)),
            (Metric::GoodRequestFraction, quotient(good, Some(completed))),
            (Metric::RequestThroughput, quotient(Some(ok as f64), seconds)),
            (Metric::InputTokenThroughput, quotient(isl, seconds)),
            (Metric::OutputTokenThroughput, quotient(osl, seconds)),
            (Metric::TotalTokenThroughput, isl.zip(osl).and_then(|(isl, osl)| quotient(Some(isl + osl), seconds))),
            (Metric::EffectiveConcurrency, quotient(sum(Metric::RequestLatency), window)),
            (Metric::EffectivePrefillConcurrency, quotient(sum(Metric::TimeToFirstToken), window)),
            (Metric::EffectiveDecodeConcurrency, quotient(sum(Metric::DecodeDuration), window)),
            (
                Metric::OverallUsagePromptCacheReadPct,
                percent(quotient(sum(Metric::UsagePromptCacheReadTokens), sum(Metric::UsagePromptTokens))),
            ),
            (
                Metric::OverallThinkingEfficiency,
                quotient(sum(Metric::ReasoningTokenCount), sum(Metric::OutputTokenCount)),
            ),
            (Metric::OslMismatchCount, some_count(self.mismatches.shorter + self.mismatches.longer)),
            (Metric::UsageDiscrepancyCount, some_count(self.mismatches.discrepancies)),
        ] {
            if let Some(value) = value {
                put(metric, value);
            }
        }
        if let Some(steady) = self.spans.as_ref().and_then(Spans::steady).filter(|_| ok > 0) {
            let seconds = steady.length_ns / 1e9;
            put(Metric::SteadyStateDuration, steady.length_ns);
            put(Metric::SteadyStateRequestThroughput, steady.requests as f64 / seconds);
            if osl.is_some() {
                put(Metric::SteadyStateOutputTokenThroughput, steady.tokens / seconds);
            }
        }
    }
}

fn column(storage: &Storage) -> Column {
    Column::new(storage.limit, storage.dir.as_deref().map(Path::new))
}

fn is_brief(metric: Metric) -> bool {
    let definition = metric.definition();
    definition.kind == Kind::Record && definition.console != Console::Hidden
}

fn some_count(count: u64) -> Option<f64> {
    (count > 0).then_some(count as f64)
}

fn is_context_overflow(message: &str) -> bool {
    let message = message.to_ascii_lowercase();
    ["context length", "maximum context", "context_length_exceeded", "prompt is too long"]
        .iter()
        .any(|words| message.contains(words))
}
