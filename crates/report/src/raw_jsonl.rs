//! `profile_export_raw.jsonl`: for each request what was sent and what came back, with AIPerf's field names where it has
//! them. Headers are in it neither by name nor by value.

use std::path::Path;

use tokamark_record::{Outcome, RequestRecord};
use tokamark_wire::EventFlags;

use crate::RunContext;
use crate::error::WriteError;
use crate::files::Growing;
use crate::json::{Object, start_of};
use crate::pieces::pieces;
use crate::records_jsonl::write_metadata;

/// Appends rows while the run is going on. What was flushed survives a crash.
#[derive(Debug)]
pub struct RawWriter {
    file: Growing,
    context: RunContext,
    row: Vec<u8>,
}

impl RawWriter {
    /// Starts the file anew.
    ///
    /// # Errors
    /// It could not be created.
    pub fn create(path: &Path, context: RunContext) -> Result<Self, WriteError> {
        Ok(Self { file: Growing::create(path)?, context, row: Vec::new() })
    }

    /// Appends a request. `payload` is the body that was sent, JSON in one line; its field is left out if it is not known.
    ///
    /// # Errors
    /// The file could not be written.
    pub fn append(&mut self, record: &RequestRecord, payload: Option<&[u8]>) -> Result<(), WriteError> {
        let anchor = self.context.anchor;
        self.row.clear();
        let mut row = Object::begin(&mut self.row);
        row.object("metadata", |metadata| write_metadata(metadata, record, &self.context));
        row.whole("start_perf_ns", start_of(record));
        row.some_whole("status", (record.status > 0).then_some(record.status.into()));
        if let Some(payload) = payload {
            row.json("payload", payload);
        }
        row.objects("responses", pieces(record), |response, (event, pieces)| {
            response.whole("perf_ns", event.arrival);
            response.whole("arrival_ns", anchor.wall(event.arrival));
            response.text("kind", &kind_of(event.flags));
            response.whole("bytes", event.bytes.into());
            for (key, text) in
                [("reasoning_text", pieces.reasoning), ("text", pieces.content), ("tool_call_text", pieces.tool)]
            {
                if !text.is_empty() {
                    response.text(key, text);
                }
            }
        });
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

/// What an event is: the names of its flags, such as `content+finish`.
pub(crate) fn kind_of(flags: EventFlags) -> String {
    flags.names().collect::<Vec<_>>().join("+")
}
