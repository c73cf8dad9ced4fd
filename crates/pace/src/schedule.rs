//! The instants at which conversations or requests are due, and when to stop.

use std::sync::Arc;

use tokamark_clock::from_seconds;
use tokamark_plan::LoadPlan;

use crate::Arrivals;

/// A request that may be sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ticket {
    /// Number of its conversation in the phase, from 0.
    pub session: u64,
    /// Its number in the phase, from 0.
    pub seq: u64,
    /// When it is due, monotonic nanoseconds.
    pub due_ns: u64,
}

/// When to stop sending.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StopRule {
    /// Send so many requests.
    pub count: Option<u64>,
    /// Begin so many conversations.
    pub sessions: Option<u64>,
    /// Send nothing from this instant on, monotonic nanoseconds.
    pub deadline_ns: Option<u64>,
}

impl StopRule {
    /// The rule of the measured phase that starts at `start_ns`.
    #[must_use]
    pub fn of(load: &LoadPlan, start_ns: u64) -> Self {
        Self {
            count: load.request_count,
            sessions: load.session_count,
            deadline_ns: load.duration_s.map(|seconds| start_ns.saturating_add(from_seconds(seconds))),
        }
    }

    /// Whether request `seq` may be sent at `now_ns`.
    #[must_use]
    pub fn admits(&self, seq: u64, now_ns: u64) -> bool {
        self.count.is_none_or(|count| seq < count) && self.deadline_ns.is_none_or(|deadline| now_ns < deadline)
    }
}

/// Due instants in order, as monotonic nanoseconds. It is the same for any number of workers, each of which walks it by
/// itself.
#[derive(Clone, Debug)]
pub struct Schedule {
    start_ns: u64,
    source: Source,
}

#[derive(Clone, Debug)]
enum Source {
    /// Requests arrive, whichever they are.
    Arrivals(Box<Arrivals>),
    /// Conversation `next` begins.
    Fixed { offsets: Arc<[u64]>, next: usize },
}

impl Schedule {
    /// Requests arrive by a process that starts at `start_ns`.
    #[must_use]
    pub fn arrivals(arrivals: Arrivals, start_ns: u64) -> Self {
        Self { start_ns, source: Source::Arrivals(Box::new(arrivals)) }
    }

    /// Conversations begin at these nanoseconds after `start_ns`; ascending.
    #[must_use]
    pub fn fixed(offsets: Arc<[u64]>, start_ns: u64) -> Self {
        Self { start_ns, source: Source::Fixed { offsets, next: 0 } }
    }

    /// Whether it says when each request is due, not only when conversations begin.
    #[must_use]
    pub fn paces_turns(&self) -> bool {
        matches!(self.source, Source::Arrivals(_))
    }
}

impl Iterator for Schedule {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        let offset = match &mut self.source {
            Source::Arrivals(arrivals) => arrivals.next()?,
            Source::Fixed { offsets, next } => {
                let offset = *offsets.get(*next)?;
                *next += 1;
                offset
            }
        };
        Some(self.start_ns.saturating_add(offset))
    }
}

#[cfg(test)]
mod tests {
    use tokamark_plan::Arrival;

    use super::*;

    #[test]
    fn a_schedule_counts_from_the_start_of_the_phase() {
        let arrivals = Arrivals::new(10.0, Arrival::Constant, 0).unwrap();
        let schedule = Schedule::arrivals(arrivals, 5_000);
        assert!(schedule.paces_turns());
        assert_eq!(schedule.take(2).collect::<Vec<_>>(), [100_005_000, 200_005_000]);
        let fixed = Schedule::fixed([0, 7, 7, 90].into(), 5_000);
        assert!(!fixed.paces_turns());
        assert_eq!(fixed.collect::<Vec<_>>(), [5_000, 5_007, 5_007, 5_090]);
    }

    #[test]
    fn a_rule_stops_by_count_and_time() {
        let stop = StopRule { count: Some(3), sessions: None, deadline_ns: Some(100) };
        assert!(stop.admits(2, 99));
        assert!(!stop.admits(3, 99) && !stop.admits(2, 100));
        assert!(StopRule::default().admits(u64::MAX, u64::MAX));
    }
}
