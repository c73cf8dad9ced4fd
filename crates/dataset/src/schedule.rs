//! From the times of a file to those of its replay.

use tokamark_plan::TracePlan;
use tokamark_trace::{TimingError, Window, divided};

/// How times are moved, and which conversations lie in the part that is replayed.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Schedule {
    /// The time that becomes 0.
    zero_ms: f64,
    /// The time that stays in its place when times are divided: the pacer takes the start offset for it.
    anchor_ms: f64,
    /// What times are divided by; none if they stay.
    speedup: Option<f64>,
    window: Window,
}

impl Schedule {
    /// The schedule of a plan. The speed-up is one of traces only.
    pub(crate) fn of(plan: &TracePlan, is_trace: bool) -> Result<Self, TimingError> {
        let offsets = plan.schedule.map_or((None, None), |plan| (plan.start_offset_ms, plan.end_offset_ms));
        let speedup = plan.synthesis.speedup_ratio;
        Ok(Self {
            zero_ms: 0.0,
            anchor_ms: offsets.0.unwrap_or(0.0),
            speedup: (is_trace && speedup != 1.0).then_some(speedup),
            window: Window::new(offsets.0, offsets.1)?,
        })
    }

    /// The same with the earliest of these times as 0.
    pub(crate) fn starting_at_first(self, starts_ms: &[f64]) -> Self {
        Self { zero_ms: starts_ms.iter().copied().fold(f64::INFINITY, f64::min), ..self }
    }

    /// Which of the conversations are replayed; none if all are.
    pub(crate) fn chosen(&self, starts_ms: &[f64]) -> Option<Vec<u32>> {
        let holds = |&(_, &start): &(u32, &f64)| self.window.holds(start - self.zero_ms);
        let chosen: Vec<u32> = (0..).zip(starts_ms).filter(holds).map(|(number, _)| number).collect();
        (chosen.len() != starts_ms.len()).then_some(chosen)
    }

    /// A time of the replay.
    pub(crate) fn moment(&self, ms: f64) -> f64 {
        let ms = ms - self.zero_ms;
        self.speedup.map_or(ms, |speedup| self.anchor_ms + divided(ms - self.anchor_ms, speedup))
    }
}
