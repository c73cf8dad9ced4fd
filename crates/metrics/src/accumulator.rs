//! Takes one record after the other and ends with the summary; memory does not grow with the length of the run.

use std::path::PathBuf;

use thiserror::Error;
use tokamark_plan::Plan;
use tokamark_record::{Phase, RequestRecord, RunFacts};

use crate::goodput::{Objective, ObjectiveError};
use crate::health::HealthTotals;
use crate::phase::{PhaseTotals, Storage};
use crate::request::RequestMetrics;
use crate::slices::Slices;
use crate::summary::{RunInfo, Summary, WarmupSummary};
use crate::verdicts;

/// Values of each metric that stay in memory; the others go to unlinked temporary files.
const VALUES_IN_MEMORY: usize = 1 << 15;

/// Why there is no summary.
#[derive(Debug, Error)]
pub enum SummaryError {
    /// A temporary file with measurements failed.
    #[error("measurements could not be read back from a temporary file: {0}; check the temporary folder's disk")]
    Storage(#[from] std::io::Error),
}

/// Collects a run.
#[derive(Debug)]
pub struct Accumulator {
    objectives: Vec<Objective>,
    profiling: PhaseTotals,
    warmup: PhaseTotals,
    health: HealthTotals,
    slices: Option<Slices>,
}

impl Accumulator {
    /// For a run of this plan. `spill_dir` takes temporary files; the system's temporary folder if absent.
    ///
    /// # Errors
    /// An objective of the plan cannot be judged.
    pub fn new(plan: &Plan, spill_dir: Option<PathBuf>) -> Result<Self, ObjectiveError> {
        let objectives = Objective::of_plan(plan)?;
        let storage = Storage { limit: VALUES_IN_MEMORY, dir: spill_dir };
        let judged = !objectives.is_empty();
        Ok(Self {
            profiling: PhaseTotals::new(&storage, judged),
            warmup: PhaseTotals::new(&storage, false),
            health: HealthTotals::new(plan, &storage),
            slices: plan.report.slice_s.filter(|length| *length > 0.0).map(|length| Slices::new(length, judged)),
            objectives,
        })
    }

    /// Says when the measured phase began (monotonic nanoseconds), where the grid of slices starts. Without it the grid
    /// starts with the first request that is added.
    pub fn begin_profiling(&mut self, start_ns: u64) {
        if let Some(slices) = &mut self.slices {
            slices.begin(start_ns);
        }
    }

    /// Adds a request, and gives back what it measured.
    pub fn add(&mut self, record: &RequestRecord) -> RequestMetrics {
        let mut metrics = RequestMetrics::of(record);
        match record.phase {
            Phase::Warmup => self.warmup.add(record, &metrics),
            Phase::Profiling => {
                metrics.judge(record, &self.objectives);
                self.profiling.add(record, &metrics);
                self.health.add(record, &metrics);
                if let Some(slices) = &mut self.slices {
                    slices.add(record, &metrics);
                }
            }
        }
        metrics
    }

    /// How the measured requests that were added so far ended.
    #[must_use]
    pub fn counts(&self) -> crate::phase::Counts {
        self.profiling.counts
    }

    /// The summary of what was added.
    ///
    /// # Errors
    /// A temporary file could not be read back.
    pub fn finish(&self, facts: &RunFacts) -> Result<Summary, SummaryError> {
        let totals = &self.profiling;
        let metrics = totals.metrics(totals.window())?;
        let health = self.health.finish(facts, totals, &metrics)?;
        let warmup = if self.warmup.counts.attempted > 0 {
            Some(WarmupSummary {
                counts: self.warmup.counts,
                metrics: self.warmup.metrics(self.warmup.window())?,
                errors: self.warmup.errors.finish(),
            })
        } else {
            None
        };
        let mut summary = Summary {
            run: RunInfo::of(facts, totals.window_bounds()),
            plan: facts.plan.clone(),
            counts: totals.counts,
            metrics,
            errors: totals.errors.finish(),
            warnings: Vec::new(),
            health,
            was_cancelled: facts.stop.is_early(),
            warmup,
            slices: match &self.slices {
                Some(slices) => slices.finish(&facts.anchor_start)?,
                None => Vec::new(),
            },
        };
        summary.warnings = verdicts::of(&summary, facts);
        Ok(summary)
    }
}
