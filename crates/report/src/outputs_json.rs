//! `outputs.json`: what the answers said.

use std::path::Path;

use tokamark_metrics::{Metric, RequestMetrics};
use tokamark_record::{Outcome, RequestRecord, request_id};

use crate::RunContext;
use crate::error::WriteError;
use crate::files::Growing;
use crate::json::{Object, start_of};

const METRICS: [Metric; 6] = [
    Metric::InputSequenceLength,
    Metric::OutputTokenCount,
    Metric::OutputSequenceLength,
    Metric::RequestLatency,
    Metric::TimeToFirstToken,
    Metric::InterTokenLatency,
];

/// Writes one answer after the other; the file is whole after [`finish`](Self::finish).
#[derive(Debug)]
pub struct OutputsWriter {
    file: Growing,
    context: RunContext,
    entry: Vec<u8>,
    is_empty: bool,
}

impl OutputsWriter {
    /// Starts the file anew.
    ///
    /// # Errors
    /// It could not be created.
    pub fn create(path: &Path, context: RunContext) -> Result<Self, WriteError> {
        let mut file = Growing::create(path)?;
        file.append(b"{\"schema_version\":\"1.0\",\"data\":[")?;
        Ok(Self { file, context, entry: Vec::new(), is_empty: true })
    }

    /// Appends an answer, or what had arrived of it.
    ///
    /// # Errors
    /// The file could not be written.
    pub fn append(&mut self, record: &RequestRecord, metrics: &RequestMetrics) -> Result<(), WriteError> {
        let RunContext { run_id, anchor, .. } = &self.context;
        self.entry.clear();
        if !std::mem::replace(&mut self.is_empty, false) {
            self.entry.push(b',');
        }
        self.entry.push(b'\n');
        let (reasoning, visible, tool) = record.texts();
        let mut entry = Object::begin(&mut self.entry);
        entry.whole("session_num", record.seq);
        entry.text("conversation_id", &self.context.conversation(record));
        entry.whole("turn_index", record.turn.into());
        entry.text("x_request_id", &request_id(run_id, record.phase, record.seq));
        entry.whole("request_start_ns", anchor.wall(start_of(record)));
        entry.whole("request_end_ns", anchor.wall(record.times.end));
        entry.object("metrics", |into| {
            for metric in METRICS {
                if let Some(value) = metrics.get(metric) {
                    into.measure(metric.tag(), value, metric.unit());
                }
            }
        });
        // An answer that calls a tool and says nothing else is that call.
        entry.text("response_text", if visible.is_empty() { &tool } else { &visible });
        if !reasoning.is_empty() {
            entry.text("reasoning_text", &reasoning);
        }
        if !tool.is_empty() {
            entry.text("tool_call_text", &tool);
        }
        match &record.outcome {
            Outcome::Ok => {}
            Outcome::Failed(failure) => entry.failure("error", failure),
            Outcome::Cancelled => entry.truth("was_cancelled", true),
        }
        entry.end();
        self.file.append(&self.entry)
    }

    /// Closes the list.
    ///
    /// # Errors
    /// The file could not be written.
    pub fn finish(mut self) -> Result<(), WriteError> {
        self.file.append(b"\n]}\n")?;
        self.file.flush()
    }
}
