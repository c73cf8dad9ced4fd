//! `<stem>_genai_perf.csv`: several tables in one file.

use std::io::{self, Write};

use super::Report;
use crate::Metric;
use crate::number_text::two_decimals;
use crate::telemetry::{CONSTANT, GpuMetric, Telemetry};

/// The statistics in the order of the columns.
const COLUMNS: [&str; 12] = ["avg", "min", "max", "p99", "p95", "p90", "p75", "p50", "p25", "p10", "p5", "p1"];

pub(super) fn write(report: &Report<'_>, mut out: impl Write) -> io::Result<()> {
    row(&mut out, [&["Metric"], COLUMNS.as_slice()].concat())?;
    for metric in report.request_rows() {
        let cells = COLUMNS.map(|stat| report.cell(metric, stat));
        row(&mut out, std::iter::once(metric.label()).chain(cells))?;
    }
    row(&mut out, [""; 0])?;
    row(&mut out, ["Metric", "Value"])?;
    for metric in report.run_rows() {
        row(&mut out, [Metric::label(metric), report.cell(metric, "avg")])?;
    }
    for extra in report.extras {
        row(&mut out, [extra.label(), two_decimals(extra.value)])?;
    }
    write_gpus(report.telemetry, &mut out)
}

fn write_gpus(telemetry: &Telemetry, out: &mut impl Write) -> io::Result<()> {
    if telemetry.is_empty() {
        return Ok(());
    }
    let is_constant = |metric: &&GpuMetric| CONSTANT.contains(&metric.name.as_str());
    row(out, [""; 0])?;
    row(out, [&["Metric", "GPU"], COLUMNS.as_slice()].concat())?;
    for metric in telemetry.0.iter().filter(|metric| !is_constant(metric)) {
        for (gpu, value) in &metric.gpus {
            let cells = COLUMNS.map(|stat| two_decimals(value.stat(stat).unwrap_or(0.0)));
            row(out, [metric.label(), gpu.clone()].into_iter().chain(cells))?;
        }
    }
    row(out, [""; 0])?;
    row(out, ["Metric", "GPU", "Value"])?;
    for metric in telemetry.0.iter().filter(is_constant) {
        for (gpu, value) in &metric.gpus {
            // Without commas, unlike all others.
            row(out, [metric.label(), gpu.clone(), format!("{:.2}", value.stat("avg").unwrap_or(0.0))])?;
        }
    }
    Ok(())
}

/// A row, quoted where it must be.
pub(super) fn row(out: &mut impl Write, cells: impl IntoIterator<Item = impl AsRef<str>>) -> io::Result<()> {
    for (i, cell) in cells.into_iter().enumerate() {
        if i > 0 {
            out.write_all(b",")?;
        }
        let cell = cell.as_ref();
        if cell.contains([',', '"', '\r', '\n']) {
            write!(out, "\"{}\"", cell.replace('"', "\"\""))?;
        } else {
            out.write_all(cell.as_bytes())?;
        }
    }
    out.write_all(b"\r\n")
}
