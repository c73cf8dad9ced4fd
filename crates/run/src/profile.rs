//! One run at one load.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::channel;

use tokamark_client::{Engine, PhaseOutcome, StopHandle, Wire};
use tokamark_clock::{now_ns, wall_ns};
use tokamark_metrics::Summary;
use tokamark_plan::{LoadPlan, Plan};
use tokamark_record::{Anchor, ClientLoad, CountsWriter, Phase, PhaseSpan, RunFacts, StopReason};
use tokamark_report::{
    ConversationNames, InputsWriter, RunContext, write_summary_csv, write_summary_json, write_timeslices_csv,
    write_timeslices_json,
};
use tokamark_telemetry::OwnLoad;
use tokamark_workload::Workload;

use crate::RunError;
use crate::folder::Folder;
use crate::follower::{self, Aids, Counting, Derivation};
use crate::ledger::Ledger;
use crate::live::Live;
use crate::payloads::Payloads;
use crate::progress::Progress;
use crate::recorder::Recorded;
use crate::schedule::schedule;
use crate::settle::settled;
use crate::supply::{Requests, WorkloadSupply};
use crate::tensors::Tensors;
use crate::{ready, recorder};

/// What an observer of a run can do.
#[derive(Clone)]
pub struct Control {
    /// Stops it; a report of what was measured is still made.
    pub stop: StopHandle,
    /// Its figures so far.
    pub live: Arc<Live>,
}

/// Somebody who watches a run.
pub trait Observer {
    /// The load is about to start.
    fn started(&mut self, control: &Control);
    /// The load is over; reports are made now.
    fn ended(&mut self);
    /// Something that the user should know at once.
    fn note(&mut self, text: &str);
    /// Something that a curious user may want to know.
    fn detail(&mut self, text: &str);
}

/// A run that was carried out.
#[derive(Debug)]
pub struct Finished {
    /// Its figures.
    pub summary: Summary,
    /// Files that were written, the most useful first.
    pub files: Vec<PathBuf>,
    /// What could not be written or finished, though the figures stand.
    pub error: Option<RunError>,
}

impl Finished {
    /// The folder of the run.
    #[must_use]
    pub fn folder(&self) -> PathBuf {
        self.files.first().and_then(|file| file.parent()).map(PathBuf::from).unwrap_or_default()
    }
}

/// Carries out a plan.
///
/// # Errors
/// When nothing could be measured. What goes wrong later is in [`Finished::error`].
pub fn profile(plan: &Plan, command: Vec<String>, observer: &mut dyn Observer) -> Result<Finished, RunError> {
    let workload = Arc::new(Workload::build(plan)?);
    for field in workload.ignored_fields() {
        observer.note(&format!("the dataset's field `{field}` is not used"));
    }
    let schedule = schedule(plan, workload.starts_ms(), workload.is_trace())?;
    if schedule.is_some() {
        observer.note("requests are sent at the times of the trace; --no-fixed-schedule sends them as the load says");
    }
    let plan = &settled(plan, &workload, schedule.is_some());
    if let Some(dataset) = workload.dataset() {
        observer.detail(dataset.how_found());
        let skipped = dataset.skipped_lines();
        if skipped > 0 {
            observer.note(&format!("{skipped} faulty line(s) of the dataset are left out"));
        }
    }
    let folder = Folder::create(plan)?;
    if folder.replaces_a_run {
        observer.note(&format!("an earlier run in {} is replaced", folder.path.display()));
    }
    let requests = Requests::new(plan, Arc::clone(&workload), schedule);
    let finished = measure(plan, command, observer, &requests, &workload, &folder);
    if finished.is_err() && !folder.record().exists() {
        folder.undo();
    }
    finished
}

fn measure(
    plan: &Plan,
    command: Vec<String>,
    observer: &mut dyn Observer,
    requests: &Arc<Requests>,
    workload: &Workload,
    folder: &Folder,
) -> Result<Finished, RunError> {
    let mut facts = first_facts(plan, command, workload);
    let context = RunContext {
        run_id: facts.run_id.clone(),
        anchor: facts.anchor_start,
        models: plan.target.models.clone(),
        names: Some(names(requests)),
    };
    let inputs = InputsWriter::create(&folder.names.inputs_json())?;
    let ledger = Arc::new(Ledger::new(inputs, requests.seen()));
    let supply = Arc::new(WorkloadSupply::new(Arc::clone(requests), Arc::clone(&ledger)));
    let tokenizer = counts_locally(plan).then(|| workload.tokenizer().clone());
    let counting = match &tokenizer {
        None => Counting::Never,
        Some(tokenizer) => Counting::Now(tokenizer.clone(), CountsWriter::create(&folder.counts())?),
    };
    let aids = Aids { payloads: Some(Payloads::new(Arc::clone(requests))), tokenizer };
    let mut derivation = Derivation::new(plan, folder, &context, counting, aids)?;

    let (records_in, records_out) = channel();
    let engine = Engine::start(plan, &facts.run_id, supply.clone(), records_in)?;
    let control = Control { stop: engine.stop_handle(), live: Arc::new(Live::new(engine.in_flight())) };
    facts.workers = engine.worker_count();
    derivation.phase_start_ns = engine.phase_start_ns();
    observer.detail(&format!("run {} in {}", facts.run_id, folder.path.display()));
    observer.detail(&format!("{} worker(s), tokenizer {}", facts.workers, facts.tokenizer));
    observer.started(&control);
    if let Some(tensors) = Tensors::describe(&plan.target, &control.stop)? {
        requests.send_as(tensors);
        // What goes into every request shows in the first.
        if let Wire::Refused(reason) = supply.probe().wire {
            return Err(RunError::Inputs(reason.to_string()));
        }
    }
    if plan.target.wait_for_model_s > 0.0 {
        ready::wait(&engine, &control.stop, &supply, plan.target.wait_for_model_s)?;
    }
    let opened = engine.connect_ahead()?;
    facts.ready_ns = Some(now_ns());
    observer.detail(&format!("{opened} connection(s) opened ahead"));

    let progress = Arc::new(Progress::default());
    let recorder = recorder::start(
        folder.record(),
        &facts,
        records_out,
        Arc::clone(&control.live),
        Arc::clone(&ledger),
        Arc::clone(&progress),
        control.stop.clone(),
    )?;
    let follower = follower::start(folder.record(), derivation, Arc::clone(&progress))?;
    folder.begin();

    let own = OwnLoad::start();
    let outcome = phases(&engine, plan, &control, &mut facts, observer);
    facts.client = own.finish();
    drop(engine);
    observer.ended();
    let recorded = recorder.join().map_err(|_| RunError::ThreadGone);
    progress.complete();
    let (mut recorded, derivation) = (recorded?, follower.join().map_err(|_| RunError::ThreadGone)?);

    facts.stop_requested_ns = control.stop.stopped_ns();
    note_outcome(&mut facts, &outcome?, &recorded);
    let (digest, inputs_error) = ledger.finish(recorded.begun);
    facts.workload_digest = digest;
    let written = recorded.writer.facts(&facts).and_then(|()| recorded.writer.flush());
    let mut derivation = derivation?;
    let errors = [
        recorded.error.map(RunError::from),
        written.err().map(RunError::from),
        inputs_error.map(RunError::from),
        derivation.write_error.take(),
        workload.failure().map(|failure| RunError::Conversation(failure.to_string())),
    ];
    let summary = derivation.accumulator.finish(&facts)?;
    let report_error = write_reports(folder, &summary).err();
    let error = errors.into_iter().flatten().chain(report_error).next();
    Ok(Finished { summary, files: folder.written(), error })
}

/// The names of the conversations of a run.
pub(crate) fn names(requests: &Arc<Requests>) -> ConversationNames {
    let requests = Arc::clone(requests);
    Arc::new(move |number| requests.name(number))
}

/// Puts what the measured phase gave into the facts.
fn note_outcome(facts: &mut RunFacts, measured: &PhaseOutcome, recorded: &Recorded) {
    facts.anchor_end = anchor();
    facts.profiling = measured.span;
    facts.peak_in_flight = measured.peak_in_flight;
    (facts.reads, facts.unstamped_reads) = (measured.reads, measured.unstamped_reads);
    facts.kernel_timestamps = measured.reads > 0 && measured.unstamped_reads * 2 < measured.reads;
    facts.connections = measured.connections;
    if recorded.error.is_some() {
        facts.stop = StopReason::Aborted;
    }
}

/// Writes the files that are made of the summary.
pub(crate) fn write_reports(folder: &Folder, summary: &Summary) -> Result<(), RunError> {
    let names = &folder.names;
    write_summary_json(&names.summary_json(), summary)?;
    write_summary_csv(&names.summary_csv(), summary)?;
    if !summary.slices.is_empty() {
        write_timeslices_json(&names.timeslices_json(), summary)?;
        write_timeslices_csv(&names.timeslices_csv(), summary)?;
    }
    Ok(())
}

/// Whether the client counts the tokens of answers.
pub(crate) fn counts_locally(plan: &Plan) -> bool {
    !plan.target.use_server_token_count && tokamark_endpoint::dialect(plan.target.endpoint).generates_tokens()
}

/// The warm-up, then the measured phase.
fn phases(
    engine: &Engine,
    plan: &Plan,
    control: &Control,
    facts: &mut RunFacts,
    observer: &mut dyn Observer,
) -> Result<PhaseOutcome, RunError> {
    if plan.load.warmup_requests > 0 {
        let load = LoadPlan {
            request_count: Some(plan.load.warmup_requests),
            duration_s: None,
            grace_s: None,
            ..plan.load.clone()
        };
        control.live.begin(Phase::Warmup, load.request_count, None);
        observer.detail(&format!("warm-up: {} request(s)", plan.load.warmup_requests));
        facts.warmup = Some(engine.run_phase(Phase::Warmup, &load)?.span);
    }
    control.live.begin(Phase::Profiling, plan.load.request_count, plan.load.duration_s);
    if control.stop.is_stopped() {
        let now = now_ns();
        facts.stop = StopReason::Interrupted;
        let span = PhaseSpan { start_ns: now, sent_ns: now, end_ns: now };
        return Ok(PhaseOutcome { span, ..PhaseOutcome::default() });
    }
    observer.detail("the measured phase begins");
    let outcome = engine.run_phase(Phase::Profiling, &plan.load)?;
    let seconds = outcome.span.end_ns.saturating_sub(outcome.span.start_ns) / tokamark_clock::SECOND;
    observer.detail(&format!("it took {seconds} s, with at most {} request(s) in flight", outcome.peak_in_flight));
    facts.stop = if outcome.was_interrupted {
        StopReason::Interrupted
    } else if plan.load.duration_s.is_some() {
        StopReason::Duration
    } else {
        StopReason::Completed
    };
    Ok(outcome)
}

fn first_facts(plan: &Plan, command: Vec<String>, workload: &Workload) -> RunFacts {
    let start = anchor();
    RunFacts {
        tokamark_version: env!("CARGO_PKG_VERSION").to_owned(),
        run_id: run_id(start),
        command,
        plan: plan.clone(),
        anchor_start: start,
        anchor_end: start,
        ready_ns: None,
        stop_requested_ns: None,
        warmup: None,
        profiling: PhaseSpan::default(),
        // Stands until the run is over.
        stop: StopReason::Unfinished,
        tokenizer: workload.tokenizer().name().to_owned(),
        tokenizer_is_fallback: workload.is_fallback_tokenizer(),
        workload_digest: String::new(),
        prompts_are_distinct: workload.are_distinct(),
        skipped_lines: workload.skipped_lines(),
        workers: 0,
        peak_in_flight: 0,
        kernel_timestamps: false,
        unstamped_reads: 0,
        reads: 0,
        connections: 0,
        client: ClientLoad::default(),
    }
}

fn anchor() -> Anchor {
    Anchor { monotonic_ns: now_ns(), wall_ns: wall_ns() }
}

/// 12 hex digits that no other run on this machine has: the time and the process, mixed.
fn run_id(start: Anchor) -> String {
    let seed = start.wall_ns ^ start.monotonic_ns.rotate_left(32) ^ u64::from(std::process::id()).rotate_left(48);
    let mixed = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    format!("{:012x}", (mixed ^ (mixed >> 29)) & 0xffff_ffff_ffff)
}
