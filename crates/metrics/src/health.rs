//! Whether the client itself was a limit, and what else says how far the figures can be trusted.

use std::collections::BTreeMap;
use std::io;

use hdrhistogram::Histogram;
use serde::Serialize;
use tokamark_plan::Plan;
use tokamark_record::{Column, Outcome, RequestRecord, RunFacts, StopReason};
use tokamark_wire::EventFlags;

use crate::definitions::Metric;
use crate::phase::{PhaseTotals, Storage};
use crate::request::RequestMetrics;
use crate::stats::Metrics;

/// Requests at the start of a run that are looked at for a cold start.
const EARLY: u64 = 64;
/// Lags beyond a minute are counted as one.
const LONGEST_LAG_NS: u64 = 60_000_000_000;

/// The middle and the end of a distribution.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Spread {
    /// Samples.
    pub count: u64,
    /// Median.
    pub p50: f64,
    /// 99th percentile.
    pub p99: f64,
    /// Greatest.
    pub max: f64,
}

/// The first requests against the rest.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct ColdStart {
    /// How many of the first requests were slow.
    pub requests: u64,
    /// Their median in milliseconds: time to first token, or latency without a stream.
    pub first_ms: f64,
    /// The median of all in milliseconds.
    pub median_ms: f64,
}

/// Where token counts came from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct TokenSources {
    /// Requests whose output was counted by the server.
    pub output_from_server: u64,
    /// Requests whose output was counted by the client.
    pub output_from_client: u64,
    /// Requests whose output nobody counted.
    pub output_unknown: u64,
    /// Requests whose input was counted by the server.
    pub input_from_server: u64,
    /// Requests whose input was counted by the client.
    pub input_from_client: u64,
}

/// How far the figures can be trusted.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Health {
    /// Requests that were ok: the samples behind each latency.
    pub samples: u64,
    /// Milliseconds from when a request should have been sent to its first byte, without waiting for slots or connections.
    pub send_lateness_ms: Option<Spread>,
    /// Milliseconds from the kernel's stamp of an event to the read that took it.
    pub read_lag_ms: Option<Spread>,
    /// Arrivals are kernel stamps.
    pub kernel_timestamps: bool,
    /// Reads without a usable kernel stamp.
    pub unstamped_reads: u64,
    /// All reads.
    pub reads: u64,
    /// Requests per second that the plan asks for.
    pub offered_rate: Option<f64>,
    /// Requests per second of the schedule as it was drawn.
    pub scheduled_rate: Option<f64>,
    /// Requests per second that were sent.
    pub achieved_rate: Option<f64>,
    /// Most requests that the plan allows in flight.
    pub target_concurrency: Option<u32>,
    /// Most requests that were in flight; unknown if the run did not live to say so.
    pub peak_in_flight: Option<u32>,
    /// Cores that the client kept busy, on average over the measured phase.
    pub cpu_cores_used: Option<f64>,
    /// CPU microseconds of the client for each event.
    pub cpu_us_per_event: Option<f64>,
    /// Cores of the machine.
    pub cores: u32,
    /// Worker threads.
    pub workers: u16,
    /// Peak resident memory in bytes.
    pub peak_rss_bytes: u64,
    /// Most descriptors open at once.
    pub open_files: u64,
    /// Their limit.
    pub open_files_limit: u64,
    /// Connections opened.
    pub connections: u64,
    /// Ephemeral ports for one destination.
    pub ephemeral_ports: Option<u64>,
    /// Requests sent again because a kept connection had gone away.
    pub retried_requests: u64,
    /// All events.
    pub events: u64,
    /// Events with generated text.
    pub generated_events: u64,
    /// Events that mean nothing to us.
    pub unknown_events: u64,
    /// Mean tokens in a generated event.
    pub tokens_per_event: Option<f64>,
    /// Percentage of generated events (the first of each answer aside) that came in the same read as the one before.
    pub coalesced_events_pct: Option<f64>,
    /// Where token counts came from.
    pub token_sources: TokenSources,
    /// Requests in which server and client counts differ by more than 10 %.
    pub count_mismatches: u64,
    /// Answers shorter than asked for by more than 5 % or 50 tokens.
    pub shorter_answers: u64,
    /// Answers longer than asked for by as much.
    pub longer_answers: u64,
    /// Percentage of prompt tokens that the server took from a cache.
    pub cached_prompt_pct: Option<f64>,
    /// Requests whose prompt had been sent before.
    pub repeated_prompts: u64,
    /// Dataset lines that were left out.
    pub skipped_lines: u64,
    /// The first requests were far slower than the rest.
    pub cold_start: Option<ColdStart>,
    /// How far the wall clock moved against the monotonic one, in milliseconds.
    pub wall_clock_step_ms: f64,
}

/// Collects what [`Health`] needs from the measured requests.
#[derive(Debug)]
pub(crate) struct HealthTotals {
    lateness: Column,
    lag: Option<Histogram<u64>>,
    slots_are_waited_for: bool,
    sent: u64,
    send_bounds: Option<(u64, u64)>,
    schedule_bounds: Option<(u64, u64)>,
    events: u64,
    generated: u64,
    followers: u64,
    coalesced: u64,
    unknown: u64,
    retried: u64,
    prompts: u64,
    rows: u64,
    sources: TokenSources,
    early: BTreeMap<u64, f64>,
}

impl HealthTotals {
    pub(crate) fn new(plan: &Plan, storage: &Storage) -> Self {
        Self {
            lateness: Column::new(storage.limit, storage.dir.as_deref()),
            lag: Histogram::new_with_max(LONGEST_LAG_NS, 3).ok(),
            slots_are_waited_for: plan.load.concurrency.is_some() && plan.load.request_rate.is_some(),
            sent: 0,
            send_bounds: None,
            schedule_bounds: None,
            events: 0,
            generated: 0,
            followers: 0,
            coalesced: 0,
            unknown: 0,
            retried: 0,
            prompts: 0,
            rows: 0,
            sources: TokenSources::default(),
            early: BTreeMap::new(),
        }
    }

    pub(crate) fn add(&mut self, record: &RequestRecord, metrics: &RequestMetrics) {
        self.add_send(record);
        self.add_events(record);
        if record.turn == 0 {
            self.prompts += 1;
            self.rows = self.rows.max(record.dataset_row + 1);
        }
        if record.outcome != Outcome::Ok {
            return;
        }
        let usage = record.usage.unwrap_or_default();
        let sources = &mut self.sources;
        if usage.completion.is_some() {
            sources.output_from_server += 1;
        } else if metrics.get(Metric::OutputSequenceLength).is_some() {
            sources.output_from_client += 1;
        } else {
            sources.output_unknown += 1;
        }
        sources.input_from_server += u64::from(usage.prompt.is_some());
        sources.input_from_client += u64::from(usage.prompt.is_none() && record.local_input_tokens.is_some());
        if record.seq < EARLY
            && let Some(wait) = metrics.get(Metric::TimeToFirstToken).or(metrics.get(Metric::RequestLatency))
        {
            self.early.insert(record.seq, wait);
        }
    }

    fn add_send(&mut self, record: &RequestRecord) {
        let times = &record.times;
        self.retried += u64::from(record.attempt > 0);
        let Some(sent) = times.send_start else { return };
        self.sent += 1;
        let widen = |bounds: Option<(u64, u64)>, at: u64| {
            Some(bounds.map_or((at, at), |(low, high): (u64, u64)| (low.min(at), high.max(at))))
        };
        self.send_bounds = widen(self.send_bounds, sent);
        self.schedule_bounds = widen(self.schedule_bounds, times.scheduled);
        if record.attempt == 0 {
            let due = if self.slots_are_waited_for { times.slot.max(times.scheduled) } else { times.scheduled };
            let connecting = times
                .connect_start
                .zip(times.tls_end.or(times.connect_end))
                .map_or(0, |(start, end)| end.saturating_sub(start));
            self.lateness.push(sent.saturating_sub(due).saturating_sub(connecting) as f64);
        }
    }

    fn add_events(&mut self, record: &RequestRecord) {
        let mut last_read = None;
        for event in &record.events {
            self.events += 1;
            self.unknown += u64::from(event.flags.has(EventFlags::UNKNOWN));
            if let Some(lag) = &mut self.lag {
                lag.saturating_record(event.read.saturating_sub(event.arrival));
            }
            if event.flags.is_generated() && record.streamed {
                self.generated += 1;
                if let Some(before) = last_read {
                    self.followers += 1;
                    self.coalesced += u64::from(before == event.read_number);
                }
                last_read = Some(event.read_number);
            }
        }
    }

    pub(crate) fn finish(&self, facts: &RunFacts, totals: &PhaseTotals, metrics: &Metrics) -> io::Result<Health> {
        let plan = &facts.plan;
        let client = &facts.client;
        let rate = |bounds: Option<(u64, u64)>| {
            let (low, high) = bounds?;
            let span = high.saturating_sub(low) as f64 / 1e9;
            (self.sent >= 2 && span > 0.0).then(|| (self.sent - 1) as f64 / span)
        };
        let open_loop = plan.load.request_rate.is_some();
        let cpu_s = client.cpu_user_s + client.cpu_system_s;
        let wall_s = facts.profiling.end_ns.saturating_sub(facts.profiling.start_ns) as f64 / 1e9;
        let quotient = |part: f64, whole: f64| (whole > 0.0 && part.is_finite()).then(|| part / whole);
        let wall = facts.anchor_end.wall_ns as f64 - facts.anchor_start.wall_ns as f64;
        let monotonic = facts.anchor_end.monotonic_ns as f64 - facts.anchor_start.monotonic_ns as f64;
        Ok(Health {
            samples: totals.counts.ok,
            send_lateness_ms: spread(&self.lateness)?,
            read_lag_ms: self.lag.as_ref().filter(|lag| facts.kernel_timestamps && !lag.is_empty()).map(|lag| Spread {
                count: lag.len(),
                p50: lag.value_at_quantile(0.5) as f64 / 1e6,
                p99: lag.value_at_quantile(0.99) as f64 / 1e6,
                max: lag.max() as f64 / 1e6,
            }),
            kernel_timestamps: facts.kernel_timestamps,
            unstamped_reads: facts.unstamped_reads,
            reads: facts.reads,
            offered_rate: plan.load.request_rate,
            scheduled_rate: rate(self.schedule_bounds).filter(|_| open_loop),
            achieved_rate: rate(self.send_bounds).filter(|_| open_loop),
            target_concurrency: plan.load.concurrency,
            peak_in_flight: Some(facts.peak_in_flight).filter(|_| facts.stop != StopReason::Unfinished),
            cpu_cores_used: quotient(cpu_s, wall_s).filter(|_| cpu_s > 0.0),
            cpu_us_per_event: quotient(cpu_s * 1e6, self.events as f64).filter(|_| cpu_s > 0.0),
            cores: client.cores,
            workers: facts.workers,
            peak_rss_bytes: client.peak_rss_bytes,
            open_files: client.open_files,
            open_files_limit: client.open_files_limit,
            connections: facts.connections,
            ephemeral_ports: client.ephemeral_ports,
            retried_requests: self.retried,
            events: self.events,
            generated_events: self.generated,
            unknown_events: self.unknown,
            tokens_per_event: metrics.avg(Metric::TokensPerEvent),
            coalesced_events_pct: quotient(100.0 * self.coalesced as f64, self.followers as f64),
            token_sources: self.sources,
            count_mismatches: totals.mismatches.discrepancies,
            shorter_answers: totals.mismatches.shorter,
            longer_answers: totals.mismatches.longer,
            cached_prompt_pct: metrics.avg(Metric::OverallUsagePromptCacheReadPct),
            repeated_prompts: self.prompts.saturating_sub(self.rows),
            skipped_lines: facts.skipped_lines,
            cold_start: self.cold_start(totals)?,
            wall_clock_step_ms: (wall - monotonic) / 1e6,
        })
    }

    /// Counts the unbroken run of slow requests at the very start. They make a cold start if slow requests are otherwise so
    /// rare that such a run by chance is improbable (5 %).
    fn cold_start(&self, totals: &PhaseTotals) -> io::Result<Option<ColdStart>> {
        let streamed = totals.column(Metric::TimeToFirstToken).filter(|column| !column.is_empty());
        let Some(column) = streamed.or_else(|| totals.column(Metric::RequestLatency)) else { return Ok(None) };
        let Some(stats) = column.stats(&[50.0])? else { return Ok(None) };
        let median = stats.percentiles.first().copied().unwrap_or(stats.mean);
        let threshold = 3.0 * median;
        let mut first: Vec<f64> = Vec::new();
        for (place, wait) in (0_u64..).zip(&self.early) {
            if *wait.0 != place || *wait.1 <= threshold {
                break;
            }
            first.push(*wait.1);
        }
        let slow = column.count_above(threshold)?;
        let early = first.len() as u64;
        if early == 0 || early * 2 > stats.count {
            return Ok(None);
        }
        let chance = (slow.saturating_sub(early) + 1) as f64 / (stats.count - early + 1) as f64;
        first.sort_unstable_by(f64::total_cmp);
        let middle = first.get(first.len() / 2).copied().unwrap_or(median);
        let by_chance = chance.powi(i32::try_from(early).unwrap_or(i32::MAX));
        Ok((by_chance <= 0.05).then_some(ColdStart {
            requests: early,
            first_ms: middle / 1e6,
            median_ms: median / 1e6,
        }))
    }
}

fn spread(column: &Column) -> io::Result<Option<Spread>> {
    let stats = column.stats(&[50.0, 99.0])?;
    Ok(stats.map(|stats| {
        let at = |i: usize| stats.percentiles.get(i).copied().unwrap_or(stats.max) / 1e6;
        Spread { count: stats.count, p50: at(0), p99: at(1), max: stats.max / 1e6 }
    }))
}
