//! How far the record has been written, for the follower that reads behind.

use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

/// Signals from the recorder to the follower.
#[derive(Debug, Default)]
pub(crate) struct Progress {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Clone, Copy, Debug, Default)]
struct State {
    flushes: u64,
    is_complete: bool,
}

impl Progress {
    /// More of the record can be read.
    pub(crate) fn flushed(&self) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).flushes += 1;
        self.changed.notify_all();
    }

    /// Nothing more will be written.
    pub(crate) fn complete(&self) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).is_complete = true;
        self.changed.notify_all();
    }

    /// Waits for news since `seen`, not longer than `limit`. Gives the count of flushes, and whether that was the last.
    pub(crate) fn wait(&self, seen: u64, limit: Duration) -> (u64, bool) {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.changed.wait_timeout_while(state, limit, |state| state.flushes == seen && !state.is_complete);
        let state = *waited.unwrap_or_else(PoisonError::into_inner).0;
        (state.flushes, state.is_complete)
    }
}
