//! Lines of a Mooncake-style trace.

use std::io::{self, Write};

use serde::Serialize;

use crate::row::Row;

/// A line as it is written.
#[derive(Serialize)]
struct Line<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    session_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    timestamp: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    delay: Option<f64>,
    input_length: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    output_length: Option<u64>,
    hash_ids: &'a [u64],
    #[serde(skip_serializing_if = "Option::is_none")]
    group_id: Option<u32>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    is_restart: bool,
}

/// What a line says beside its row.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Labels {
    pub(super) group: Option<u32>,
    pub(super) is_restart: bool,
}

/// Writes a row as one line.
pub(super) fn write(row: &Row, labels: Labels, out: &mut impl Write) -> io::Result<()> {
    let line = Line {
        session_id: row.session.as_deref(),
        timestamp: row.timestamp_ms,
        delay: row.delay_ms,
        input_length: row.input_tokens,
        output_length: row.output_tokens,
        hash_ids: &row.hash_ids,
        group_id: labels.group,
        is_restart: labels.is_restart,
    };
    serde_json::to_writer(&mut *out, &line)?;
    out.write_all(b"\n")
}

/// Milliseconds to the microsecond, so that lines stay short.
pub(super) fn to_microseconds(ms: f64) -> f64 {
    (ms * 1e3).round() / 1e3
}
