//! The part of the samples that counts.

use serde::{Deserialize, Serialize};

use crate::samples::{Scrape, Series};

/// The measured time, in nanoseconds of the monotonic clock; both borders belong to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Window {
    /// Its start.
    pub start_ns: u64,
    /// Its end.
    pub end_ns: u64,
}

impl Window {
    /// Its length in seconds.
    #[must_use]
    pub fn seconds(self) -> f64 {
        seconds(self.start_ns, self.end_ns)
    }

    pub(crate) fn contains(self, at_ns: u64) -> bool {
        self.start_ns <= at_ns && at_ns <= self.end_ns
    }

    /// The scrapes that enclose the window: the last one not after its start (else the first of all) and the first one not
    /// before its end (else the last of all).
    pub(crate) fn enclosing(self, scrapes: &[Scrape]) -> Option<(usize, usize)> {
        let last = scrapes.len().checked_sub(1)?;
        let first = scrapes.partition_point(|scrape| scrape.at_ns() <= self.start_ns).saturating_sub(1);
        let end = scrapes.partition_point(|scrape| scrape.at_ns() < self.end_ns).min(last);
        Some((first, end.max(first)))
    }
}

/// The seconds from one instant to a later one; 0 if it is not later.
#[expect(clippy::cast_precision_loss, reason = "a run is shorter than the 104 days that a float counts exactly")]
pub(crate) fn seconds(from_ns: u64, to_ns: u64) -> f64 {
    to_ns.saturating_sub(from_ns) as f64 / 1e9
}

/// The values of a series within the window.
pub(crate) fn values_within(series: &Series, scrapes: &[Scrape], window: Window) -> Vec<f64> {
    scrapes
        .iter()
        .zip(series.values())
        .filter(|(scrape, _)| window.contains(scrape.at_ns()))
        .filter_map(|(_, value)| value)
        .filter(|value| value.is_finite())
        .collect()
}

/// The last value of a series at or before a scrape.
pub(crate) fn value_at(series: &Series, scrape: usize) -> Option<f64> {
    series.values().take(scrape + 1).flatten().last()
}
