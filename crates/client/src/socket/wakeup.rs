//! Whom a socket wakes.

use std::cell::RefCell;
use std::task::{Context, Poll, Waker};

/// The task that waits for a socket.
///
/// A connection makes progress only when its socket does or when its own task polls it, so only the socket needs to know
/// the task. The layers in between (HTTP's channels) are polled with wakers that go nowhere: theirs would wake the task that
/// is just running, once more for each event.
#[derive(Debug, Default)]
pub(crate) struct Wakeup(RefCell<Option<Waker>>);

impl Wakeup {
    /// From now on the socket wakes this task.
    pub(crate) fn set(&self, waker: &Waker) {
        let mut slot = self.0.borrow_mut();
        if !slot.as_ref().is_some_and(|known| known.will_wake(waker)) {
            *slot = Some(waker.clone());
        }
    }

    /// Polls the socket for its task, or for `cx` as long as none is set.
    pub(super) fn poll<T>(&self, cx: &mut Context<'_>, poll: impl FnOnce(&mut Context<'_>) -> Poll<T>) -> Poll<T> {
        match &*self.0.borrow() {
            Some(waker) => poll(&mut Context::from_waker(waker)),
            None => poll(cx),
        }
    }
}
