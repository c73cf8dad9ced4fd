//! `profile_export_tokamark.json`: the summary.

use std::io::Write;
use std::path::Path;

use serde::Serialize;
use tokamark_metrics::Summary;

use crate::error::WriteError;
use crate::files::write_whole;
use crate::time_text::utc;

/// Version of the layout: the first number changes when a reader would have to.
pub const SCHEMA_VERSION: &str = "1.0";

#[derive(Serialize)]
struct Document<'a> {
    schema_version: &'static str,
    start_time: String,
    end_time: String,
    #[serde(flatten)]
    summary: &'a Summary,
}

/// Writes the summary as strict JSON.
///
/// # Errors
/// The file could not be written.
pub fn write_summary_json(path: &Path, summary: &Summary) -> Result<(), WriteError> {
    let document = Document {
        schema_version: SCHEMA_VERSION,
        start_time: utc(summary.run.start_ns),
        end_time: utc(summary.run.end_ns),
        summary,
    };
    write_whole(path, |file| {
        serde_json::to_writer_pretty(&mut *file, &document)?;
        file.write_all(b"\n")
    })
}
