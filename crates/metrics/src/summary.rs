//! The summary of a run: all that is printed or exported about it, and nothing else.

use serde::Serialize;
use tokamark_plan::Plan;
use tokamark_record::{RunFacts, StopReason};

use crate::errors::ErrorGroup;
use crate::health::Health;
use crate::phase::Counts;
use crate::slices::Slice;
use crate::stats::Metrics;
use crate::warnings::Warning;

/// Which run it was. Times are nanoseconds since the Unix epoch.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RunInfo {
    /// 12 hex digits.
    pub run_id: String,
    /// Version of the program.
    pub tokamark_version: String,
    /// The command line without secrets.
    pub command: Vec<String>,
    /// When the measured phase began.
    pub start_ns: u64,
    /// When its last request was sent.
    pub sent_ns: u64,
    /// When its last request was over.
    pub end_ns: u64,
    /// When the first request that was ok was sent: the start of the window of all rates.
    pub window_start_ns: Option<u64>,
    /// When the last generated text of one came: the end of that window.
    pub window_end_ns: Option<u64>,
    /// Why the run ended.
    pub stop: StopReason,
    /// The seed of every draw.
    pub seed: u64,
    /// SHA-256 of the workload in hex.
    pub dataset_digest: String,
    /// What counted tokens on the client.
    pub tokenizer: String,
    /// It was not the model's own.
    pub tokenizer_is_fallback: bool,
    /// Worker threads.
    pub workers: u16,
}

impl RunInfo {
    pub(crate) fn of(facts: &RunFacts, window: Option<(u64, u64)>) -> Self {
        let wall = |at: u64| facts.anchor_start.wall(at);
        Self {
            run_id: facts.run_id.clone(),
            tokamark_version: facts.tokamark_version.clone(),
            command: facts.command.clone(),
            start_ns: wall(facts.profiling.start_ns),
            sent_ns: wall(facts.profiling.sent_ns),
            end_ns: wall(facts.profiling.end_ns),
            window_start_ns: window.map(|(start, _)| wall(start)),
            window_end_ns: window.map(|(_, end)| wall(end)),
            stop: facts.stop,
            seed: facts.plan.load.seed,
            dataset_digest: facts.workload_digest.clone(),
            tokenizer: facts.tokenizer.clone(),
            tokenizer_is_fallback: facts.tokenizer_is_fallback,
            workers: facts.workers,
        }
    }
}

/// The warm-up, which is in no other figure.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WarmupSummary {
    /// How its requests ended.
    pub counts: Counts,
    /// What they measured.
    pub metrics: Metrics,
    /// What went wrong.
    pub errors: Vec<ErrorGroup>,
}

/// A run in figures.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// Which run it was.
    pub run: RunInfo,
    /// The plan that was carried out.
    pub plan: Plan,
    /// How the measured requests ended.
    pub counts: Counts,
    /// What they measured.
    pub metrics: Metrics,
    /// What went wrong.
    pub errors: Vec<ErrorGroup>,
    /// What the reader should know before trusting the figures.
    pub warnings: Vec<Warning>,
    /// What those warnings rest on, and more.
    pub health: Health,
    /// The run was interrupted or aborted.
    pub was_cancelled: bool,
    /// The warm-up, if there was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub warmup: Option<WarmupSummary>,
    /// Slices of the measured phase, if they were asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub slices: Vec<Slice>,
}
