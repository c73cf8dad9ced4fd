//! The numbers of a phase, shared by the workers, and the requests that wait for the schedule.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokamark_pace::{Claims, Ticket};
use tokio::sync::{Notify, oneshot};

/// What the workers of a phase share to decide who sends next.
pub(crate) struct Book {
    state: Mutex<State>,
    paces_turns: bool,
    /// Something waits for the schedule.
    waiting: Notify,
    /// Nothing more comes of the schedule.
    over: Notify,
}

struct State {
    claims: Claims,
    /// Requests after the first of their conversation, oldest first.
    follow_ups: VecDeque<FollowUp>,
}

struct FollowUp {
    ready_ns: u64,
    grant: oneshot::Sender<u64>,
}

/// What an instant of the schedule is for.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Due {
    /// Begin a conversation.
    Open(Ticket),
    /// A conversation would begin, if there were room for it.
    Held,
    /// Somebody else was told to send, or nobody had anything to send.
    Passed,
    /// Nothing more comes.
    Over,
}

impl Book {
    pub(crate) fn new(claims: Claims, paces_turns: bool) -> Self {
        let state = Mutex::new(State { claims, follow_ups: VecDeque::new() });
        Self { state, paces_turns, waiting: Notify::new(), over: Notify::new() }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Looks whether that was the last of it.
    fn settle(&self, mut state: MutexGuard<'_, State>) {
        if state.claims.is_over() {
            // Who waits for a grant learns that none comes.
            state.follow_ups.clear();
            drop(state);
            self.over.notify_waiters();
        }
    }

    /// Whether the schedule says when each request is sent.
    pub(crate) fn paces_turns(&self) -> bool {
        self.paces_turns
    }

    /// The next conversation, for a free slot.
    pub(crate) fn open(&self, now_ns: u64) -> Option<Ticket> {
        self.lock().claims.open(now_ns)
    }

    /// The number of a further request.
    pub(crate) fn turn(&self, now_ns: u64) -> Option<u64> {
        let mut state = self.lock();
        let seq = state.claims.turn(now_ns);
        self.settle(state);
        seq
    }

    /// A child begins.
    pub(crate) fn branched(&self) {
        self.lock().claims.branched();
    }

    /// A conversation has ended.
    pub(crate) fn ended(&self) {
        let mut state = self.lock();
        state.claims.ended();
        self.settle(state);
    }

    /// Nothing more is sent.
    pub(crate) fn close(&self) {
        let mut state = self.lock();
        state.claims.close();
        self.settle(state);
    }

    /// Queues a request that could be sent from `ready_ns` on. It is told when it is due, or that it never will be.
    pub(crate) fn follow_up(&self, ready_ns: u64) -> oneshot::Receiver<u64> {
        let (grant, granted) = oneshot::channel();
        let mut state = self.lock();
        if !state.claims.is_over() {
            state.follow_ups.push_back(FollowUp { ready_ns, grant });
            drop(state);
            self.waiting.notify_one();
        }
        granted
    }

    /// Uses the schedule's next instant: for the request that has waited longest, else for a new conversation.
    pub(crate) fn due(&self, has_room: bool) -> Due {
        let mut state = self.lock();
        let Some(due_ns) = state.claims.due_ns() else { return Due::Over };
        while let Some(FollowUp { ready_ns, grant }) = state.follow_ups.pop_front() {
            // Whoever has gone away needs none.
            if grant.send(due_ns.max(ready_ns)).is_ok() {
                state.claims.pass();
                return Due::Passed;
            }
        }
        if !state.claims.may_open() {
            state.claims.pass();
            return Due::Passed;
        }
        if !has_room {
            return Due::Held;
        }
        let ticket = state.claims.open_due();
        self.settle(state);
        ticket.map_or(Due::Over, Due::Open)
    }

    /// Waits until a request has been queued that nobody was woken for.
    pub(crate) async fn queued(&self) {
        self.waiting.notified().await;
    }

    /// Waits until nothing more comes of the schedule.
    pub(crate) async fn over(&self) {
        let over = self.over.notified();
        tokio::pin!(over);
        over.as_mut().enable();
        if !self.is_over() {
            over.await;
        }
    }

    /// Whether nothing more comes of the schedule.
    pub(crate) fn is_over(&self) -> bool {
        self.lock().claims.is_over()
    }
}
