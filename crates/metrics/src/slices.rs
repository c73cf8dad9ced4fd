//! Equal slices of the measured phase; a request belongs to the slice in which it was sent.

use std::collections::BTreeMap;
use std::io;

use serde::Serialize;
use tokamark_record::{Anchor, RequestRecord};

use crate::phase::{Counts, PhaseTotals};
use crate::request::RequestMetrics;
use crate::stats::Metrics;

/// One slice.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Slice {
    /// Its start, in nanoseconds since the Unix epoch.
    pub start_ns: u64,
    /// Its end; that of the last slice is the end of the last request.
    pub end_ns: u64,
    /// False for a last slice that was cut short.
    #[serde(skip_serializing_if = "std::clone::Clone::clone")]
    pub is_complete: bool,
    /// How its requests ended.
    pub counts: Counts,
    /// Its metrics; rates are over the length of the slice.
    pub metrics: Metrics,
}

/// Collects slices. The grid starts where the measured phase does.
#[derive(Debug)]
pub(crate) struct Slices {
    length: u64,
    has_objectives: bool,
    origin: Option<u64>,
    slices: BTreeMap<i64, PhaseTotals>,
    last_end: u64,
}

impl Slices {
    pub(crate) fn new(length_s: f64, has_objectives: bool) -> Self {
        let length = ((length_s * 1e9).max(1.0)) as u64;
        Self { length, has_objectives, origin: None, slices: BTreeMap::new(), last_end: 0 }
    }

    pub(crate) fn begin(&mut self, start: u64) {
        self.origin.get_or_insert(start);
    }

    pub(crate) fn add(&mut self, record: &RequestRecord, metrics: &RequestMetrics) {
        let Some(sent) = record.times.send_start else { return };
        let origin = *self.origin.get_or_insert(sent);
        let offset = sent as i128 - i128::from(origin);
        let number = i64::try_from(offset.div_euclid(i128::from(self.length))).unwrap_or(0);
        let has_objectives = self.has_objectives;
        self.slices.entry(number).or_insert_with(|| PhaseTotals::brief(has_objectives)).add(record, metrics);
        self.last_end = self.last_end.max(record.times.end);
    }

    pub(crate) fn finish(&self, anchor: &Anchor) -> io::Result<Vec<Slice>> {
        let origin = self.origin.unwrap_or(0);
        let last = self.slices.keys().next_back().copied();
        let bound = |number: i64| {
            let at = i128::from(origin) + i128::from(number) * i128::from(self.length);
            u64::try_from(at.max(0)).unwrap_or(u64::MAX)
        };
        let mut found = Vec::new();
        for (number, totals) in &self.slices {
            let (start, whole_end) = (bound(*number), bound(number.saturating_add(1)));
            let is_complete = Some(*number) != last || self.last_end >= whole_end;
            let end = if is_complete { whole_end } else { self.last_end };
            found.push(Slice {
                start_ns: anchor.wall(start),
                end_ns: anchor.wall(end),
                is_complete,
                counts: totals.counts,
                metrics: totals.metrics(Some(end.saturating_sub(start) as f64))?,
            });
        }
        Ok(found)
    }
}
