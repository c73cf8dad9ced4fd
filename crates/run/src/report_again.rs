//! The reports of a finished run, made again from its record.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokamark_plan::{ExportLevel, Plan, Source};
use tokamark_record::{CountsReader, Phase, PhaseSpan, RecordReader, RequestRecord, RunFacts, StopReason};
use tokamark_report::RunContext;
use tokamark_tokenizer::resolve;
use tokamark_workload::Workload;

use crate::RunError;
use crate::folder::{Folder, RECORD_ENDING, reason};
use crate::follower::{Aids, Counting, Derivation};
use crate::payloads::Payloads;
use crate::profile::{Finished, counts_locally, names, write_reports};
use crate::schedule::schedule;
use crate::supply::Requests;

/// Makes the reports of the run in a folder (or of a record file) again, in `out` or in the run's own folder.
///
/// # Errors
/// When there is no usable record, or the reports cannot be written.
pub fn report(run: &Path, out: Option<&Path>) -> Result<Finished, RunError> {
    let record = find_record(run)?;
    let (facts, seen) = read_facts(&record)?;
    let source_dir = record.parent().unwrap_or(Path::new(".")).to_owned();
    let out_dir = out.map_or_else(|| source_dir.clone(), Path::to_owned);
    std::fs::create_dir_all(&out_dir)
        .map_err(|error| RunError::Folder { path: out_dir.clone(), reason: reason(&error) })?;
    let source = Folder::at(&source_dir, &facts.plan.report.prefix);
    let target = Folder::at(&out_dir, &facts.plan.report.prefix);
    let mut plan = facts.plan.clone();
    if out_dir == source_dir {
        // Rows and texts are there already, and made of the same record.
        plan.report.outputs_json = false;
        plan.report.export_level = ExportLevel::Summary;
        // A run that was killed has none.
        plan.report.events_parquet &= !target.names.events_parquet().exists();
    }
    if facts.stop == StopReason::Unfinished
        && target.reported(&facts.run_id).is_some_and(|reported| reported > seen.attempted)
    {
        return Err(RunError::Damaged { path: record, requests: seen.attempted });
    }
    let counting = CountsReader::open(&source.counts()).map_or(Counting::Never, Counting::Before);
    let requests = requests_of(&plan, &facts, seen.begun);
    let context = RunContext {
        run_id: facts.run_id.clone(),
        anchor: facts.anchor_start,
        models: plan.target.models.clone(),
        names: requests.as_ref().map(names),
    };
    let mut derivation = Derivation::new(&plan, &target, &context, counting, aids(&plan, &facts, requests))?;
    derivation.phase_start_ns = Arc::new(facts.profiling.start_ns.into());
    let mut reader = RecordReader::open(&record)?;
    while let Some(record) = reader.next_request()? {
        derivation.add(record);
    }
    derivation.finish();
    let summary = derivation.accumulator.finish(&facts)?;
    write_reports(&target, &summary)?;
    Ok(Finished { summary, files: target.written(), error: derivation.write_error.take() })
}

/// What a record says about the run as a whole, and how many conversations began.
pub(crate) fn facts_of(record: &Path) -> Result<(RunFacts, u64), RunError> {
    read_facts(record).map(|(facts, seen)| (facts, seen.begun))
}

/// The facts that count are the last ones, so a record is read twice; the first time only to its end.
fn read_facts(record: &Path) -> Result<(RunFacts, Seen), RunError> {
    let mut reader = RecordReader::open(record)?;
    let mut seen = Seen::default();
    while let Some(record) = reader.next_request()? {
        seen.add(&record);
    }
    let mut facts = reader.facts()?;
    if reader.is_damaged() || facts.stop == StopReason::Unfinished {
        seen.complete(&mut facts);
    }
    Ok((facts, seen))
}

/// What the requests of a record say about the run as a whole.
#[derive(Default)]
struct Seen {
    /// Conversations that began.
    begun: u64,
    /// Measured requests.
    attempted: u64,
    span: Option<PhaseSpan>,
    /// Arrivals are from before their reads, so they are the kernel's.
    kernel_timestamps: bool,
}

impl Seen {
    fn add(&mut self, record: &RequestRecord) {
        if record.phase != Phase::Profiling {
            return;
        }
        self.begun = self.begun.max(record.session.saturating_add(1));
        self.attempted += 1;
        let times = &record.times;
        let sent = times.send_start.unwrap_or(times.scheduled);
        let span = self.span.get_or_insert(PhaseSpan { start_ns: times.scheduled, sent_ns: sent, end_ns: times.end });
        span.start_ns = span.start_ns.min(times.scheduled);
        span.sent_ns = span.sent_ns.max(sent);
        span.end_ns = span.end_ns.max(times.end);
        self.kernel_timestamps |= record.events.iter().any(|event| event.arrival < event.read);
    }

    /// Stands in for what a run says at its end, when it did not live to say it.
    fn complete(&self, facts: &mut RunFacts) {
        facts.stop = StopReason::Unfinished;
        facts.profiling = self.span.unwrap_or_default();
        facts.kernel_timestamps = self.kernel_timestamps;
    }
}

/// What makes the requests of the run, if they are needed and can still be had as they were.
fn requests_of(plan: &Plan, facts: &RunFacts, begun: u64) -> Option<Arc<Requests>> {
    let has_names = !matches!(plan.workload.source, Source::Synthetic(_));
    let is_needed = plan.report.export_level >= ExportLevel::Raw
        || (has_names && (plan.report.export_level >= ExportLevel::Records || plan.report.outputs_json));
    let workload = if is_needed { Workload::build(plan).ok() } else { None }?;
    let schedule = schedule(plan, workload.starts_ms(), workload.is_trace()).ok()?;
    let requests = Requests::new(plan, Arc::new(workload), schedule);
    // A dataset may have changed since, and other prompts are worse than none.
    (requests.digest(begun) == facts.workload_digest).then_some(requests)
}

/// The requests and the tokenizer of the run, as far as they are needed.
fn aids(plan: &Plan, facts: &RunFacts, requests: Option<Arc<Requests>>) -> Aids {
    let needs_tokens = plan.report.events_parquet && counts_locally(plan);
    let tokenizer = if needs_tokens {
        resolve(&plan.workload.tokenizer, &plan.target.models).ok().map(|resolved| resolved.tokenizer)
    } else {
        None
    };
    Aids {
        payloads: requests.filter(|_| plan.report.export_level >= ExportLevel::Raw).map(Payloads::new),
        tokenizer: tokenizer.filter(|tokenizer| tokenizer.name() == facts.tokenizer),
    }
}

pub(crate) fn find_record(run: &Path) -> Result<PathBuf, RunError> {
    if run.is_file() {
        return Ok(run.to_owned());
    }
    let entries = std::fs::read_dir(run).map_err(|_| RunError::NoRun(run.to_owned()))?;
    let mut records: Vec<PathBuf> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.to_string_lossy().ends_with(RECORD_ENDING))
        .collect();
    records.sort();
    records.into_iter().next().ok_or_else(|| RunError::NoRun(run.to_owned()))
}
