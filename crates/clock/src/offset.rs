//! From wall time to monotonic time.

use crate::{MILLISECOND, now_ns, wall_ns};

/// How often the offset is sampled again. The two clocks are slewed alike, so only a step changes it.
const RESAMPLE_NS: u64 = 100 * MILLISECOND;

/// The difference between the wall clock and the monotonic clock, sampled again as time goes by.
///
/// Kernel receive stamps are wall time. A stamp is mapped by the current offset and believed only if it lies within the
/// bounds that the caller knows to be true; after a step of the wall clock the previous offset is tried as well.
#[derive(Clone, Debug)]
pub struct WallOffset {
    offset_ns: i128,
    previous_ns: i128,
    sampled_at_ns: u64,
}

impl Default for WallOffset {
    fn default() -> Self {
        Self::new()
    }
}

impl WallOffset {
    /// Samples both clocks.
    #[must_use]
    pub fn new() -> Self {
        let (offset_ns, sampled_at_ns) = sample();
        Self { offset_ns, previous_ns: offset_ns, sampled_at_ns }
    }

    /// The monotonic time of a wall stamp that is known to lie in `[not_before, not_after]`, or `None` if no offset puts
    /// it there. `not_after` is the present.
    pub fn monotonic(&mut self, wall_ns: u64, not_before: u64, not_after: u64) -> Option<u64> {
        if not_after.saturating_sub(self.sampled_at_ns) > RESAMPLE_NS {
            self.resample();
        }
        if let Some(found) = self.try_both(wall_ns, not_before, not_after) {
            return Some(found);
        }
        // The wall clock may have been stepped since the last sample.
        self.resample();
        self.try_both(wall_ns, not_before, not_after)
    }

    fn try_both(&self, wall_ns: u64, not_before: u64, not_after: u64) -> Option<u64> {
        [self.offset_ns, self.previous_ns].into_iter().find_map(|offset| {
            let mapped = u64::try_from(i128::from(wall_ns) - offset).ok()?;
            (mapped >= not_before && mapped <= not_after).then_some(mapped)
        })
    }

    fn resample(&mut self) {
        let (offset, at) = sample();
        // A sample differs by some tens of nanoseconds each time; only a step is worth remembering.
        if (offset - self.offset_ns).unsigned_abs() > u128::from(MILLISECOND) {
            self.previous_ns = self.offset_ns;
        }
        self.offset_ns = offset;
        self.sampled_at_ns = at;
    }
}

/// The offset from the tightest of a few readings: wall clock between two readings of the monotonic clock.
fn sample() -> (i128, u64) {
    let mut best = (u64::MAX, 0i128, 0u64);
    for _ in 0..5 {
        let before = now_ns();
        let wall = wall_ns();
        let after = now_ns();
        let width = after - before;
        if width < best.0 {
            best = (width, i128::from(wall) - i128::from(before + width / 2), after);
        }
    }
    (best.1, best.2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stamp_is_mapped_to_the_instant_it_was_taken() {
        let mut offset = WallOffset::new();
        let before = now_ns();
        let stamp = wall_ns();
        let after = now_ns();
        // The offset itself is known to within half the width of its sample.
        let mapped = offset.monotonic(stamp, before.saturating_sub(MILLISECOND), after + MILLISECOND);
        assert!(mapped.is_some());
    }

    #[test]
    fn a_stamp_outside_its_bounds_is_not_believed() {
        let mut offset = WallOffset::new();
        let now = now_ns();
        let an_hour = 3_600 * crate::SECOND;
        assert_eq!(offset.monotonic(wall_ns() - an_hour, now - MILLISECOND, now + MILLISECOND), None);
        assert_eq!(offset.monotonic(wall_ns() + an_hour, now - MILLISECOND, now + MILLISECOND), None);
        assert_eq!(offset.monotonic(0, now - MILLISECOND, now + MILLISECOND), None);
    }

    #[test]
    fn a_stamp_from_before_a_step_is_mapped_by_the_offset_before_it() {
        let mut offset = WallOffset::new();
        let now = now_ns();
        let stamp_before_step = wall_ns();
        // As if the clock had been an hour ahead when the offset was last sampled.
        offset.previous_ns = offset.offset_ns;
        offset.offset_ns -= i128::from(3_600 * crate::SECOND);
        let mapped = offset.try_both(stamp_before_step, now - MILLISECOND, now + MILLISECOND);
        assert!(mapped.is_some());
    }
}
