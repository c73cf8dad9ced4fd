//! Stopping what is under way.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

use tokamark_clock::now_ns;
use tokio::sync::Notify;
use tokio::sync::futures::OwnedNotified;

const RUNNING: u8 = 0;
const PHASE_OVER: u8 = 1;
const STOPPED: u8 = 2;

/// A flag that can be waited for: set for the rest of a phase whose time is over, or for good.
#[derive(Debug, Default)]
pub(crate) struct Cancel {
    state: AtomicU8,
    /// When it was first set for good; 0 before.
    stopped_ns: AtomicU64,
    notify: Arc<Notify>,
}

impl Cancel {
    /// Sets it for good and wakes whoever waits.
    pub(crate) fn set(&self) {
        let _ = self.stopped_ns.compare_exchange(0, now_ns(), Ordering::SeqCst, Ordering::SeqCst);
        self.state.store(STOPPED, Ordering::SeqCst);
        self.notify.notify_waiters();
    }

    /// Sets it until the next phase and wakes whoever waits.
    pub(crate) fn end_phase(&self) {
        let _ = self.state.compare_exchange(RUNNING, PHASE_OVER, Ordering::SeqCst, Ordering::SeqCst);
        self.notify.notify_waiters();
    }

    /// A new phase: what was set for the last one alone is so no more.
    pub(crate) fn begin_phase(&self) {
        let _ = self.state.compare_exchange(PHASE_OVER, RUNNING, Ordering::SeqCst, Ordering::SeqCst);
    }

    /// Whether it is set.
    pub(crate) fn is_set(&self) -> bool {
        self.state.load(Ordering::SeqCst) != RUNNING
    }

    /// When it was first set for good, monotonic nanoseconds.
    pub(crate) fn stopped_ns(&self) -> Option<u64> {
        Some(self.stopped_ns.load(Ordering::SeqCst)).filter(|&at| at > 0)
    }

    /// Whether it is set for good.
    pub(crate) fn is_stopped(&self) -> bool {
        self.state.load(Ordering::SeqCst) == STOPPED
    }

    /// A future of the flag's setting. It counts from its first poll: look at the flag after that.
    pub(crate) fn notified(&self) -> OwnedNotified {
        Arc::clone(&self.notify).notified_owned()
    }

    /// Waits until it is set.
    pub(crate) async fn wait(&self) {
        let notified = self.notify.notified();
        tokio::pin!(notified);
        notified.as_mut().enable();
        if !self.is_set() {
            notified.await;
        }
    }
}
