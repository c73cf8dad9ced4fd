//! The exit codes. They are part of the interface: scripts rely on them.

use tokamark_metrics::{Counts, Summary};
use tokamark_plan::FailureTolerance;
use tokamark_record::StopReason;

/// All went well.
pub(crate) const OK: u8 = 0;
/// The run could not be made, or its results could not be written.
pub(crate) const COULD_NOT_RUN: u8 = 1;
/// The command line is wrong; nothing was sent.
pub(crate) const USAGE: u8 = 2;
/// The run was made, but more requests failed than allowed.
pub(crate) const FAILED_REQUESTS: u8 = 3;
/// A `--strict` rule failed.
pub(crate) const STRICT: u8 = 4;
/// Somebody interrupted the run; what was measured has been reported.
pub(crate) const INTERRUPTED: u8 = 130;

/// The exit code of a run that was carried out and reported. An interrupt says more than failures, and these more than
/// warnings.
pub(crate) fn of(summary: &Summary) -> u8 {
    let report = &summary.plan.report;
    match summary.run.stop {
        // A killed run, reported from what its record holds, was interrupted as well.
        StopReason::Interrupted | StopReason::Unfinished => INTERRUPTED,
        StopReason::Aborted => COULD_NOT_RUN,
        _ if !tolerated(&summary.counts, report.allow_failed) => FAILED_REQUESTS,
        _ if report.strict && !summary.warnings.is_empty() => STRICT,
        _ => OK,
    }
}

fn tolerated(counts: &Counts, tolerance: FailureTolerance) -> bool {
    match tolerance {
        FailureTolerance::Count(allowed) => counts.failed <= allowed,
        #[expect(clippy::cast_precision_loss, reason = "counts of requests are far below 2^53")]
        FailureTolerance::Percent(allowed) => counts.failed as f64 * 100.0 <= allowed * counts.attempted as f64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_are_held_against_the_tolerance() {
        let counts = |attempted, failed| Counts { attempted, ok: attempted - failed, failed, cancelled: 0 };
        for (attempted, failed, tolerance, expected) in [
            (10, 0, FailureTolerance::Count(0), true),
            (10, 1, FailureTolerance::Count(0), false),
            (10, 3, FailureTolerance::Count(3), true),
            (10, 4, FailureTolerance::Count(3), false),
            (0, 0, FailureTolerance::Percent(0.0), true),
            (200, 5, FailureTolerance::Percent(2.5), true),
            (200, 6, FailureTolerance::Percent(2.5), false),
            (10, 10, FailureTolerance::Percent(100.0), true),
        ] {
            assert_eq!(tolerated(&counts(attempted, failed), tolerance), expected, "{failed} of {attempted}");
        }
    }
}
