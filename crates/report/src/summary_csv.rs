//! `profile_export_tokamark.csv`: the metrics as one rectangular table, at full precision.

use std::path::Path;

use tokamark_metrics::{Distribution, Metrics, PERCENTILES, Summary, Value};

use crate::error::WriteError;
use crate::files::write_whole;

/// Writes one row for each metric; cells without a value are empty.
///
/// # Errors
/// The file could not be written.
pub fn write_summary_csv(path: &Path, summary: &Summary) -> Result<(), WriteError> {
    write_whole(path, |file| {
        let mut table = csv::Writer::from_writer(file);
        table.write_record(header())?;
        for row in rows(&summary.metrics) {
            table.write_record(row)?;
        }
        table.flush()
    })
}

fn header() -> Vec<&'static str> {
    let before = ["metric", "tag", "unit", "count", "avg", "min", "max", "sum"];
    before.into_iter().chain(PERCENTILES.map(|(_, name)| name)).chain(["std"]).collect()
}

fn rows(metrics: &Metrics) -> impl Iterator<Item = Vec<String>> + '_ {
    metrics.iter().map(|(metric, value)| {
        let definition = metric.definition();
        let names = [definition.header, definition.tag, definition.unit.display].map(str::to_owned);
        names.into_iter().chain(cells(value)).collect()
    })
}

fn cells(value: &Value) -> Vec<String> {
    match value {
        Value::Scalar(value) => {
            let mut cells = vec![String::new(); header().len() - 3];
            if let Some(avg) = cells.get_mut(1) {
                *avg = value.to_string();
            }
            cells
        }
        Value::Distribution(Distribution { count, avg, min, max, sum, std, percentiles }) => {
            let mut cells = vec![count.to_string()];
            cells.extend([avg, min, max, sum].map(f64::to_string));
            cells.extend(percentiles.map(|value| value.to_string()));
            cells.push(std.to_string());
            cells
        }
    }
}
