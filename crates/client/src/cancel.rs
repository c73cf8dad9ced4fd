//! Stopping what is under way.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::Notify;
use tokio::sync::futures::OwnedNotified;

/// A flag that can be waited for. Set once.
#[derive(Debug, Default)]
pub(crate) struct Cancel {
    is_set: AtomicBool,
    notify: Arc<Notify>,
}

impl Cancel {
    /// Sets it and wakes whoever waits.
    pub(crate) fn set(&self) {
        self.is_set.store(true, Ordering::SeqCst);
        self.notify.notify_waiters();
    }

    /// Whether it is set.
    pub(crate) fn is_set(&self) -> bool {
        self.is_set.load(Ordering::SeqCst)
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
