//! The progress line: on standard error, for people alone.

use std::io::IsTerminal;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use tokamark_plan::{Plan, Ui};

/// How a run stands.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Standing {
    /// Requests that are over.
    pub(crate) done: u64,
    /// Those of them that failed.
    pub(crate) failed: u64,
    /// Requests that are not over.
    pub(crate) in_flight: u64,
    /// Seconds since the measured phase began.
    pub(crate) elapsed_s: f64,
    /// Median and 99th percentile of the time to first token so far, in milliseconds.
    pub(crate) ttft_ms: Option<(f64, f64)>,
}

/// The line. Without a terminal, or with `--ui none`, it is silent.
pub(crate) struct Progress {
    bar: ProgressBar,
    /// What the bar fills up with: requests, else seconds.
    count: Option<u64>,
}

impl Progress {
    /// For a run of this plan.
    pub(crate) fn new(plan: &Plan) -> Self {
        let shown = plan.report.ui == Ui::Simple && std::io::stderr().is_terminal();
        let target = if shown { ProgressDrawTarget::stderr_with_hz(5) } else { ProgressDrawTarget::hidden() };
        let count = plan.load.request_count;
        let length = count.or_else(|| plan.load.duration_s.map(whole));
        let bar = ProgressBar::with_draw_target(length, target);
        let unit = if count.is_some() { "requests" } else { "s" };
        if let Ok(style) = ProgressStyle::with_template(&format!("{{bar:30}} {{pos}}/{{len}} {unit}  {{msg}}")) {
            bar.set_style(style.progress_chars("=> "));
        }
        Self { bar, count }
    }

    /// Shows how the run stands.
    pub(crate) fn show(&self, standing: &Standing) {
        self.bar.set_position(if self.count.is_some() { standing.done } else { whole(standing.elapsed_s) });
        self.bar.set_message(message(standing));
    }

    /// Takes the line away, so that the report begins on a clean one.
    pub(crate) fn clear(&self) {
        self.bar.finish_and_clear();
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the cast saturates, which is what is wanted"
)]
fn whole(seconds: f64) -> u64 {
    seconds as u64
}

#[expect(clippy::cast_precision_loss, reason = "counts of requests are far below 2^53")]
fn message(standing: &Standing) -> String {
    let Standing { done, failed, in_flight, elapsed_s, ttft_ms } = *standing;
    let rate = if elapsed_s > 0.0 { done as f64 / elapsed_s } else { 0.0 };
    let ttft = ttft_ms.map(|(p50, p99)| format!(", TTFT p50 {p50:.1} ms, p99 {p99:.1} ms")).unwrap_or_default();
    format!("{rate:.1}/s, {failed} failed, {in_flight} in flight{ttft}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_message_says_what_matters() {
        let mut standing = Standing { done: 30, failed: 2, in_flight: 8, elapsed_s: 2.0, ttft_ms: None };
        assert_eq!(message(&standing), "15.0/s, 2 failed, 8 in flight");
        standing.ttft_ms = Some((12.34, 56.0));
        assert_eq!(message(&standing), "15.0/s, 2 failed, 8 in flight, TTFT p50 12.3 ms, p99 56.0 ms");
        assert_eq!(message(&Standing::default()), "0.0/s, 0 failed, 0 in flight");
    }
}
