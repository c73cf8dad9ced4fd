//! Reads the record behind the recorder and derives from it: token counts, rows, events, texts, figures.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use tokamark_metrics::Accumulator;
use tokamark_plan::{ExportLevel, Plan};
use tokamark_record::{CountsReader, CountsWriter, Outcome, Phase, RecordFileError, RecordReader, RequestRecord};
use tokamark_report::{CountTokens, EventsWriter, OutputsWriter, RawWriter, RecordsWriter, RunContext, WriteError};
use tokamark_tokenizer::Tokenizer;

use crate::RunError;
use crate::folder::Folder;
use crate::payloads::Payloads;
use crate::progress::Progress;

/// How long the follower sleeps at most between looks at the record.
const LOOK_AFTER: Duration = Duration::from_millis(500);
/// The follower yields to the workers where the system knows priorities of threads.
const NICENESS: i32 = 10;

/// Where an answer's tokens are counted.
pub(crate) enum Counting {
    /// By this tokenizer; the counts are kept beside the record.
    Now(Tokenizer, CountsWriter),
    /// They were counted before.
    Before(CountsReader),
    /// Nowhere: the server's counts are enough.
    Never,
}

/// What a derivation can use that is not in the record.
#[derive(Default)]
pub(crate) struct Aids {
    /// Makes the payloads again.
    pub(crate) payloads: Option<Payloads>,
    /// Counts the tokens of single events.
    pub(crate) tokenizer: Option<Tokenizer>,
}

/// Derives everything that comes from single requests.
pub(crate) struct Derivation {
    counting: Counting,
    pub(crate) accumulator: Accumulator,
    aids: Aids,
    rows: Option<RecordsWriter>,
    raw: Option<RawWriter>,
    events: Option<EventsWriter>,
    outputs: Option<OutputsWriter>,
    /// When the phase that is going on began, monotonic nanoseconds: where the grid of slices starts.
    pub(crate) phase_start_ns: Arc<AtomicU64>,
    profiling_began: bool,
    /// The first file that could not be written. The figures go on without it.
    pub(crate) write_error: Option<RunError>,
}

impl Derivation {
    pub(crate) fn new(
        plan: &Plan,
        folder: &Folder,
        context: &RunContext,
        counting: Counting,
        aids: Aids,
    ) -> Result<Self, RunError> {
        let rows = (plan.report.export_level >= ExportLevel::Records)
            .then(|| RecordsWriter::create(&folder.names.records_jsonl(), context.clone()))
            .transpose()?;
        let raw = (plan.report.export_level >= ExportLevel::Raw)
            .then(|| RawWriter::create(&folder.names.raw_jsonl(), context.clone()))
            .transpose()?;
        let events = plan
            .report
            .events_parquet
            .then(|| EventsWriter::create(&folder.names.events_parquet(), context.clone()))
            .transpose()?;
        let outputs = plan
            .report
            .outputs_json
            .then(|| OutputsWriter::create(&folder.names.outputs_json(), context.clone()))
            .transpose()?;
        let accumulator = Accumulator::new(plan, Some(folder.path.clone()))?;
        Ok(Self {
            counting,
            accumulator,
            aids,
            rows,
            raw,
            events,
            outputs,
            phase_start_ns: Arc::default(),
            profiling_began: false,
            write_error: None,
        })
    }

    /// Takes the next request of the record.
    pub(crate) fn add(&mut self, mut record: RequestRecord) {
        self.count(&mut record);
        if record.phase == Phase::Profiling && !self.profiling_began {
            self.profiling_began = true;
            self.accumulator.begin_profiling(self.phase_start_ns.load(Ordering::Acquire));
        }
        let metrics = self.accumulator.add(&record);
        if let Some(rows) = &mut self.rows {
            let result = rows.append(&record, &metrics);
            if self.note(result) {
                self.rows = None;
            }
        }
        if let Some(raw) = &mut self.raw {
            let payload = self.aids.payloads.as_mut().and_then(|payloads| payloads.of(&record));
            let result = raw.append(&record, payload.as_deref());
            if self.note(result) {
                self.raw = None;
            }
        }
        if let Some(events) = &mut self.events {
            let count = self.aids.tokenizer.as_ref().map(|tokenizer| |text: &str| tokenizer.count(text) as u64);
            let result = events.append(&record, count.as_ref().map(|count| count as CountTokens<'_>));
            if self.note(result) {
                self.events = None;
            }
        }
        if let Some(outputs) = &mut self.outputs {
            let result = outputs.append(&record, &metrics);
            if self.note(result) {
                self.outputs = None;
            }
        }
    }

    fn count(&mut self, record: &mut RequestRecord) {
        match &mut self.counting {
            Counting::Never => {}
            Counting::Before(counts) => {
                counts.fill(record);
            }
            Counting::Now(tokenizer, counts) => {
                if record.outcome == Outcome::Ok && !record.text.is_empty() {
                    let (reasoning, content, tool) = record.texts();
                    let count = |text: &str| tokenizer.count(text) as u64;
                    record.local_output_tokens = Some(count(&content) + count(&tool));
                    record.local_reasoning_tokens = (!reasoning.is_empty()).then(|| count(&reasoning));
                }
                if let Err(error) = counts.append(record) {
                    self.write_error.get_or_insert(error.into());
                }
            }
        }
    }

    /// Notes an error; `true` if there is one.
    fn note(&mut self, result: Result<(), WriteError>) -> bool {
        match result {
            Ok(()) => false,
            Err(error) => {
                self.write_error.get_or_insert(error.into());
                true
            }
        }
    }

    fn flush(&mut self) {
        if let Some(rows) = &mut self.rows {
            let result = rows.flush();
            self.note(result);
        }
        if let Some(raw) = &mut self.raw {
            let result = raw.flush();
            self.note(result);
        }
        if let Counting::Now(_, counts) = &mut self.counting
            && let Err(error) = counts.flush()
        {
            self.write_error.get_or_insert(error.into());
        }
    }

    /// Closes the files.
    pub(crate) fn finish(&mut self) {
        self.flush();
        if let Some(events) = self.events.take() {
            let result = events.finish();
            self.note(result);
        }
        if let Some(outputs) = self.outputs.take() {
            let result = outputs.finish();
            self.note(result);
        }
    }
}

/// Starts the follower of a run that is going on. It ends when the recorder has.
pub(crate) fn start(
    record: PathBuf,
    mut derivation: Derivation,
    progress: Arc<Progress>,
) -> Result<JoinHandle<Result<Derivation, RecordFileError>>, RunError> {
    let follow = move || {
        // Refused by some sandboxes; it then competes on equal terms.
        let _ = rustix::process::setpriority_process(None, NICENESS);
        let mut reader = RecordReader::open(&record)?;
        let mut seen = 0;
        loop {
            let (flushes, is_complete) = progress.wait(seen, LOOK_AFTER);
            seen = flushes;
            while let Some(record) = reader.next_request()? {
                derivation.add(record);
            }
            derivation.flush();
            if is_complete {
                derivation.finish();
                return Ok(derivation);
            }
        }
    };
    std::thread::Builder::new().name("tokamark-follow".to_owned()).spawn(follow).map_err(RunError::Thread)
}
