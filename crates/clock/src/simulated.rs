//! A clock that moves when it is told to.

use std::cell::Cell;
use std::rc::Rc;

use crate::Clock;

/// A simulated monotonic clock. Clones share the time.
#[derive(Clone, Debug, Default)]
pub struct SimulatedClock(Rc<Cell<u64>>);

impl SimulatedClock {
    /// A clock that shows `now_ns`.
    #[must_use]
    pub fn at(now_ns: u64) -> Self {
        Self(Rc::new(Cell::new(now_ns)))
    }

    /// Moves on by so many nanoseconds.
    pub fn advance(&self, by_ns: u64) {
        self.0.set(self.0.get() + by_ns);
    }

    /// Moves to an instant, never back.
    pub fn advance_to(&self, now_ns: u64) {
        self.0.set(self.0.get().max(now_ns));
    }
}

impl Clock for SimulatedClock {
    fn now_ns(&self) -> u64 {
        self.0.get()
    }
}
