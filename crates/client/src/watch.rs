//! What may end a request from our side: its time limit, or the end of the run.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use tokamark_clock::{from_seconds, now_ns};
use tokio::sync::futures::OwnedNotified;
use tokio::time::{Instant, Sleep};

use crate::cancel::Cancel;

/// Why a request was ended by us.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// The run is over or was interrupted.
    Cancelled,
    /// Its time limit ran out.
    TimedOut,
}

/// Watches one request. The timer and the flag are asked to wake once for each task that polls it, not once for each event:
/// after that the clock and one atomic load tell.
pub(crate) struct Watch {
    cancel: Arc<Cancel>,
    cancelled: Pin<Box<OwnedNotified>>,
    limit: Option<Pin<Box<Sleep>>>,
    deadline_ns: u64,
    registered: Option<Waker>,
}

impl Watch {
    pub(crate) fn new(cancel: &Arc<Cancel>, limit: Option<Duration>) -> Self {
        // Limits of centuries do not fit the timer; they are no limits.
        let limit =
            limit.and_then(|limit| Some((Instant::now().checked_add(limit)?, from_seconds(limit.as_secs_f64()))));
        Self {
            cancelled: Box::pin(cancel.notified()),
            cancel: Arc::clone(cancel),
            deadline_ns: limit.map_or(u64::MAX, |(_, limit_ns)| now_ns().saturating_add(limit_ns)),
            limit: limit.map(|(deadline, _)| Box::pin(tokio::time::sleep_until(deadline))),
            registered: None,
        }
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Stop> {
        if !self.registered.as_ref().is_some_and(|waker| waker.will_wake(cx.waker())) {
            let _ = self.cancelled.as_mut().poll(cx);
            if let Some(limit) = &mut self.limit {
                let _ = limit.as_mut().poll(cx);
            }
            self.registered = Some(cx.waker().clone());
        }
        if self.cancel.is_set() {
            return Poll::Ready(Stop::Cancelled);
        }
        if self.limit.is_some() && now_ns() >= self.deadline_ns {
            return Poll::Ready(Stop::TimedOut);
        }
        Poll::Pending
    }

    /// Runs `step` until it is ready or the request must end.
    pub(crate) async fn until<T>(&mut self, mut step: impl FnMut(&mut Context<'_>) -> Poll<T>) -> Result<T, Stop> {
        poll_fn(|cx| match step(cx) {
            Poll::Ready(value) => Poll::Ready(Ok(value)),
            Poll::Pending => self.poll(cx).map(Err),
        })
        .await
    }

    /// Awaits a future, unless the request must end.
    pub(crate) async fn future<T>(&mut self, future: impl Future<Output = T>) -> Result<T, Stop> {
        let mut future = std::pin::pin!(future);
        self.until(|cx| future.as_mut().poll(cx)).await
    }
}
