//! Reports of a run: the console, and the files that it leaves.
//!
//! Everything about a finished run is printed from a [`Summary`](tokamark_metrics::Summary); [`RecordsWriter`],
//! [`RawWriter`], [`EventsWriter`], [`OutputsWriter`] and [`InputsWriter`] write one entry after the other while it is
//! going on.

mod console;
mod definitions_md;
mod error;
mod events_parquet;
mod files;
mod inputs_json;
mod json;
mod names;
mod outputs_json;
mod pieces;
mod raw_jsonl;
mod records_jsonl;
mod summary_csv;
mod summary_json;
mod time_text;
mod timeslices;
mod wrap;

pub use console::{Style, render, render_remarks};
pub use definitions_md::definitions_markdown;
pub use error::WriteError;
pub use events_parquet::{CountTokens, EventsWriter, ROW_GROUP_ROWS};
pub use inputs_json::InputsWriter;
pub use names::FileNames;
pub use outputs_json::OutputsWriter;
pub use raw_jsonl::RawWriter;
pub use records_jsonl::RecordsWriter;
pub use summary_csv::write_summary_csv;
pub use summary_json::{SCHEMA_VERSION, write_summary_json};
pub use time_text::utc;
pub use timeslices::{write_timeslices_csv, write_timeslices_json};

use tokamark_record::{Anchor, Phase, RequestRecord};

/// What every row says about its run.
#[derive(Clone)]
pub struct RunContext {
    /// The run's id.
    pub run_id: String,
    /// Ties monotonic instants to wall time.
    pub anchor: Anchor,
    /// Names of the plan's models.
    pub models: Vec<String>,
    /// Names of the measured phase's conversations by number; those of [`conversation_id`] and the dataset's rows if absent.
    pub names: Option<ConversationNames>,
}

/// Gives the name of a conversation by its number.
pub type ConversationNames = std::sync::Arc<dyn Fn(u64) -> String + Send + Sync>;

impl RunContext {
    /// The name of a record's conversation.
    pub(crate) fn conversation(&self, record: &RequestRecord) -> String {
        match &self.names {
            Some(names) if record.phase == Phase::Profiling => names(record.session),
            // Rows come again where conversations do.
            _ => conversation_id(record.dataset_row),
        }
    }
}

impl std::fmt::Debug for RunContext {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RunContext").field("run_id", &self.run_id).field("models", &self.models).finish_non_exhaustive()
    }
}

/// The name of a conversation in files.
#[must_use]
pub fn conversation_id(session: u64) -> String {
    format!("session_{session:06}")
}
