//! What is to be said beside the figures.

use serde::{Deserialize, Serialize};

/// What a warning is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WarningCode {
    /// A page could not be had, or not any more.
    Unreachable,
    /// No sample lies within the window.
    NoSamples,
    /// The page shows no GPU.
    NoGpus,
    /// Lines of a page could not be read.
    BadLines,
    /// An energy was worked out from few updates, or from samples that cover only a part of the window.
    RoughEnergy,
    /// Scrapes were let go for want of memory.
    Thinned,
}

/// A warning about one page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TelemetryWarning {
    /// What it is about.
    pub code: WarningCode,
    /// The page, without credentials.
    pub url: String,
    /// What happened, in one sentence.
    pub message: String,
    /// What to do about it.
    pub hint: String,
}
