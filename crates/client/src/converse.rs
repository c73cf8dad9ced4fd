//! Playing a conversation: its requests one after another, and the children that it begins.

use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;

use tokamark_clock::now_ns;
use tokamark_pace::Ticket;

use crate::course::{Alive, Course};
use crate::crew::Crew;
use crate::exchange::Job;
use crate::pool::Seat;
use crate::reply::Reply;
use crate::supply::{Branch, Conversation, Opening, Step};
use crate::thinkers::Thought;
use crate::worker::{Worker, until};

/// Where a conversation is played.
#[derive(Clone)]
pub(crate) struct Stage {
    pub(crate) worker: Rc<Worker>,
    pub(crate) course: Arc<Course>,
    /// All conversations of the worker's share.
    pub(crate) crew: Rc<Crew>,
}

/// An answer that the conversation goes on from.
struct Answered {
    reply: Reply,
    /// When it ended.
    at_ns: u64,
}

impl Stage {
    /// Plays a conversation whose first request may be sent, to its end.
    pub(crate) async fn play(&self, _alive: Alive, ticket: Ticket, slot_ns: u64, opening: Opening) {
        let Opening { prepared, rest, before } = opening;
        for branch in before {
            self.begin(branch, ticket.session, ticket.due_ns, None);
        }
        let seat = self.worker.exchanger.pool.seat();
        let job = Job { phase: self.course.phase, ticket, slot_ns, seat: seat.clone(), prepared };
        let answered = self.send(job, rest.is_some()).await;
        if let (Some(rest), Some(answered)) = (rest, answered) {
            // Apart, so that conversations of one turn stay small.
            Box::pin(self.go_on(ticket.session, seat, rest, answered)).await;
        }
    }

    /// Sends a request. Gives the answer if the conversation goes on from it.
    async fn send(&self, job: Job, goes_on: bool) -> Option<Answered> {
        let mut answered = None;
        self.worker
            .one(job, |record| {
                if goes_on && record.outcome != tokamark_record::Outcome::Cancelled {
                    answered = Some(Answered { reply: Reply::of(record), at_ns: record.times.end });
                }
            })
            .await;
        answered
    }

    async fn go_on(
        &self,
        session: u64,
        seat: Option<Rc<Seat>>,
        mut conversation: Box<dyn Conversation>,
        mut answered: Answered,
    ) {
        let joining = Rc::new(Crew::default());
        let cancel = &self.worker.exchanger.cancel;
        loop {
            let thought = tokio::select! {
                biased;
                () = cancel.wait() => return,
                thought = self.course.thinkers.next(conversation, answered.reply) => thought,
            };
            let Some(Thought { conversation: same, reply, step }) = thought else {
                self.course.fail();
                return;
            };
            (conversation, answered.reply) = (same, reply);
            match step {
                Step::End => return,
                Step::Branch(branches) => {
                    for branch in branches {
                        self.begin(branch, session, answered.at_ns, Some(&joining));
                    }
                }
                Step::Join => {
                    if !joining.is_empty() {
                        tokio::select! {
                            biased;
                            () = cancel.wait() => return,
                            () = joining.gone() => {}
                        }
                        answered.at_ns = answered.at_ns.max(now_ns());
                    }
                }
                Step::Send { prepared, when } => {
                    let due_ns = when.due_ns(self.course.start_ns, answered.at_ns);
                    let Some(ticket) = self.admitted(session, due_ns).await else { return };
                    let seat = seat.clone();
                    let job = Job { phase: self.course.phase, ticket, slot_ns: now_ns(), seat, prepared };
                    match self.send(job, true).await {
                        Some(next) => answered = next,
                        None => return,
                    }
                }
            }
        }
    }

    /// Begins a child that is ready at `ready_ns`.
    fn begin(&self, branch: Branch, session: u64, ready_ns: u64, joining: Option<&Rc<Crew>>) {
        let joins = joining.filter(|_| branch.joins).map(Crew::join);
        let (stage, alive, member) = (self.clone(), Alive::branched(&self.course), self.crew.join());
        let child: Pin<Box<dyn Future<Output = ()>>> = Box::pin(async move {
            let _held = (joins, member);
            if let Some(ticket) = stage.admitted(session, ready_ns).await {
                stage.play(alive, ticket, now_ns(), branch.opening).await;
            }
        });
        tokio::task::spawn_local(child);
    }

    /// Waits until a request that is not the first of its conversation may be sent. `None` if it never may.
    async fn admitted(&self, session: u64, due_ns: u64) -> Option<Ticket> {
        let (book, deadline_ns) = (&self.course.book, self.course.deadline_ns);
        let cancel = &self.worker.exchanger.cancel;
        if due_ns > now_ns() {
            // What is due after the deadline keeps its slot until then, as it would have without the deadline.
            let until_ns = due_ns.min(deadline_ns.unwrap_or(u64::MAX));
            tokio::select! {
                biased;
                () = cancel.wait() => return None,
                () = self.worker.alarms.wait(until_ns) => {}
            }
        }
        let (due_ns, at_ns) = if book.paces_turns() {
            let granted = book.follow_up(due_ns);
            let due_ns = tokio::select! {
                biased;
                () = cancel.wait() => return None,
                granted = granted => granted.ok()?,
                () = until(deadline_ns) => return None,
            };
            (due_ns, due_ns)
        } else {
            (due_ns, now_ns().max(due_ns))
        };
        if cancel.is_set() {
            return None;
        }
        let seq = book.turn(at_ns)?;
        Some(Ticket { session, seq, due_ns })
    }
}
