//! `azure_trace`: times and lengths of single requests, as in the public traces of Azure's LLM inference.

use chrono::{DateTime, NaiveDateTime};
use tokamark_conversation::History;
use tokamark_plan::TracePlan;
use tokamark_trace::Row;

use super::rows::{Entry, RowFormat, needed};
use crate::fields::Fields;

/// The format. Times are counted from the earliest. An answer of no tokens asks for one.
#[derive(Debug)]
pub(super) struct Azure {
    /// The earliest time, milliseconds.
    first_ms: f64,
}

impl Default for Azure {
    fn default() -> Self {
        Self { first_ms: f64::INFINITY }
    }
}

impl RowFormat for Azure {
    const COLUMNS: Option<&'static [&'static str]> = Some(&["TIMESTAMP", "ContextTokens", "GeneratedTokens"]);
    const LOOKS_AHEAD: bool = true;

    fn entry(&mut self, fields: &mut Fields, _text: &str, _plan: &TracePlan) -> Entry {
        Entry {
            row: Row {
                timestamp_ms: needed(fields, "TIMESTAMP", clock_time),
                input_tokens: needed(fields, "ContextTokens", Fields::above_zero).unwrap_or(0),
                output_tokens: needed(fields, "GeneratedTokens", Fields::whole).map(|tokens| tokens.max(1)),
                block_size: 1,
                ..Row::default()
            },
            history: History::None,
            ..Entry::default()
        }
    }

    fn look(&mut self, entry: &Entry) {
        self.first_ms = entry.row.timestamp_ms.map_or(self.first_ms, |ms| ms.min(self.first_ms));
    }

    fn settle(&mut self, entry: &mut Entry, _fields: &mut Fields) {
        // To the 100 nanoseconds that the trace has: epoch milliseconds in floating point have about 200.
        entry.row.timestamp_ms = entry.row.timestamp_ms.map(|ms| ((ms - self.first_ms) * 1e3).round() / 1e3);
    }
}

/// A time of the day, with or without an offset to UTC, as milliseconds since 1970.
pub(super) fn clock_time(fields: &mut Fields, field: &str) -> Option<f64> {
    let text = fields.filled(field)?;
    let time = DateTime::parse_from_rfc3339(&text)
        .or_else(|_| DateTime::parse_from_str(&text, "%Y-%m-%d %H:%M:%S%.f%:z"))
        .map(|time| time.to_utc())
        .or_else(|_| NaiveDateTime::parse_from_str(&text, "%Y-%m-%d %H:%M:%S%.f").map(|time| time.and_utc()));
    match time {
        Ok(time) => Some(time.timestamp() as f64 * 1e3 + f64::from(time.timestamp_subsec_nanos()) / 1e6),
        Err(_) => {
            fields.fault(field, "is not a time such as 2023-11-16 18:17:03.9799600");
            None
        }
    }
}
