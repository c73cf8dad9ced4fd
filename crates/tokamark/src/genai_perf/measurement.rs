//! How long it is measured: a number of requests, or windows of time until they agree.

use std::time::Duration;

use super::args::GenaiArgs;
use super::pass_through::{MeasurementMode, PassThrough};
use crate::problems::Problems;
use crate::resolve::values::{Range, decimal, whole};

/// perf_analyzer's window, milliseconds.
const DEFAULT_WINDOW_MS: u64 = 5_000;
/// Windows may differ by so many percent, unless the user says otherwise: that is, as they like.
const DEFAULT_STABILITY: f64 = 999.0;
/// perf_analyzer's limit of windows.
const DEFAULT_TRIALS: u64 = 10;
/// So many windows in a row must agree.
const WINDOWS: u64 = 3;

/// How long it is measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Measurement {
    /// So many requests, or as many as the load needs.
    Requests(Option<u64>),
    /// Windows of time.
    Windows(Windows),
}

/// Windows of time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Windows {
    /// Length of a window, milliseconds.
    pub(crate) interval_ms: u64,
    /// How far the last three may differ, in percent.
    pub(crate) stability: f64,
    /// Windows at most.
    pub(crate) trials: u64,
}

impl Windows {
    /// Whether the number of windows depends on what they come to.
    pub(super) fn may_end_early(&self) -> bool {
        self.stability < DEFAULT_STABILITY && self.trials > WINDOWS
    }

    /// Seconds after which it ends in any case.
    #[expect(clippy::cast_precision_loss, reason = "days of milliseconds are far below 2^53")]
    pub(super) fn longest_s(&self) -> f64 {
        let windows = if self.stability >= DEFAULT_STABILITY { WINDOWS.min(self.trials) } else { self.trials };
        Duration::from_millis(self.interval_ms).as_secs_f64() * windows as f64
    }
}

/// What the flags and the words behind `--` say.
pub(super) fn resolve(args: &GenaiArgs, passed: &PassThrough, problems: &mut Problems) -> Measurement {
    let stability = args.stability_percentage.as_ref().or(passed.stability_percentage.as_ref());
    let stability =
        decimal("--stability-percentage", stability, Range::Positive, problems).unwrap_or(DEFAULT_STABILITY);
    if !(1.0..=DEFAULT_STABILITY).contains(&stability) {
        problems.add("--stability-percentage", format!("must be from 1 to 999, not {stability}"));
    }
    let interval = args.measurement_interval.as_ref().or(passed.measurement_interval.as_ref());
    let interval_ms = whole("--measurement-interval", interval, 1, u64::MAX, problems);
    let trials = whole("--max-trials", passed.max_trials.as_ref(), 1, u64::MAX, problems).unwrap_or(DEFAULT_TRIALS);
    let count = args.request_count.as_ref().or(passed.request_count.as_ref());
    let by_windows = match passed.mode {
        Some(MeasurementMode::Windows) => true,
        Some(MeasurementMode::Requests) => false,
        None => interval_ms.is_some() && count.is_none(),
    };
    if by_windows {
        return Measurement::Windows(Windows {
            interval_ms: interval_ms.unwrap_or(DEFAULT_WINDOW_MS),
            stability,
            trials,
        });
    }
    // The count is read, with its message, where the load is.
    Measurement::Requests(count.and_then(|count| count.trim().parse().ok()))
}
