//! The workers of a run, and the phases that they carry out.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use tokamark_clock::{from_seconds, now_ns};
use tokamark_pace::{Arrivals, Claims, Schedule, StopRule};
use tokamark_plan::{ConnectMode, LoadPlan, Plan, TargetPlan};
use tokamark_record::{Failure, Phase, PhaseSpan, RequestRecord};
use tokio::runtime::LocalOptions;
use tokio::sync::Semaphore;
use tokio::sync::mpsc::UnboundedSender;

use crate::ClientError;
use crate::address::Address;
use crate::book::Book;
use crate::cancel::Cancel;
use crate::connection::Route;
use crate::course::Course;
use crate::exchange::{Exchanger, MAX_DRAINING};
use crate::gauge::InFlight;
use crate::head::Heads;
use crate::lookahead::Lookahead;
use crate::pool::Pool;
use crate::proxy::Proxy;
use crate::socket::Stamper;
use crate::supply::{Prepared, Supply};
use crate::worker::{Command, ConnectReport, PhaseReport, Share, Worker};
use crate::{limits, tls};

/// Tasks that a worker polls between two looks at its sockets and timers. Small, so that a timer or a full socket does not
/// wait behind many others; large enough that the look itself does not cost much per event.
const TASKS_PER_LOOK: u32 = 31;

/// Connections and requests made ahead for what arrives without waiting for answers are at most so many.
const MOST_AHEAD_OF_ARRIVALS: u32 = 256;

/// Stops a run from another thread.
#[derive(Clone, Debug)]
pub struct StopHandle(Arc<Cancel>);

impl StopHandle {
    /// Sends nothing more and cancels what is in flight.
    pub fn stop(&self) {
        self.0.set();
    }

    /// Ends the phase that is going on, as if its time were over: what is in flight is cancelled, and the run goes on.
    pub fn end_phase(&self) {
        self.0.end_phase();
    }

    /// When it was stopped, monotonic nanoseconds.
    #[must_use]
    pub fn stopped_ns(&self) -> Option<u64> {
        self.0.stopped_ns()
    }

    /// Whether it was stopped.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.0.is_stopped()
    }
}

/// What happened in a phase, beside its records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PhaseOutcome {
    /// Its bounds.
    pub span: PhaseSpan,
    /// Most requests in flight.
    pub peak_in_flight: u32,
    /// Reads with data by all workers so far.
    pub reads: u64,
    /// Those without a kernel stamp.
    pub unstamped_reads: u64,
    /// Connections opened so far.
    pub connections: u64,
    /// Somebody stopped it before it was over.
    pub was_interrupted: bool,
}

/// The workers of a run. They and their connections live from phase to phase.
pub struct Engine {
    plan: Plan,
    supply: Arc<dyn Supply>,
    workers: Vec<(UnboundedSender<Command>, JoinHandle<()>)>,
    cancel: Arc<Cancel>,
    in_flight: Arc<InFlight>,
    keeps_connections: bool,
    has_schedule: bool,
    phase_start_ns: Arc<AtomicU64>,
}

impl Engine {
    /// Resolves the targets and starts the workers. Records go to `records` as requests end.
    ///
    /// # Errors
    /// When the target cannot be used or this machine does not allow it.
    pub fn start(
        plan: &Plan,
        run_id: &str,
        supply: Arc<dyn Supply>,
        records: Sender<RequestRecord>,
    ) -> Result<Self, ClientError> {
        let routes = routes(&plan.target)?;
        let has_schedule = supply.schedule(Phase::Profiling).is_some();
        limits::raise_open_files(connections_of(&plan.load, has_schedule))?;
        let (cancel, in_flight) = (Arc::new(Cancel::default()), Arc::new(InFlight::default()));
        let count = worker_count(&plan.load, has_schedule);
        let mut workers = Vec::with_capacity(count.into());
        for index in 0..count {
            let heads = Heads::new(&plan.target, &routes, run_id)?;
            let (commands, inbox) = tokio::sync::mpsc::unbounded_channel();
            let (routes, target, records) = (routes.clone(), plan.target.clone(), records.clone());
            let (cancel, in_flight) = (Arc::clone(&cancel), Arc::clone(&in_flight));
            let (started, start) = channel();
            let thread = std::thread::Builder::new()
                .name(format!("tokamark-worker-{index}"))
                .spawn(move || {
                    let mut runtime = tokio::runtime::Builder::new_current_thread();
                    let runtime = match runtime
                        .enable_all()
                        .event_interval(TASKS_PER_LOOK)
                        .build_local(LocalOptions::default())
                    {
                        Ok(runtime) => runtime,
                        Err(error) => {
                            let _ = started.send(Err(error));
                            return;
                        }
                    };
                    let _ = started.send(Ok(()));
                    let stamper = Rc::new(Stamper::default());
                    let pool = Rc::new(Pool::new(routes, &target, Rc::clone(&stamper)));
                    let exchanger = Exchanger {
                        worker: index,
                        pool,
                        draining: Arc::new(Semaphore::new(MAX_DRAINING)),
                        heads,
                        dialect: tokamark_endpoint::dialect_for(target.endpoint, &target.extra_inputs),
                        streaming: target.streaming,
                        timeout: limit_of(target.request_timeout_s),
                        cancel,
                    };
                    let worker = Rc::new(Worker {
                        exchanger,
                        stamper,
                        records,
                        in_flight,
                        spare: Vec::new().into(),
                        alarms: Rc::default(),
                        last_sent_ns: Cell::new(0),
                    });
                    runtime.block_on(worker.obey(inbox));
                })
                .map_err(ClientError::Worker)?;
            start.recv().map_err(|_| ClientError::WorkerGone)?.map_err(ClientError::Worker)?;
            workers.push((commands, thread));
        }
        let keeps_connections =
            plan.target.connect == ConnectMode::Ahead && plan.target.reuse == tokamark_plan::Reuse::Pooled;
        Ok(Self {
            plan: plan.clone(),
            supply,
            workers,
            cancel,
            in_flight,
            keeps_connections,
            has_schedule,
            phase_start_ns: Arc::default(),
        })
    }

    /// A handle that stops the run.
    #[must_use]
    pub fn stop_handle(&self) -> StopHandle {
        StopHandle(Arc::clone(&self.cancel))
    }

    /// The gauge of requests in flight.
    #[must_use]
    pub fn in_flight(&self) -> Arc<InFlight> {
        Arc::clone(&self.in_flight)
    }

    /// When the phase that is going on began, monotonic nanoseconds; 0 before the first.
    #[must_use]
    pub fn phase_start_ns(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.phase_start_ns)
    }

    /// Number of workers.
    #[must_use]
    pub fn worker_count(&self) -> u16 {
        u16::try_from(self.workers.len()).unwrap_or(u16::MAX)
    }

    /// How many conversations are opened ahead of those that begin.
    fn opened_ahead(load: &LoadPlan, has_schedule: bool) -> usize {
        usize::try_from(connections_of(load, has_schedule)).unwrap_or(1).saturating_mul(2).clamp(64, 16_384)
    }

    /// Opens the connections that the load will need, if the plan wants them ahead. Gives how many are open.
    ///
    /// # Errors
    /// When none at all could be opened: then the server is not there.
    pub fn connect_ahead(&self) -> Result<u32, ClientError> {
        if !self.keeps_connections {
            return Ok(0);
        }
        let begins =
            self.supply.schedule(Phase::Profiling).map(|offsets| u32::try_from(offsets.len()).unwrap_or(u32::MAX));
        let total = connections_of(&self.plan.load, self.has_schedule).min(begins.unwrap_or(u32::MAX)).max(1);
        let (answer, answers) = channel();
        let mut first_url = 0;
        for (index, (commands, _)) in self.workers.iter().enumerate() {
            let count = share_of(total, index, self.workers.len());
            let command = Command::Connect { count, first_url, answer: answer.clone() };
            commands.send(command).map_err(|_| ClientError::WorkerGone)?;
            first_url += count as usize;
        }
        drop(answer);
        let (mut opened, mut first_failure) = (0, None::<Failure>);
        for _ in &self.workers {
            let report: ConnectReport = answers.recv().map_err(|_| ClientError::WorkerGone)?;
            opened += report.opened;
            first_failure = first_failure.or(report.first_failure);
        }
        match first_failure {
            Some(failure) if opened == 0 => Err(ClientError::Unreachable {
                url: self.plan.target.urls.first().cloned().unwrap_or_default(),
                reason: failure.message,
            }),
            _ => Ok(opened),
        }
    }

    /// Sends one request that is in no phase and gives its record.
    ///
    /// # Errors
    /// When the worker is gone.
    pub fn probe(&self, prepared: Prepared) -> Result<RequestRecord, ClientError> {
        let (answer, answers) = channel();
        let (commands, _) = self.workers.first().ok_or(ClientError::WorkerGone)?;
        commands.send(Command::Probe { prepared, answer }).map_err(|_| ClientError::WorkerGone)?;
        answers.recv().map_err(|_| ClientError::WorkerGone)
    }

    /// Carries out a phase and returns when its last request is over.
    ///
    /// # Errors
    /// When a worker or the supply panicked, or a thread cannot be started.
    pub fn run_phase(&self, phase: Phase, load: &LoadPlan) -> Result<PhaseOutcome, ClientError> {
        self.cancel.begin_phase();
        self.in_flight.restart();
        let offsets = self.supply.schedule(phase);
        let begins = offsets.as_ref().map(|offsets| offsets.len() as u64);
        let most = [load.request_count, load.session_count, begins].into_iter().flatten().min();
        let depth = Self::opened_ahead(load, offsets.is_some());
        let lookahead = Lookahead::start(Arc::clone(&self.supply), phase, most, depth).map_err(ClientError::Worker)?;
        self.await_first_window(&lookahead, connections_of(load, offsets.is_some()))?;
        let start_ns = now_ns();
        self.phase_start_ns.store(start_ns, Ordering::Release);
        let arrivals = || load.request_rate.and_then(|rate| Arrivals::new(rate, load.arrival, load.seed));
        let schedule = match offsets {
            Some(offsets) => Some(Schedule::fixed(offsets, start_ns)),
            None => arrivals().map(|arrivals| Schedule::arrivals(arrivals, start_ns)),
        };
        let course = Arc::new(course(phase, load, start_ns, schedule.clone(), lookahead));
        let (answer, answers) = channel();
        let handed_out = self.hand_out(load, &course, schedule.as_ref(), &answer);
        drop(answer);
        let result = handed_out.and_then(|()| self.collect(&answers, load, start_ns));
        course.lookahead.close();
        course.thinkers.close();
        if course.supply_is_gone() { Err(ClientError::SupplyGone) } else { result }
    }

    /// Waits until what the load uses at once has been made, so that the first requests are not late for it; not when the
    /// run is stopped.
    fn await_first_window(&self, lookahead: &Lookahead, at_once: u32) -> Result<(), ClientError> {
        let count = usize::try_from(at_once).unwrap_or(usize::MAX);
        let mut waiting = tokio::runtime::Builder::new_current_thread();
        let waiting = waiting.enable_time().build().map_err(ClientError::Worker)?;
        waiting.block_on(async {
            tokio::select! {
                biased;
                () = self.cancel.wait() => {}
                () = lookahead.filled(count) => {}
            }
        });
        Ok(())
    }

    fn hand_out(
        &self,
        load: &LoadPlan,
        course: &Arc<Course>,
        schedule: Option<&Schedule>,
        answer: &Sender<PhaseReport>,
    ) -> Result<(), ClientError> {
        let slots = load.concurrency.unwrap_or(1);
        for (index, (commands, _)) in self.workers.iter().enumerate() {
            let share = match schedule {
                Some(schedule) => {
                    let instants = schedule.clone().skip(index).step_by(self.workers.len());
                    Share::Scheduled { instants: Box::new(instants) }
                }
                None => Share::Closed { slots: share_of(slots, index, self.workers.len()) },
            };
            let command = Command::Run { course: Arc::clone(course), share, answer: answer.clone() };
            commands.send(command).map_err(|_| ClientError::WorkerGone)?;
        }
        Ok(())
    }

    /// Waits for the workers; when the time and the grace are over, cancels what is left.
    fn collect(
        &self,
        answers: &Receiver<PhaseReport>,
        load: &LoadPlan,
        start_ns: u64,
    ) -> Result<PhaseOutcome, ClientError> {
        let last_ns = match (load.duration_s, load.grace_s) {
            (Some(duration), Some(grace)) => Some(start_ns.saturating_add(from_seconds(duration + grace))),
            _ => None,
        };
        let mut outcome =
            PhaseOutcome { span: PhaseSpan { start_ns, ..PhaseSpan::default() }, ..PhaseOutcome::default() };
        for _ in &self.workers {
            let report = match last_ns {
                Some(last_ns) => {
                    let left = Duration::from_nanos(last_ns.saturating_sub(now_ns()));
                    match answers.recv_timeout(left) {
                        Ok(report) => report,
                        Err(_) => {
                            self.cancel.end_phase();
                            answers.recv().map_err(|_| ClientError::WorkerGone)?
                        }
                    }
                }
                None => answers.recv().map_err(|_| ClientError::WorkerGone)?,
            };
            if report.panicked {
                return Err(ClientError::WorkerGone);
            }
            outcome.span.sent_ns = outcome.span.sent_ns.max(report.last_sent_ns);
            outcome.span.end_ns = outcome.span.end_ns.max(report.end_ns);
            outcome.reads += report.reads;
            outcome.unstamped_reads += report.unstamped_reads;
            outcome.connections += report.connections;
        }
        outcome.peak_in_flight = self.in_flight.peak();
        outcome.was_interrupted = self.cancel.is_stopped();
        Ok(outcome)
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        for (commands, thread) in self.workers.drain(..) {
            drop(commands);
            // A worker that panicked has said so already.
            let _ = thread.join();
        }
    }
}

fn course(
    phase: Phase,
    load: &LoadPlan,
    start_ns: u64,
    schedule: Option<Schedule>,
    lookahead: Arc<Lookahead>,
) -> Course {
    let stop = StopRule::of(load, start_ns);
    let paces_turns = schedule.as_ref().is_some_and(Schedule::paces_turns);
    let cap = load.concurrency.filter(|_| schedule.is_some()).map(|cap| Arc::new(Semaphore::new(cap as usize)));
    Course {
        phase,
        start_ns,
        deadline_ns: stop.deadline_ns,
        book: Book::new(Claims::new(stop, schedule), paces_turns),
        cap,
        lookahead,
        thinkers: Arc::default(),
        has_failed: AtomicBool::new(false),
    }
}

/// Workers for a load: as asked, else one for each core but one; never more than there is work for.
fn worker_count(load: &LoadPlan, has_schedule: bool) -> u16 {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let wanted = load.workers.unwrap_or_else(|| u16::try_from(cores.saturating_sub(1).clamp(1, 32)).unwrap_or(1));
    let most = match (has_schedule || load.request_rate.is_some(), load.concurrency) {
        (false, slots) => slots.unwrap_or(1),
        (true, Some(cap)) => cap,
        (true, None) => u32::from(u16::MAX),
    };
    wanted.min(u16::try_from(most).unwrap_or(u16::MAX)).max(1)
}

/// Connections that the load will need at once: its slots, or a second's worth of arrivals.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped before the cast")]
fn connections_of(load: &LoadPlan, has_schedule: bool) -> u32 {
    let limit = load.request_count.and_then(|count| u32::try_from(count).ok()).unwrap_or(u32::MAX);
    let wanted = match (load.request_rate, load.concurrency) {
        (_, cap) if has_schedule => cap.unwrap_or(u32::MAX).min(MOST_AHEAD_OF_ARRIVALS),
        (None, slots) => slots.unwrap_or(1),
        (Some(rate), cap) => {
            (rate.ceil().clamp(1.0, f64::from(MOST_AHEAD_OF_ARRIVALS)) as u32).min(cap.unwrap_or(u32::MAX))
        }
    };
    wanted.min(limit).max(1)
}

/// The part of `total` that falls to one of several workers.
fn share_of(total: u32, index: usize, workers: usize) -> u32 {
    let (index, workers) = (u32::try_from(index).unwrap_or(0), u32::try_from(workers.max(1)).unwrap_or(1));
    total / workers + u32::from(index < total % workers)
}

fn limit_of(seconds: f64) -> Option<Duration> {
    Duration::try_from_secs_f64(seconds).ok()
}

/// The ways to all URLs of a target.
pub(crate) fn routes(plan: &TargetPlan) -> Result<Vec<Route>, ClientError> {
    let is_http2 = plan.endpoint.speaks_grpc();
    if plan.urls.is_empty() {
        return Err(ClientError::BadUrl { url: String::new(), reason: "it is missing".to_owned() });
    }
    let mut config = None;
    let mut routes = Vec::with_capacity(plan.urls.len());
    for url in &plan.urls {
        let target = Address::parse(url)?;
        let proxy = Proxy::choose(&plan.proxy, &target)?;
        let addresses = proxy.as_ref().map_or(&target, |proxy| &proxy.address).resolve()?;
        let tls = match (target.tls, &config) {
            (false, _) => None,
            (true, Some(config)) => Some(Arc::clone(config)),
            (true, None) => Some(Arc::clone(config.insert(tls::config(&plan.tls, is_http2)?))),
        };
        routes.push(Route { target, proxy, addresses, tls, is_http2 });
    }
    Ok(routes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_add_up() {
        for total in [0, 1, 7, 50, 8_000] {
            for workers in 1..9 {
                let shares: Vec<u32> = (0..workers).map(|index| share_of(total, index, workers)).collect();
                assert_eq!(shares.iter().sum::<u32>(), total);
                assert!(shares.iter().max().unwrap() - shares.iter().min().unwrap() <= 1);
            }
        }
    }
}
