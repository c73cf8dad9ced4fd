//! `profile_export.jsonl`: one object for each request, with AIPerf's field names and some of our own.

use std::path::Path;

use tokamark_metrics::{Metric, RequestMetrics};
use tokamark_record::{Outcome, Phase, RequestRecord, correlation_id, request_id};

use crate::RunContext;
use crate::error::WriteError;
use crate::files::Growing;
use crate::json::{Object, start_of};

/// Appends rows while the run is going on. What was flushed survives a crash.
#[derive(Debug)]
pub struct RecordsWriter {
    file: Growing,
    context: RunContext,
    row: Vec<u8>,
}

impl RecordsWriter {
    /// Starts the file anew.
    ///
    /// # Errors
    /// It could not be created.
    pub fn create(path: &Path, context: RunContext) -> Result<Self, WriteError> {
        Ok(Self { file: Growing::create(path)?, context, row: Vec::new() })
    }

    /// Appends a request and what it measured.
    ///
    /// # Errors
    /// The file could not be written.
    pub fn append(&mut self, record: &RequestRecord, metrics: &RequestMetrics) -> Result<(), WriteError> {
        self.row.clear();
        let mut row = Object::begin(&mut self.row);
        let context = &self.context;
        row.object("metadata", |metadata| write_metadata(metadata, record, context));
        row.object("metrics", |into| write_metrics(into, metrics));
        if let Outcome::Failed(failure) = &record.outcome {
            row.failure("error", failure);
        }
        row.end();
        self.row.push(b'\n');
        self.file.append(&self.row)
    }

    /// Hands all rows to the system.
    ///
    /// # Errors
    /// The file could not be written.
    pub fn flush(&mut self) -> Result<(), WriteError> {
        self.file.flush()
    }
}

/// Who, when and where: all that is known of a request beside what it measured.
pub(crate) fn write_metadata(into: &mut Object<'_>, record: &RequestRecord, context: &RunContext) {
    let RunContext { run_id, anchor, models, .. } = context;
    let times = &record.times;
    let cancelled = record.outcome == Outcome::Cancelled;
    let phase = match record.phase {
        Phase::Warmup => "warmup",
        Phase::Profiling => "profiling",
    };
    into.whole("session_num", record.seq);
    into.text("x_request_id", &request_id(run_id, record.phase, record.seq));
    into.text("x_correlation_id", &correlation_id(run_id, record.phase, record.session));
    into.text("conversation_id", &context.conversation(record));
    into.whole("turn_index", record.turn.into());
    into.whole("credit_issued_ns", anchor.wall(times.scheduled));
    into.whole("request_start_ns", anchor.wall(start_of(record)));
    into.some_whole("request_ack_ns", times.headers.map(|at| anchor.wall(at)));
    into.whole("request_end_ns", anchor.wall(times.end));
    into.text("worker_id", &format!("worker_{}", record.worker));
    into.text("record_processor_id", &format!("record_processor_{}", record.worker));
    into.text("benchmark_phase", phase);
    into.text("phase_name", phase);
    into.text("phase_kind", phase);
    into.truth("was_cancelled", cancelled);
    into.some_whole("cancellation_time_ns", cancelled.then(|| anchor.wall(times.end)));
    if let Some(model) = models.get(usize::from(record.model_index)) {
        into.text("model", model);
    }
    into.whole("url_index", record.url_index.into());
    into.whole("dataset_row", record.dataset_row);
    into.whole("attempt", record.attempt.into());
    into.truth("was_streamed", record.streamed);
    into.some_whole("http_status", (record.status > 0).then_some(record.status.into()));
    if let Some(reason) = &record.finish_reason {
        into.text("finish_reason", reason);
    }
}

fn write_metrics(into: &mut Object<'_>, metrics: &RequestMetrics) {
    for metric in Metric::ALL.iter().copied() {
        if metric == Metric::InterChunkLatency {
            if !metrics.gaps().is_empty() {
                into.measures(metric.tag(), metrics.gaps(), metric.unit());
            }
        } else if let Some(value) = metrics.get(metric) {
            into.measure(metric.tag(), value, metric.unit());
        }
    }
}
