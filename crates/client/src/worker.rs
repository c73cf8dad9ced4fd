//! One worker: a thread with a runtime of its own, which owns its connections and carries out its share of a phase.

use std::cell::{Cell, RefCell};
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::task::Poll;
use std::time::Duration;

use tokamark_clock::{Sleeper, now_ns};
use tokamark_pace::Ticket;
use tokamark_record::{Failure, FailureKind, Phase, RequestRecord};
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;

use crate::alarms::{Alarms, coarse_sleep};
use crate::book::Due;
use crate::converse::Stage;
use crate::course::{Alive, Course};
use crate::exchange::{Exchanger, Job};
use crate::failure::failure;
use crate::gauge::InFlight;
use crate::reading::Reading;
use crate::socket::Stamper;
use crate::supply::{Opening, Prepared};
use crate::watch::{Stop, Watch};

/// How many connections a worker opens at the same time when it opens them ahead.
const OPENING_AT_ONCE: usize = 64;
/// How long it waits for one of them at most, though a whole request may take longer.
const OPENING_LIMIT: Duration = Duration::from_secs(30);

/// The share of a phase that a worker carries out.
pub(crate) enum Share {
    /// So many slots of a closed loop.
    Closed { slots: u32 },
    /// The worker's instants of a schedule, monotonic nanoseconds.
    Scheduled { instants: Box<dyn Iterator<Item = u64> + Send> },
}

/// What a worker is told to do. Each command is answered once.
pub(crate) enum Command {
    /// Open so many idle connections, to the URLs in turn, from the given one on.
    Connect { count: u32, first_url: usize, answer: Sender<ConnectReport> },
    /// Carry out a share of a phase.
    Run { course: Arc<Course>, share: Share, answer: Sender<PhaseReport> },
    /// Send one request and give its record.
    Probe { prepared: Prepared, answer: Sender<RequestRecord> },
}

/// How opening connections went.
#[derive(Debug, Default)]
pub(crate) struct ConnectReport {
    pub(crate) opened: u32,
    pub(crate) first_failure: Option<Failure>,
}

/// What a worker knows at the end of its share.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PhaseReport {
    pub(crate) last_sent_ns: u64,
    pub(crate) end_ns: u64,
    /// Totals of the worker so far.
    pub(crate) reads: u64,
    pub(crate) unstamped_reads: u64,
    pub(crate) connections: u64,
    /// One of its tasks did, so that a request is missing.
    pub(crate) panicked: bool,
}

/// The state of a worker, shared by its tasks.
pub(crate) struct Worker {
    pub(crate) exchanger: Exchanger,
    pub(crate) stamper: Rc<Stamper>,
    pub(crate) records: Sender<RequestRecord>,
    pub(crate) in_flight: Arc<InFlight>,
    pub(crate) spare: RefCell<Vec<Reading>>,
    pub(crate) alarms: Rc<Alarms>,
    /// When the last request of the phase was sent.
    pub(crate) last_sent_ns: Cell<u64>,
}

impl Worker {
    /// Obeys until nobody commands any more.
    pub(crate) async fn obey(self: Rc<Self>, mut commands: UnboundedReceiver<Command>) {
        while let Some(command) = commands.recv().await {
            // Whoever asked may have gone away; then nobody wants the answer.
            match command {
                Command::Connect { count, first_url, answer } => {
                    let _ = answer.send(self.connect(count, first_url).await);
                }
                Command::Run { course, share, answer } => {
                    let _ = answer.send(self.run(course, share).await);
                }
                Command::Probe { prepared, answer } => {
                    let now = now_ns();
                    let ticket = Ticket { due_ns: now, ..Ticket::default() };
                    let job = Job { phase: Phase::Warmup, ticket, slot_ns: now, seat: None, prepared };
                    let mut reading = Reading::default();
                    let _ = answer.send(self.exchanger.run(job, &mut reading).await);
                }
            }
        }
    }

    async fn connect(self: &Rc<Self>, count: u32, first_url: usize) -> ConnectReport {
        let urls = usize::try_from(self.exchanger.heads.urls()).unwrap_or(1);
        let room = Rc::new(Semaphore::new(OPENING_AT_ONCE));
        // Where one was waited for in vain, the others are not waited for one after another.
        let is_hopeless = Rc::new(Cell::new(false));
        let mut opening = JoinSet::new();
        for index in 0..count as usize {
            let (worker, room, is_hopeless) = (Rc::clone(self), Rc::clone(&room), Rc::clone(&is_hopeless));
            opening.spawn_local(async move {
                let _room = room.acquire().await;
                let limit = worker.exchanger.timeout.unwrap_or(OPENING_LIMIT).min(OPENING_LIMIT);
                let late = || format!("no connection within {} s", limit.as_secs_f64());
                if is_hopeless.get() {
                    return Err(failure(FailureKind::Connect, late()));
                }
                let mut watch = Watch::new(&worker.exchanger.cancel, Some(limit));
                match watch.future(worker.exchanger.pool.open_ahead((first_url + index) % urls)).await {
                    Ok(opened) => opened,
                    Err(Stop::TimedOut) => {
                        is_hopeless.set(true);
                        Err(failure(FailureKind::Connect, late()))
                    }
                    Err(Stop::Cancelled) => Err(failure(FailureKind::Connect, "the run was stopped")),
                }
            });
        }
        let mut report = ConnectReport::default();
        while let Some(result) = opening.join_next().await {
            match result {
                Ok(Ok(())) => report.opened += 1,
                Ok(Err(failure)) => {
                    report.first_failure.get_or_insert(failure);
                }
                Err(_) => {}
            }
        }
        report
    }

    async fn run(self: &Rc<Self>, course: Arc<Course>, share: Share) -> PhaseReport {
        self.last_sent_ns.set(0);
        let stage = Stage { worker: Rc::clone(self), course, crew: Rc::default() };
        match share {
            Share::Closed { slots } => {
                for _ in 0..slots {
                    let (stage, member) = (stage.clone(), stage.crew.join());
                    tokio::task::spawn_local(async move {
                        let _member = member;
                        stage.worker.slot(&stage).await;
                    });
                }
            }
            Share::Scheduled { instants } => self.scheduled(&stage, instants).await,
        }
        stage.crew.gone().await;
        let (reads, unstamped_reads) = self.stamper.counts();
        PhaseReport {
            last_sent_ns: self.last_sent_ns.get(),
            end_ns: now_ns(),
            reads,
            unstamped_reads,
            connections: self.exchanger.pool.opened(),
            panicked: stage.crew.has_panicked(),
        }
    }

    /// One slot of a closed loop: one conversation after another.
    async fn slot(&self, stage: &Stage) {
        while !self.exchanger.cancel.is_set()
            && let Some(ticket) = stage.course.book.open(now_ns())
        {
            let alive = Alive::counted(&stage.course);
            let Some(opening) = self.opening(&stage.course, ticket.session).await else { break };
            stage.play(alive, ticket, ticket.due_ns, opening).await;
        }
    }

    /// The conversation, unless the run is stopped while waiting for it, or it will never come.
    async fn opening(&self, course: &Course, session: u64) -> Option<Opening> {
        tokio::select! {
            biased;
            opening = course.lookahead.take(session) => opening,
            () = self.exchanger.cancel.wait() => None,
        }
    }

    /// Carries out one request and hands its record over, once `look` has seen it.
    pub(crate) async fn one(&self, job: Job, look: impl FnOnce(&RequestRecord)) {
        let mut reading = self.spare.borrow_mut().pop().unwrap_or_default();
        self.in_flight.enter();
        let record = self.exchanger.run(job, &mut reading).await;
        self.in_flight.leave();
        reading.shrink();
        self.spare.borrow_mut().push(reading);
        self.last_sent_ns.set(self.last_sent_ns.get().max(record.times.send_start.unwrap_or(0)));
        look(&record);
        // The recorder outlives the workers, unless it failed; then the run is ending anyway.
        let _ = self.records.send(record);
    }

    /// What a schedule wants, at its instants, whether or not what was sent before has ended.
    async fn scheduled(self: &Rc<Self>, stage: &Stage, instants: Box<dyn Iterator<Item = u64> + Send>) {
        let (course, cancel) = (&stage.course, &self.exchanger.cancel);
        let mut sleeper = Sleeper::new().ok();
        for due_ns in instants {
            if course.deadline_ns.is_some_and(|deadline_ns| due_ns >= deadline_ns) || course.book.is_over() {
                break;
            }
            let wait = async {
                match &mut sleeper {
                    Some(sleeper) => sleeper.sleep_until_sharp(due_ns).await,
                    None => coarse_sleep(due_ns).await,
                }
            };
            tokio::select! {
                biased;
                () = cancel.wait() => break,
                () = wait => {}
                () = course.book.over() => break,
            }
            let Some(due) = self.due(course).await else { break };
            let Some((ticket, permit)) = due else { continue };
            let alive = Alive::counted(course);
            let Some(opening) = self.opening(course, ticket.session).await else { break };
            let slot_ns = now_ns();
            let (stage, member) = (stage.clone(), stage.crew.join());
            let mut conversation: Pin<Box<dyn Future<Output = ()>>> = Box::pin(async move {
                let _held = (member, permit);
                stage.play(alive, ticket, slot_ns, opening).await;
            });
            // The first step, up to the write, is taken here and now: a new task would wait behind every other that is ready.
            if poll_fn(|cx| Poll::Ready(conversation.as_mut().poll(cx))).await.is_pending() {
                tokio::task::spawn_local(conversation);
            }
        }
    }

    /// The conversation to begin at an instant of the schedule that has come, with its permit; `Some(None)` if the instant
    /// was for somebody else, `None` if nothing more is to be sent.
    async fn due(&self, course: &Course) -> Option<Option<(Ticket, Option<OwnedSemaphorePermit>)>> {
        let mut permit = course.cap.as_ref().and_then(|cap| Arc::clone(cap).try_acquire_owned().ok());
        loop {
            match course.book.due(course.cap.is_none() || permit.is_some()) {
                Due::Open(ticket) => return Some(Some((ticket, permit))),
                Due::Passed => return Some(None),
                Due::Over => return None,
                Due::Held => {}
            }
            let Some(cap) = &course.cap else { return None };
            tokio::select! {
                biased;
                () = self.exchanger.cancel.wait() => return None,
                () = course.book.queued() => {}
                acquired = Arc::clone(cap).acquire_owned() => permit = acquired.ok(),
                () = until(course.deadline_ns) => return None,
                () = course.book.over() => return None,
            }
        }
    }
}

pub(crate) async fn until(deadline_ns: Option<u64>) {
    match deadline_ns {
        Some(deadline_ns) => coarse_sleep(deadline_ns).await,
        None => std::future::pending().await,
    }
}
