//! The client's figures held against the server's log, request by request.

use std::collections::HashMap;

use tokamark_sim::{TruthRecord, TruthWrite};

use crate::measured::{Row, Sample};

/// Differences between what the client says and what the server did, in milliseconds.
pub(crate) struct Differences {
    pub(crate) ttft: Sample,
    pub(crate) gaps: Sample,
    /// From the scheduled instant to the arrival of the whole request at the server.
    pub(crate) lateness: Sample,
    pub(crate) requests: u64,
}

/// Compares every row that the log knows.
pub(crate) fn compare(rows: &[Row], truth: &[TruthRecord]) -> Differences {
    let by_id: HashMap<&str, &TruthRecord> =
        truth.iter().filter_map(|record| Some((record.x_request_id.as_deref()?, record))).collect();
    let (mut ttft, mut gaps, mut lateness) = (Vec::new(), Vec::new(), Vec::new());
    let mut requests = 0;
    for row in rows {
        let Some(record) = by_id.get(row.metadata.x_request_id.as_str()) else { continue };
        requests += 1;
        lateness.push(milliseconds(record.arrival_wall_ns) - milliseconds(row.metadata.credit_issued_ns));
        let tokens: Vec<f64> = record.writes.iter().filter(|write| write.tokens > 0).map(instant_ms).collect();
        if let (Some(measured), Some(first)) = (row.number("time_to_first_token"), tokens.first()) {
            ttft.push(measured - (first - milliseconds(record.arrival_ns)));
        }
        let measured = row.list("inter_chunk_latency");
        // Where writes bundle tokens the events of a write have no gaps of their own to compare.
        if measured.len() + 1 == tokens.len() {
            gaps.extend(measured.iter().zip(tokens.windows(2)).map(|(measured, pair)| measured - (pair[1] - pair[0])));
        }
    }
    Differences { ttft: Sample::new(ttft), gaps: Sample::new(gaps), lateness: Sample::new(lateness), requests }
}

/// Just before the system call: the earliest that a client can have had the token, so that errors are rather over- than
/// understated.
fn instant_ms(write: &TruthWrite) -> f64 {
    milliseconds(write.before_ns)
}

/// Monotonic times are exact to some nanoseconds in a float; wall times to a quarter of a microsecond.
#[expect(clippy::cast_precision_loss, reason = "said above")]
fn milliseconds(ns: u64) -> f64 {
    ns as f64 / 1e6
}
