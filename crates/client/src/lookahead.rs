//! Conversations opened ahead of time by a thread of their own, so that workers never build a prompt when it is due.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokamark_record::Phase;
use tokio::sync::Notify;

use crate::supply::{Opening, Supply};

/// A supply that gives nothing for so long is not waited for before a phase: the phase then starts late requests and says so.
const STUCK: Duration = Duration::from_secs(1);

/// So long a phase waits for more requests than it uses at once, so that the thread is at rest when they are sent.
const TOP_UP: Duration = Duration::from_millis(50);

/// A window of opened conversations that moves along with those that are taken.
pub(crate) struct Lookahead {
    state: Mutex<State>,
    room: Condvar,
    ready: Notify,
}

struct State {
    /// Conversations from number `first` on; taken ones are `None`.
    window: VecDeque<Option<Opening>>,
    first: u64,
    depth: usize,
    /// The thread waits for room.
    is_waiting: bool,
    is_closed: bool,
    /// The thread has panicked: what is not here will never come.
    is_broken: bool,
}

/// Tells the workers when the thread panics, so that nobody waits for it for ever.
struct Alarm<'a>(&'a Lookahead);

impl Drop for Alarm<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.lock().is_broken = true;
            self.0.ready.notify_waiters();
        }
    }
}

impl Lookahead {
    /// Starts opening conversations `0..count` of a phase, `depth` of them ahead. Nobody waits for the thread: it ends by itself
    /// once this is closed, and a supply that is slow to give a request holds up nobody who does not want it any more.
    pub(crate) fn start(
        supply: Arc<dyn Supply>,
        phase: Phase,
        count: Option<u64>,
        depth: usize,
    ) -> std::io::Result<Arc<Self>> {
        let depth = count.and_then(|count| usize::try_from(count).ok()).map_or(depth, |count| depth.min(count));
        let state = State {
            window: VecDeque::with_capacity(depth),
            first: 0,
            depth,
            is_waiting: false,
            is_closed: false,
            is_broken: false,
        };
        let lookahead = Arc::new(Self { state: Mutex::new(state), room: Condvar::new(), ready: Notify::new() });
        let filler = Arc::clone(&lookahead);
        std::thread::Builder::new()
            .name("tokamark-prepare".to_owned())
            .spawn(move || filler.fill(supply.as_ref(), phase, count))?;
        Ok(lookahead)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn fill(&self, supply: &dyn Supply, phase: Phase, count: Option<u64>) {
        let _alarm = Alarm(self);
        for number in 0..count.unwrap_or(u64::MAX) {
            let opening = supply.open(phase, number);
            let mut state = self.lock();
            if state.window.len() >= state.depth {
                state.is_waiting = true;
                while state.is_waiting && !state.is_closed {
                    state = self.room.wait(state).unwrap_or_else(PoisonError::into_inner);
                }
            }
            if state.is_closed {
                return;
            }
            state.window.push_back(Some(opening));
            drop(state);
            self.ready.notify_waiters();
        }
    }

    /// Waits until the first `count` requests have been made, and a little longer for the whole window. Not for a thread
    /// that is gone or stuck. To be called before anything is taken.
    pub(crate) async fn filled(&self, count: usize) {
        self.made(count).await;
        let _ = tokio::time::timeout(TOP_UP, self.made(usize::MAX)).await;
    }

    /// Waits until so many requests have been made, or the window is full, or the thread is gone or stuck.
    async fn made(&self, count: usize) {
        loop {
            let notified = self.ready.notified();
            tokio::pin!(notified);
            notified.as_mut().enable();
            let is_over = {
                let state = self.lock();
                state.is_broken || state.window.len() >= count.min(state.depth)
            };
            if is_over || tokio::time::timeout(STUCK, notified).await.is_err() {
                return;
            }
        }
    }

    /// Takes conversation `number`. Waits for it if the thread is behind, which then shows as send delay. `None` if the thread is
    /// gone and the request will never come.
    pub(crate) async fn take(&self, number: u64) -> Option<Opening> {
        loop {
            let notified = self.ready.notified();
            tokio::pin!(notified);
            // Registered before the look, so that a request that comes in between is not missed.
            notified.as_mut().enable();
            if let Some(opening) = self.try_take(number) {
                return Some(opening);
            }
            if self.is_broken() {
                return None;
            }
            notified.await;
        }
    }

    fn try_take(&self, number: u64) -> Option<Opening> {
        let mut state = self.lock();
        let index = usize::try_from(number.checked_sub(state.first)?).ok()?;
        // A worker may run ahead of the window when another holds on to its front.
        if index >= state.depth {
            state.depth = index + 1;
            self.wake(&mut state);
        }
        let opening = state.window.get_mut(index)?.take()?;
        while matches!(state.window.front(), Some(None)) {
            state.window.pop_front();
            state.first += 1;
        }
        // Not for each request: a thread that wakes just when a request is to be written contends with the write.
        if state.window.len() <= state.depth - state.depth / 4 {
            self.wake(&mut state);
        }
        Some(opening)
    }

    fn wake(&self, state: &mut State) {
        if std::mem::take(&mut state.is_waiting) {
            self.room.notify_one();
        }
    }

    /// Whether the thread has panicked.
    pub(crate) fn is_broken(&self) -> bool {
        self.lock().is_broken
    }

    /// Ends the thread.
    pub(crate) fn close(&self) {
        self.lock().is_closed = true;
        self.room.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::supply::Prepared;

    struct Rows;

    impl Supply for Rows {
        fn open(&self, _phase: Phase, seq: u64) -> Opening {
            Prepared { dataset_row: seq * 10, ..Prepared::default() }.into()
        }
    }

    #[tokio::test]
    async fn every_request_comes_once_in_any_order() {
        let lookahead = Lookahead::start(Arc::new(Rows), Phase::Profiling, Some(100), 4).unwrap();
        let mut order: Vec<u64> = (0..100).collect();
        for chunk in order.chunks_mut(3) {
            chunk.reverse();
        }
        for seq in order {
            assert_eq!(lookahead.take(seq).await.unwrap().prepared.dataset_row, seq * 10);
        }
    }

    #[tokio::test]
    async fn a_worker_far_ahead_does_not_wait_for_ever() {
        let lookahead = Lookahead::start(Arc::new(Rows), Phase::Profiling, None, 2).unwrap();
        assert_eq!(lookahead.take(9).await.unwrap().prepared.dataset_row, 90);
        assert_eq!(lookahead.take(0).await.unwrap().prepared.dataset_row, 0);
        lookahead.close();
    }
}
