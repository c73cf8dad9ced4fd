//! The only place that reads a clock.
//!
//! Everything is measured in nanoseconds of the monotonic clock ([`now_ns`]). The wall clock serves to name instants for
//! people and to map the kernel's receive stamps, which are wall time ([`WallOffset`]). [`Sleeper`] wakes within about
//! 0.1 ms of a deadline where tokio's own timer is a millisecond or two late.

mod offset;
mod simulated;
mod sleeper;

pub use offset::WallOffset;
pub use simulated::SimulatedClock;
pub use sleeper::Sleeper;

use rustix::time::{ClockId, Timespec, clock_gettime};

/// Nanoseconds in a second.
pub const SECOND: u64 = 1_000_000_000;
/// Nanoseconds in a millisecond.
pub const MILLISECOND: u64 = 1_000_000;

/// The monotonic clock: never steps, shared with timers.
#[inline]
#[must_use]
pub fn now_ns() -> u64 {
    nanoseconds(clock_gettime(ClockId::Monotonic))
}

/// The wall clock: nanoseconds since the Unix epoch. It can step at any moment.
#[must_use]
pub fn wall_ns() -> u64 {
    nanoseconds(clock_gettime(ClockId::Realtime))
}

fn nanoseconds(time: Timespec) -> u64 {
    // Neither clock is negative on a machine that works; a wall clock before 1970 reads as 1970.
    let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
    let nanoseconds = u64::try_from(time.tv_nsec).unwrap_or(0);
    seconds * SECOND + nanoseconds
}

/// A duration in seconds as nanoseconds; negative and NaN become 0, infinity the largest value.
#[must_use]
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "float casts saturate, which is what is wanted"
)]
pub fn from_seconds(seconds: f64) -> u64 {
    (seconds * 1e9).round() as u64
}

/// A source of monotonic time, so that schedules can be tested on a simulated clock.
pub trait Clock {
    /// Monotonic nanoseconds.
    fn now_ns(&self) -> u64;
}

/// The machine's monotonic clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now_ns(&self) -> u64 {
        now_ns()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_become_nanoseconds() {
        assert_eq!(from_seconds(1.5), 1_500_000_000);
        assert_eq!(from_seconds(0.0), 0);
        assert_eq!(from_seconds(-3.0), 0);
        assert_eq!(from_seconds(f64::NAN), 0);
        assert_eq!(from_seconds(f64::INFINITY), u64::MAX);
    }

    #[test]
    fn the_monotonic_clock_does_not_go_back() {
        let mut last = now_ns();
        for _ in 0..10_000 {
            let now = now_ns();
            assert!(now >= last);
            last = now;
        }
    }
}
