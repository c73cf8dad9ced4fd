//! The slices of a run: JSON, and a long table with one value a row.

use std::io::Write;
use std::path::Path;

use serde::ser::{Serialize, SerializeMap, Serializer};
use tokamark_metrics::{PERCENTILES, Slice, Summary, Value};

use crate::error::WriteError;
use crate::files::write_whole;

#[derive(serde::Serialize)]
struct Document<'a> {
    schema_version: &'static str,
    timeslices: Vec<Flat<'a>>,
}

/// A slice with its metrics beside its bounds, as AIPerf lays it out.
struct Flat<'a>(&'a Slice);

impl Serialize for Flat<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("start_ns", &self.0.start_ns)?;
        map.serialize_entry("end_ns", &self.0.end_ns)?;
        if !self.0.is_complete {
            map.serialize_entry("is_complete", &false)?;
        }
        map.serialize_entry("counts", &self.0.counts)?;
        for (metric, value) in self.0.metrics.iter() {
            map.serialize_entry(metric.tag(), &value.with_unit(metric))?;
        }
        map.end()
    }
}

/// Writes the slices as JSON.
///
/// # Errors
/// The file could not be written.
pub fn write_timeslices_json(path: &Path, summary: &Summary) -> Result<(), WriteError> {
    let timeslices = summary.slices.iter().map(Flat).collect();
    let document = Document { schema_version: crate::SCHEMA_VERSION, timeslices };
    write_whole(path, |file| {
        serde_json::to_writer_pretty(&mut *file, &document)?;
        file.write_all(b"\n")
    })
}

/// Writes the slices as a table: slice, bounds, metric, unit, statistic, value.
///
/// # Errors
/// The file could not be written.
pub fn write_timeslices_csv(path: &Path, summary: &Summary) -> Result<(), WriteError> {
    write_whole(path, |file| {
        let mut table = csv::Writer::from_writer(file);
        table.write_record(["Timeslice", "Start_NS", "End_NS", "Metric", "Unit", "Stat", "Value"])?;
        for (number, slice) in summary.slices.iter().enumerate() {
            let place = [number.to_string(), slice.start_ns.to_string(), slice.end_ns.to_string()];
            for (metric, value) in slice.metrics.iter() {
                for (stat, value) in stats(value) {
                    let [number, start, end] = &place;
                    let unit = metric.unit().display;
                    table.write_record([number, start, end, metric.tag(), unit, stat, &value])?;
                }
            }
        }
        table.flush()
    })
}

fn stats(value: &Value) -> Vec<(&'static str, String)> {
    match value {
        Value::Scalar(value) => vec![("avg", value.to_string())],
        Value::Distribution(of) => {
            let mut stats = vec![("count", of.count.to_string())];
            stats.extend([("avg", of.avg), ("min", of.min), ("max", of.max), ("sum", of.sum)].map(shown));
            stats.extend(PERCENTILES.iter().zip(of.percentiles).map(|((_, name), value)| shown((name, value))));
            stats.push(shown(("std", of.std)));
            stats
        }
    }
}

fn shown((name, value): (&'static str, f64)) -> (&'static str, String) {
    (name, value.to_string())
}
