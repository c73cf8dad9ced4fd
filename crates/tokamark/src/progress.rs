//! The progress line: on standard error, for people alone.

use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use tokamark_plan::Ui;
use tokamark_record::Phase;
use tokamark_run::{Live, LiveStats};

const INTERVAL: Duration = Duration::from_millis(200);

/// The line. Without a terminal, or with `--ui none`, there is none.
pub(crate) struct Progress {
    bar: Option<ProgressBar>,
    drawing: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Progress {
    /// A line that is not drawn before [`follow`](Self::follow).
    pub(crate) fn new(ui: Ui) -> Self {
        let shown = ui == Ui::Simple && std::io::stderr().is_terminal();
        let bar = shown.then(|| ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr()));
        Self { bar, drawing: None }
    }

    /// Draws how the run stands, again and again, until [`clear`](Self::clear).
    pub(crate) fn follow(&mut self, live: &Arc<Live>) {
        let Some(bar) = self.bar.clone() else { return };
        let live = Arc::clone(live);
        let (stop, stopped) = channel();
        let draw = move || {
            while stopped.recv_timeout(INTERVAL) == Err(RecvTimeoutError::Timeout) {
                show(&bar, &live.stats());
            }
        };
        // A run goes on without its progress line.
        if let Ok(thread) = std::thread::Builder::new().name("progress".to_owned()).spawn(draw) {
            self.drawing = Some((stop, thread));
        }
    }

    /// Says something beside the line.
    pub(crate) fn note(&self, text: &str) {
        let say = || eprintln!("note: {text}");
        match &self.bar {
            Some(bar) => bar.suspend(say),
            None => say(),
        }
    }

    /// Takes the line away, so that the report begins on a clean one.
    pub(crate) fn clear(&mut self) {
        if let Some((stop, thread)) = self.drawing.take() {
            drop(stop);
            let _ = thread.join();
        }
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

fn show(bar: &ProgressBar, stats: &LiveStats) {
    let (done, of) = match (stats.request_count, stats.duration_s) {
        (Some(count), _) => (stats.over, Some(count)),
        (None, Some(seconds)) => (whole(stats.elapsed_s), Some(whole(seconds))),
        (None, None) => (stats.over, None),
    };
    let counter = match (of, stats.request_count) {
        (Some(_), Some(_)) => "{bar:30} {pos}/{len}  {msg}",
        (Some(_), None) => "{bar:30} {pos}/{len} s  {msg}",
        (None, _) => "{spinner} {msg}",
    };
    if let Ok(style) = ProgressStyle::with_template(counter) {
        bar.set_style(style.progress_chars("=> "));
    }
    if let Some(of) = of {
        bar.set_length(of);
    }
    bar.set_position(done);
    bar.set_message(message(stats));
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
fn message(stats: &LiveStats) -> String {
    let phase = match stats.phase {
        None => return "getting ready".to_owned(),
        Some(Phase::Warmup) => "warm-up: ",
        Some(Phase::Profiling) => "",
    };
    let rate = if stats.elapsed_s > 0.0 { stats.over as f64 / stats.elapsed_s } else { 0.0 };
    let ttft = match (stats.ttft_p50_ms, stats.ttft_p99_ms) {
        (Some(p50), Some(p99)) => format!(", TTFT p50 {p50:.1} ms, p99 {p99:.1} ms"),
        _ => String::new(),
    };
    format!("{phase}{rate:.1}/s, {} failed, {} in flight{ttft}", stats.failed, stats.in_flight)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_message_says_what_matters() {
        let mut stats = LiveStats {
            phase: Some(Phase::Profiling),
            over: 30,
            failed: 2,
            in_flight: 8,
            elapsed_s: 2.0,
            ..LiveStats::default()
        };
        assert_eq!(message(&stats), "15.0/s, 2 failed, 8 in flight");
        (stats.ttft_p50_ms, stats.ttft_p99_ms) = (Some(12.34), Some(56.0));
        assert_eq!(message(&stats), "15.0/s, 2 failed, 8 in flight, TTFT p50 12.3 ms, p99 56.0 ms");
        stats.phase = Some(Phase::Warmup);
        assert!(message(&stats).starts_with("warm-up: 15.0/s"));
        assert_eq!(message(&LiveStats::default()), "getting ready");
    }
}
