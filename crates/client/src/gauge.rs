//! How many requests are in flight, over all workers.

use std::sync::atomic::{AtomicU32, Ordering};

/// Requests in flight, and the most there have been.
#[derive(Debug, Default)]
pub struct InFlight {
    now: AtomicU32,
    peak: AtomicU32,
}

impl InFlight {
    pub(crate) fn enter(&self) {
        let now = self.now.fetch_add(1, Ordering::Relaxed) + 1;
        self.peak.fetch_max(now, Ordering::Relaxed);
    }

    pub(crate) fn leave(&self) {
        self.now.fetch_sub(1, Ordering::Relaxed);
    }

    /// Requests in flight.
    #[must_use]
    pub fn now(&self) -> u32 {
        self.now.load(Ordering::Relaxed)
    }

    /// The most since the last [`InFlight::restart`].
    #[must_use]
    pub fn peak(&self) -> u32 {
        self.peak.load(Ordering::Relaxed)
    }

    pub(crate) fn restart(&self) {
        self.peak.store(self.now(), Ordering::Relaxed);
    }
}
