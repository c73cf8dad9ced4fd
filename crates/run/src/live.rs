//! What is known while a run goes on, for whoever shows progress.

use std::sync::{Arc, Mutex, PoisonError};

use hdrhistogram::Histogram;
use tokamark_client::InFlight;
use tokamark_clock::now_ns;
use tokamark_record::{Outcome, Phase, RequestRecord};

/// Figures of the phase that is going on.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LiveStats {
    /// The phase; absent before the first.
    pub phase: Option<Phase>,
    /// Seconds since it began.
    pub elapsed_s: f64,
    /// Requests that are over.
    pub over: u64,
    /// Those of them that were answered.
    pub ok: u64,
    /// Those of them that failed.
    pub failed: u64,
    /// Latencies of the answered ones together, milliseconds.
    pub latency_sum_ms: f64,
    /// Requests that it will send, if that is known.
    pub request_count: Option<u64>,
    /// Seconds that it will send for, if that is known.
    pub duration_s: Option<f64>,
    /// Requests in flight.
    pub in_flight: u32,
    /// Median time to first token so far, in milliseconds (within 0.1 %).
    pub ttft_p50_ms: Option<f64>,
    /// Its 99th percentile.
    pub ttft_p99_ms: Option<f64>,
}

/// Collects [`LiveStats`].
pub struct Live {
    in_flight: Arc<InFlight>,
    state: Mutex<State>,
}

struct State {
    stats: LiveStats,
    start_ns: u64,
    /// Microseconds, three digits, up to an hour.
    ttft_us: Option<Histogram<u64>>,
}

impl Live {
    pub(crate) fn new(in_flight: Arc<InFlight>) -> Self {
        let state = State { stats: LiveStats::default(), start_ns: now_ns(), ttft_us: None };
        Self { in_flight, state: Mutex::new(state) }
    }

    pub(crate) fn begin(&self, phase: Phase, request_count: Option<u64>, duration_s: Option<f64>) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.start_ns = now_ns();
        state.ttft_us = Histogram::new_with_bounds(1, 3_600_000_000, 3).ok();
        state.stats = LiveStats { phase: Some(phase), request_count, duration_s, ..LiveStats::default() };
    }

    pub(crate) fn add(&self, record: &RequestRecord) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.stats.phase != Some(record.phase) {
            return;
        }
        state.stats.over += 1;
        if matches!(record.outcome, Outcome::Failed(_)) {
            state.stats.failed += 1;
        }
        if let (Outcome::Ok, Some(sent)) = (&record.outcome, record.times.send_start) {
            state.stats.ok += 1;
            state.stats.latency_sum_ms += milliseconds(record.times.end.saturating_sub(sent));
        }
        let first = record.events.iter().find(|event| event.flags.is_generated()).filter(|_| record.streamed);
        if let (Outcome::Ok, Some(first), Some(sent), Some(histogram)) =
            (&record.outcome, first, record.times.send_start, &mut state.ttft_us)
        {
            histogram.saturating_record(first.arrival.saturating_sub(sent) / 1_000);
        }
    }

    /// The figures now.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "for display")]
    pub fn stats(&self) -> LiveStats {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let at = |quantile| {
            let histogram = state.ttft_us.as_ref().filter(|histogram| !histogram.is_empty())?;
            Some(histogram.value_at_quantile(quantile) as f64 / 1e3)
        };
        LiveStats {
            elapsed_s: now_ns().saturating_sub(state.start_ns) as f64 / 1e9,
            in_flight: self.in_flight.now(),
            ttft_p50_ms: at(0.5),
            ttft_p99_ms: at(0.99),
            ..state.stats
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "for display, and to compare windows")]
fn milliseconds(nanoseconds: u64) -> f64 {
    nanoseconds as f64 / 1e6
}
