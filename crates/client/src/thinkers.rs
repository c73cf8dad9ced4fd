//! Threads that ask conversations for their next step, so that workers never build a request.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use tokio::sync::oneshot;

use crate::reply::Reply;
use crate::supply::{Conversation, Step};

/// How many of the cores may build requests at the same time.
const CORES_PER_THREAD: usize = 4;
const MOST_THREADS: usize = 8;

/// The threads of a phase. They start when the first conversation asks.
#[derive(Default)]
pub(crate) struct Thinkers {
    state: Mutex<State>,
    ready: Condvar,
}

#[derive(Default)]
struct State {
    jobs: VecDeque<Job>,
    has_started: bool,
    is_closed: bool,
}

struct Job {
    conversation: Box<dyn Conversation>,
    reply: Reply,
    answer: oneshot::Sender<Thought>,
}

/// A conversation that was asked, and what it said.
pub(crate) struct Thought {
    pub(crate) conversation: Box<dyn Conversation>,
    pub(crate) reply: Reply,
    pub(crate) step: Step,
}

/// Ends it all when a conversation panics, so that nobody waits for an answer that never comes.
struct Alarm<'a>(&'a Thinkers);

impl Drop for Alarm<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.close();
        }
    }
}

impl Thinkers {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks a conversation. `None` if it panicked, or no thread could be started.
    pub(crate) async fn next(self: &Arc<Self>, conversation: Box<dyn Conversation>, reply: Reply) -> Option<Thought> {
        let (answer, answered) = oneshot::channel();
        let starts = {
            let mut state = self.lock();
            if state.is_closed {
                return None;
            }
            state.jobs.push_back(Job { conversation, reply, answer });
            !std::mem::replace(&mut state.has_started, true)
        };
        self.ready.notify_one();
        if starts && !self.start() {
            self.close();
        }
        answered.await.ok()
    }

    /// Nobody waits for the threads: each ends by itself after the conversation that it asks, if any.
    fn start(self: &Arc<Self>) -> bool {
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let started = (0..(cores / CORES_PER_THREAD).clamp(1, MOST_THREADS)).filter(|_| {
            let thinkers = Arc::clone(self);
            let thread = std::thread::Builder::new().name("tokamark-next".to_owned());
            thread.spawn(move || thinkers.work()).is_ok()
        });
        started.count() > 0
    }

    fn work(&self) {
        let _alarm = Alarm(self);
        while let Some(Job { mut conversation, reply, answer }) = self.job() {
            let step = conversation.next(&reply);
            // Whoever asked may have been stopped.
            let _ = answer.send(Thought { conversation, reply, step });
        }
    }

    fn job(&self) -> Option<Job> {
        let mut state = self.lock();
        loop {
            if state.is_closed {
                return None;
            }
            if let Some(job) = state.jobs.pop_front() {
                return Some(job);
            }
            state = self.ready.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Ends the threads. Who waits for an answer gets none.
    pub(crate) fn close(&self) {
        let mut state = self.lock();
        state.is_closed = true;
        state.jobs.clear();
        drop(state);
        self.ready.notify_all();
    }
}
