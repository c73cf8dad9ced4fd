//! Windows of time until three in a row agree, as perf_analyzer measures.

use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use tokamark_record::Phase;
use tokamark_run::{Control, LiveStats};

use super::measurement::Windows;

/// So many windows in a row must agree.
const AGREEING: usize = 3;

/// What a window came to.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Window {
    /// Answered requests per second.
    rate: f64,
    /// Their mean latency, milliseconds.
    latency_ms: f64,
}

/// Ends the measured phase once the windows agree. It stops by itself when it is dropped.
pub(crate) struct Watch {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Watch {
    /// Begins to look at a run.
    pub(crate) fn start(windows: Windows, control: &Control) -> Self {
        let control = control.clone();
        let (stop, stopped) = channel();
        let look = move || {
            let interval = Duration::from_millis(windows.interval_ms);
            let (mut seen, mut before) = (Vec::new(), None::<LiveStats>);
            while stopped.recv_timeout(interval) == Err(RecvTimeoutError::Timeout) {
                let now = control.live.stats();
                if now.phase != Some(Phase::Profiling) {
                    continue;
                }
                seen.extend(before.replace(now).and_then(|before| window(&before, &now)));
                if agree(&seen, windows.stability) {
                    control.stop.end_phase();
                    return;
                }
            }
        };
        // Without it all windows are measured.
        let thread = std::thread::Builder::new().name("windows".to_owned()).spawn(look).ok();
        Self { stop: Some(stop), thread }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// What lies between two looks; none if nothing was answered.
#[expect(clippy::cast_precision_loss, reason = "counts of requests are far below 2^53")]
fn window(before: &LiveStats, now: &LiveStats) -> Option<Window> {
    let answered = now.ok.saturating_sub(before.ok);
    let seconds = now.elapsed_s - before.elapsed_s;
    (answered > 0 && seconds > 0.0).then(|| Window {
        rate: answered as f64 / seconds,
        latency_ms: (now.latency_sum_ms - before.latency_sum_ms) / answered as f64,
    })
}

/// Whether the last three windows lie within so many percent of each other, in rate and in latency.
fn agree(windows: &[Window], percent: f64) -> bool {
    let Some(last) = windows.len().checked_sub(AGREEING).and_then(|first| windows.get(first..)) else { return false };
    let within = |value: fn(&Window) -> f64| {
        let (least, most) = last
            .iter()
            .map(value)
            .fold((f64::INFINITY, 0.0_f64), |(least, most), value| (least.min(value), most.max(value)));
        most <= least * (1.0 + percent / 100.0)
    };
    within(|window| window.rate) && within(|window| window.latency_ms)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_windows_in_a_row_must_agree() {
        let windows =
            |rates: &[f64]| rates.iter().map(|rate| Window { rate: *rate, latency_ms: 10.0 }).collect::<Vec<_>>();
        assert!(!agree(&windows(&[100.0, 100.0]), 10.0));
        assert!(agree(&windows(&[50.0, 100.0, 105.0, 110.0]), 10.0));
        assert!(!agree(&windows(&[100.0, 105.0, 111.0]), 10.0));
        let mut slow = windows(&[100.0, 100.0, 100.0]);
        slow[2].latency_ms = 12.0;
        assert!(!agree(&slow, 10.0) && agree(&slow, 20.0));
    }

    #[test]
    fn a_window_is_what_lies_between_two_looks() {
        let look = |ok, elapsed_s, latency_sum_ms| LiveStats { ok, elapsed_s, latency_sum_ms, ..LiveStats::default() };
        let found = window(&look(10, 1.0, 100.0), &look(30, 3.0, 500.0));
        assert_eq!(found, Some(Window { rate: 10.0, latency_ms: 20.0 }));
        assert_eq!(window(&look(10, 1.0, 100.0), &look(10, 3.0, 100.0)), None);
    }
}
