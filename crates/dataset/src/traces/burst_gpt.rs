//! `burst_gpt_trace`: times and lengths of single requests.

use tokamark_conversation::History;
use tokamark_plan::TracePlan;
use tokamark_trace::Row;

use super::rows::{Entry, RowFormat, needed, seconds};
use crate::fields::Fields;

/// The format. Every row is a request by itself. An answer of no tokens is that of a request that failed when the trace
/// was recorded: it is sent all the same and asks for one token.
#[derive(Debug, Default)]
pub(super) struct BurstGpt;

impl RowFormat for BurstGpt {
    const COLUMNS: Option<&'static [&'static str]> = Some(&["Timestamp", "Request tokens", "Response tokens"]);

    fn entry(&mut self, fields: &mut Fields, _text: &str, _plan: &TracePlan) -> Entry {
        fields.skip(&["Model", "Total tokens", "Log Type", "Session ID", "Elapsed time"]);
        Entry {
            row: Row {
                timestamp_ms: needed(fields, "Timestamp", seconds),
                input_tokens: needed(fields, "Request tokens", Fields::above_zero).unwrap_or(0),
                output_tokens: needed(fields, "Response tokens", Fields::whole).map(|tokens| tokens.max(1)),
                block_size: 1,
                ..Row::default()
            },
            history: History::None,
            ..Entry::default()
        }
    }
}
