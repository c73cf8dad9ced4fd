//! What is made of the measurements.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// How much is written for each request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExportLevel {
    /// The summary alone.
    Summary,
    /// And one line for each request.
    #[default]
    Records,
    /// And bodies and events of each request.
    Raw,
}

/// Progress while running.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ui {
    /// Nothing.
    None,
    /// A progress line on a terminal.
    #[default]
    Simple,
}

/// A service-level objective: a metric and its limit in the metric's display unit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GoodputTarget {
    /// Metric tag.
    pub tag: String,
    /// The limit: an upper one, or a lower one for metrics that are better when larger.
    pub limit: f64,
}

/// How many requests may fail before the exit code says so.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureTolerance {
    /// So many.
    Count(u64),
    /// So many in a hundred attempted.
    Percent(f64),
}

impl Default for FailureTolerance {
    fn default() -> Self {
        Self::Count(0)
    }
}

/// What is reported and where.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReportPlan {
    /// Objectives that a request must all meet to be good.
    pub goodput: Vec<GoodputTarget>,
    /// Length of the time slices in seconds.
    pub slice_s: Option<f64>,
    /// Where files go; made from the model, endpoint and load if absent.
    pub artifact_dir: Option<PathBuf>,
    /// Stem of the files, `profile_export` by default.
    pub prefix: String,
    /// How much is written.
    pub export_level: ExportLevel,
    /// Write `outputs.json`.
    pub outputs_json: bool,
    /// Write `events.parquet`.
    pub events_parquet: bool,
    /// Progress.
    pub ui: Ui,
    /// 0, or how often `-v` was given.
    pub verbosity: u8,
    /// Failures that are put up with.
    pub allow_failed: FailureTolerance,
    /// Turn warnings into a failing exit code.
    pub strict: bool,
}
