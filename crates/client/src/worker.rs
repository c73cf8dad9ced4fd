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
use tokamark_pace::{ClosedLoop, Schedule, Ticket};
use tokamark_record::{Failure, FailureKind, Phase, RequestRecord};
use tokio::sync::Semaphore;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::task::{JoinError, JoinSet};

use crate::exchange::{Exchanger, Job};
use crate::failure::failure;
use crate::gauge::InFlight;
use crate::lookahead::Lookahead;
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
    Closed { slots: u32, claims: Arc<ClosedLoop> },
    /// The worker's arrivals of an open loop, and the cap on all requests in flight.
    Open { schedule: Box<Schedule>, cap: Option<Arc<Semaphore>>, deadline_ns: Option<u64> },
}

/// What a worker is told to do. Each command is answered once.
pub(crate) enum Command {
    /// Open so many idle connections, to the URLs in turn, from the given one on.
    Connect { count: u32, first_url: usize, answer: Sender<ConnectReport> },
    /// Carry out a share of a phase.
    Run { phase: Phase, share: Share, lookahead: Arc<Lookahead>, answer: Sender<PhaseReport> },
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

impl PhaseReport {
    /// Notes the end of a task that gives the time of its last send.
    fn ended(&mut self, task: Result<u64, JoinError>) {
        match task {
            Ok(sent_ns) => self.last_sent_ns = self.last_sent_ns.max(sent_ns),
            Err(error) => self.panicked |= error.is_panic(),
        }
    }
}

/// The state of a worker, shared by its tasks.
pub(crate) struct Worker {
    pub(crate) exchanger: Exchanger,
    pub(crate) stamper: Rc<Stamper>,
    pub(crate) records: Sender<RequestRecord>,
    pub(crate) in_flight: Arc<InFlight>,
    pub(crate) spare: RefCell<Vec<Reading>>,
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
                Command::Run { phase, share, lookahead, answer } => {
                    let _ = answer.send(self.run(phase, share, lookahead).await);
                }
                Command::Probe { prepared, answer } => {
                    let now = now_ns();
                    let ticket = Ticket { seq: 0, due_ns: now };
                    let job = Job { phase: Phase::Warmup, ticket, slot_ns: now, prepared };
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

    async fn run(self: &Rc<Self>, phase: Phase, share: Share, lookahead: Arc<Lookahead>) -> PhaseReport {
        let mut report = PhaseReport::default();
        match share {
            Share::Closed { slots, claims } => {
                let mut tasks = JoinSet::new();
                for _ in 0..slots {
                    tasks.spawn_local(Rc::clone(self).slot(phase, Arc::clone(&claims), Arc::clone(&lookahead)));
                }
                while let Some(ended) = tasks.join_next().await {
                    report.ended(ended);
                }
            }
            Share::Open { schedule, cap, deadline_ns } => {
                self.arrivals(phase, schedule, cap, deadline_ns, &lookahead, &mut report).await;
            }
        }
        report.end_ns = now_ns();
        (report.reads, report.unstamped_reads) = self.stamper.counts();
        report.connections = self.exchanger.pool.opened();
        report
    }

    /// One slot of a closed loop: one request after another. Gives the time of its last send.
    async fn slot(self: Rc<Self>, phase: Phase, claims: Arc<ClosedLoop>, lookahead: Arc<Lookahead>) -> u64 {
        let mut last_sent_ns = 0;
        while !self.exchanger.cancel.is_set()
            && let Some(ticket) = claims.claim(now_ns())
        {
            let Some(Opening { prepared, .. }) = self.opening(&lookahead, ticket.seq).await else { break };
            last_sent_ns = self.one(Job { phase, ticket, slot_ns: ticket.due_ns, prepared }).await;
        }
        last_sent_ns
    }

    /// The prepared request, unless the run is stopped while waiting for it, or it will never come.
    async fn opening(&self, lookahead: &Lookahead, seq: u64) -> Option<Opening> {
        tokio::select! {
            biased;
            opening = lookahead.take(seq) => opening,
            () = self.exchanger.cancel.wait() => None,
        }
    }

    /// Carries out one request and hands its record over.
    async fn one(&self, job: Job) -> u64 {
        let mut reading = self.spare.borrow_mut().pop().unwrap_or_default();
        self.in_flight.enter();
        let record = self.exchanger.run(job, &mut reading).await;
        self.in_flight.leave();
        reading.shrink();
        self.spare.borrow_mut().push(reading);
        let sent_ns = record.times.send_start.unwrap_or(0);
        // The recorder outlives the workers, unless it failed; then the run is ending anyway.
        let _ = self.records.send(record);
        sent_ns
    }

    /// An open loop: each request when it is due, whether or not the ones before have ended.
    async fn arrivals(
        self: &Rc<Self>,
        phase: Phase,
        schedule: Box<Schedule>,
        cap: Option<Arc<Semaphore>>,
        deadline_ns: Option<u64>,
        lookahead: &Lookahead,
        report: &mut PhaseReport,
    ) {
        let cancel = &self.exchanger.cancel;
        let mut sleeper = Sleeper::new().ok();
        let mut tasks = JoinSet::new();
        for ticket in schedule {
            let wait = async {
                match &mut sleeper {
                    Some(sleeper) => sleeper.sleep_until_sharp(ticket.due_ns).await,
                    None => coarse_sleep(ticket.due_ns).await,
                }
            };
            tokio::select! {
                biased;
                () = cancel.wait() => break,
                () = wait => {}
            }
            let permit = match &cap {
                None => None,
                Some(cap) => {
                    let slot = tokio::select! {
                        biased;
                        () = cancel.wait() => break,
                        permit = Arc::clone(cap).acquire_owned() => permit.ok(),
                        () = until(deadline_ns) => break,
                    };
                    slot
                }
            };
            let Some(Opening { prepared, .. }) = self.opening(lookahead, ticket.seq).await else { break };
            let job = Job { phase, ticket, slot_ns: now_ns(), prepared };
            let worker = Rc::clone(self);
            let mut request: Pin<Box<dyn Future<Output = u64>>> = Box::pin(async move {
                let sent_ns = worker.one(job).await;
                drop(permit);
                sent_ns
            });
            // The first step, up to the write, is taken here and now: a new task would wait behind every other that is ready.
            match poll_fn(|cx| Poll::Ready(request.as_mut().poll(cx))).await {
                Poll::Ready(sent_ns) => report.ended(Ok(sent_ns)),
                Poll::Pending => {
                    tasks.spawn_local(request);
                }
            }
            while let Some(ended) = tasks.try_join_next() {
                report.ended(ended);
            }
        }
        while let Some(ended) = tasks.join_next().await {
            report.ended(ended);
        }
    }
}

async fn until(deadline_ns: Option<u64>) {
    match deadline_ns {
        Some(deadline_ns) => coarse_sleep(deadline_ns).await,
        None => std::future::pending().await,
    }
}

async fn coarse_sleep(deadline_ns: u64) {
    tokio::time::sleep(std::time::Duration::from_nanos(deadline_ns.saturating_sub(now_ns()))).await;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_task_that_panics_is_noted() {
        let mut tasks = JoinSet::new();
        let mut report = PhaseReport::default();
        tasks.spawn(async { 7 });
        report.ended(tasks.join_next().await.unwrap());
        assert_eq!((report.last_sent_ns, report.panicked), (7, false));
        tasks.spawn(async { panic!("on purpose") });
        report.ended(tasks.join_next().await.unwrap());
        assert_eq!((report.last_sent_ns, report.panicked), (7, true));
    }
}
