//! When the rows of a trace are sent.

/// Why times cannot be changed as asked.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TimingError {
    /// The window ends before it begins.
    #[error("the start offset of {start_ms} ms lies behind the end offset of {end_ms} ms, so no row would be left")]
    Window {
        /// First moment, milliseconds.
        start_ms: f64,
        /// Last moment, milliseconds.
        end_ms: f64,
    },
}

/// A time or a delay divided by a speed-up; a speed-up of 0 sends all at once.
#[must_use]
pub fn divided(ms: f64, speedup: f64) -> f64 {
    if speedup > 0.0 { ms / speedup } else { 0.0 }
}

/// The part of a trace that is replayed, in the trace's own time; both ends belong to it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Window {
    start_ms: Option<f64>,
    end_ms: Option<f64>,
}

impl Window {
    /// From a moment to another, milliseconds; open where none is given.
    ///
    /// # Errors
    /// If it ends before it begins.
    pub fn new(start_ms: Option<f64>, end_ms: Option<f64>) -> Result<Self, TimingError> {
        match (start_ms, end_ms) {
            (Some(start_ms), Some(end_ms)) if start_ms > end_ms => Err(TimingError::Window { start_ms, end_ms }),
            _ => Ok(Self { start_ms, end_ms }),
        }
    }

    /// Whether a row of this time is replayed.
    #[must_use]
    pub fn holds(&self, ms: f64) -> bool {
        self.start_ms.is_none_or(|start| ms >= start) && self.end_ms.is_none_or(|end| ms <= end)
    }
}

/// A stretch of time, milliseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Span {
    /// Its beginning.
    pub start_ms: f64,
    /// Its end.
    pub end_ms: f64,
}

impl Span {
    /// A moment: a request of which only the sending counts.
    #[must_use]
    pub fn moment(ms: f64) -> Self {
        Self { start_ms: ms, end_ms: ms }
    }
}

/// A timeline whose idle gaps are cut to a longest one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GapCaps {
    /// The ends of the gaps that were cut, with all that was cut up to there, milliseconds.
    cuts: Vec<(f64, f64)>,
}

impl GapCaps {
    /// Cuts the gaps between busy spans, which come in the order of their beginnings, to `cap_ms`.
    pub fn new(spans: impl IntoIterator<Item = Span>, cap_ms: f64) -> Self {
        let mut cuts = Vec::new();
        let mut busy_until: Option<f64> = None;
        let mut total = 0.0;
        for span in spans {
            if let Some(until) = busy_until {
                let excess = span.start_ms - until - cap_ms;
                if excess > 0.0 {
                    total += excess;
                    cuts.push((span.start_ms, total));
                }
            }
            busy_until = Some(busy_until.map_or(span.end_ms, |until| until.max(span.end_ms)));
        }
        Self { cuts }
    }

    /// The time that the beginning of a span has now, milliseconds.
    #[must_use]
    pub fn moved(&self, ms: f64) -> f64 {
        let passed = self.cuts.partition_point(|(end, _)| *end <= ms);
        passed.checked_sub(1).and_then(|last| self.cuts.get(last)).map_or(ms, |(_, cut)| ms - cut)
    }
}

/// How recorded think times become those that are kept.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ThinkTimes {
    /// They are divided by it; 0 leaves none.
    pub speedup: f64,
    /// Then multiplied by it.
    pub ratio: f64,
    /// And then cut to it, milliseconds.
    pub cap_ms: Option<f64>,
}

impl Default for ThinkTimes {
    fn default() -> Self {
        Self { speedup: 1.0, ratio: 1.0, cap_ms: None }
    }
}

impl ThinkTimes {
    /// The think time to keep, milliseconds.
    #[must_use]
    pub fn of(&self, recorded_ms: f64) -> f64 {
        let kept = divided(recorded_ms, self.speedup) * self.ratio;
        self.cap_ms.map_or(kept, |cap| kept.min(cap))
    }
}

/// The think time before a request that began at `start_ms` and followed another: from that one's end, and never
/// negative, because requests of one session may overlap.
#[must_use]
pub fn closed_loop_delay(previous: Span, start_ms: f64) -> f64 {
    (start_ms - previous.end_ms).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_speedup_of_0_sends_all_at_once() {
        assert_eq!([divided(100.0, 4.0), divided(100.0, 0.0), divided(100.0, 0.5)], [25.0, 0.0, 200.0]);
    }

    #[test]
    fn both_ends_of_a_window_belong_to_it() {
        let window = Window::new(Some(10.0), Some(20.0)).unwrap();
        assert_eq!([9.999, 10.0, 20.0, 20.001].map(|ms| window.holds(ms)), [false, true, true, false]);
        assert!(Window::default().holds(0.0) && Window::new(None, Some(5.0)).unwrap().holds(-1.0));
        assert!(Window::new(Some(5.0), Some(5.0)).unwrap().holds(5.0));
        assert!(Window::new(Some(5.0), Some(4.0)).is_err());
    }

    #[test]
    fn gaps_between_sendings_are_cut() {
        let times = [0.0, 10.0, 110.0, 120.0, 1120.0];
        let caps = GapCaps::new(times.map(Span::moment), 50.0);
        assert_eq!(times.map(|ms| caps.moved(ms)), [0.0, 10.0, 60.0, 70.0, 120.0]);
    }

    #[test]
    fn a_gap_begins_when_the_last_request_ends() {
        let spans = [(0.0, 100.0), (10.0, 20.0), (130.0, 140.0), (240.0, 250.0)];
        let spans = spans.map(|(start_ms, end_ms)| Span { start_ms, end_ms });
        let caps = GapCaps::new(spans, 40.0);
        assert_eq!(spans.map(|span| caps.moved(span.start_ms)), [0.0, 10.0, 130.0, 180.0]);
    }

    #[test]
    fn gaps_that_are_short_enough_stay() {
        let caps = GapCaps::new([5.0, 6.0, 7.0].map(Span::moment), 1.0);
        assert_eq!(caps, GapCaps::default());
        assert_eq!(caps.moved(6.0), 6.0);
    }

    #[test]
    fn think_times_are_divided_then_scaled_then_cut() {
        let times = ThinkTimes { speedup: 2.0, ratio: 3.0, cap_ms: Some(100.0) };
        assert_eq!([times.of(40.0), times.of(80.0)], [60.0, 100.0]);
        assert_eq!(ThinkTimes::default().of(7.5), 7.5);
        assert_eq!(ThinkTimes { speedup: 0.0, ..ThinkTimes::default() }.of(7.5), 0.0);
    }

    #[test]
    fn overlapping_requests_leave_no_think_time() {
        let previous = Span { start_ms: 0.0, end_ms: 50.0 };
        assert_eq!([closed_loop_delay(previous, 80.0), closed_loop_delay(previous, 20.0)], [30.0, 0.0]);
    }
}
