//! `analyze_export_genai_perf.csv`: the points of a sweep.

use std::path::Path;

use super::csv::row;
use super::{Extra, write_file};
use crate::telemetry::Telemetry;
use crate::{GenAiPerfError, Metric, Summary};

/// One point of a sweep.
#[derive(Clone, Debug)]
pub struct AnalyzePoint {
    /// `<model>_run_config_<n>`, by the order of the runs.
    pub name: String,
    /// The level of the load, as it is to be shown.
    pub level: String,
    /// Distinct prompts.
    pub num_dataset_entries: u64,
    /// The figures.
    pub summary: Summary,
    /// What was known of the GPUs.
    pub telemetry: Telemetry,
    /// Figures that GenAI-Perf does not know, such as cost.
    pub extras: Vec<Extra>,
}

/// Figures and statistics of the first part.
const FIGURES: [(Metric, &str, &str); 6] = [
    (Metric::TimeToFirstToken, "p99", "p99 Time To First Token (ms)"),
    (Metric::InterTokenLatency, "p99", "p99 Inter Token Latency (ms)"),
    (Metric::RequestLatency, "p99", "p99 Request Latency (ms)"),
    (Metric::OutputSequenceLength, "p99", "p99 Output Sequence Length (tokens)"),
    (Metric::OutputTokenThroughput, "avg", "Avg. Output Token Throughput (tokens/sec)"),
    (Metric::RequestThroughput, "avg", "Request Throughput (requests/sec)"),
];

/// Metrics and statistics of the second part.
const GPU_FIGURES: [(&str, &str, &str); 6] = [
    ("gpu_power_usage", "p99", "p99 GPU Power Usage (W)"),
    ("energy_consumption", "p99", "p99 GPU Energy Consumption (MJ)"),
    ("gpu_utilization", "p99", "p99 GPU Utilization (%)"),
    ("gpu_memory_used", "p99", "p99 GPU Memory Used (GB)"),
    ("gpu_power_limit", "avg", "Avg. GPU Power Limit (W)"),
    ("total_gpu_memory", "avg", "Avg. GPU Total Memory (GB)"),
];

/// Writes the points, the one with the most requests per second first. `swept` is the name of what is swept: the column of
/// the level is called `Concurrency` for concurrency and `Request Rate` for all else. Where there are figures that GenAI-Perf
/// does not know, they are a third part, so that the first two stay as its readers expect them.
///
/// # Errors
/// The file could not be written.
pub fn write_analyze_csv(path: &Path, points: &[AnalyzePoint], swept: &str) -> Result<(), GenAiPerfError> {
    let stat = |point: &AnalyzePoint, metric, stat| {
        point.summary.values.get(metric).and_then(|value| value.stat(stat)).unwrap_or(0.0)
    };
    let mut sorted: Vec<&AnalyzePoint> = points.iter().collect();
    sorted.sort_by(|a, b| {
        let rate = |point| stat(point, Metric::RequestThroughput, "avg");
        rate(b).total_cmp(&rate(a))
    });
    write_file(path, |out| {
        let level = if swept == "concurrency" { "Concurrency" } else { "Request Rate" };
        let head = ["Config Name", level, "ISL", "Num Dataset Entries"];
        row(out, head.into_iter().chain(FIGURES.map(|(_, _, title)| title)))?;
        for point in &sorted {
            let isl = stat(point, Metric::InputSequenceLength, "p99") as u64;
            let facts =
                [point.name.clone(), point.level.clone(), isl.to_string(), point.num_dataset_entries.to_string()];
            let cells = FIGURES.map(|(metric, of, _)| format!("{:.2}", stat(point, metric, of)));
            row(out, facts.into_iter().chain(cells))?;
        }
        row(out, [""; 0])?;
        row(out, ["Config Name", "GPU"].into_iter().chain(GPU_FIGURES.map(|(_, _, title)| title)))?;
        for gpu in gpus(&sorted) {
            for point in &sorted {
                let cells = GPU_FIGURES.map(|(name, of, _)| {
                    let metric = point.telemetry.get(name).into_iter().flat_map(|metric| &metric.gpus);
                    let value = metric.filter(|(known, _)| known == gpu).find_map(|(_, value)| value.stat(of));
                    format!("{:.2}", value.unwrap_or(0.0))
                });
                row(out, [point.name.as_str(), gpu].into_iter().chain(cells.iter().map(String::as_str)))?;
            }
        }
        let extras = extra_columns(points);
        if !extras.is_empty() {
            row(out, [""; 0])?;
            row(out, std::iter::once("Config Name".to_owned()).chain(extras.iter().map(|extra| extra.label())))?;
        }
        for point in sorted.iter().filter(|_| !extras.is_empty()) {
            let cells = extras.iter().map(|column| {
                let value = point.extras.iter().find(|extra| extra.name == column.name);
                value.map(|extra| extra.value.to_string()).unwrap_or_default()
            });
            row(out, std::iter::once(point.name.clone()).chain(cells))?;
        }
        Ok(())
    })
}

/// Each extra figure that any point has, in the order in which they come.
pub(super) fn extra_columns(points: &[AnalyzePoint]) -> Vec<&Extra> {
    let mut columns: Vec<&Extra> = Vec::new();
    for extra in points.iter().flat_map(|point| &point.extras) {
        if !columns.iter().any(|known| known.name == extra.name) {
            columns.push(extra);
        }
    }
    columns
}

/// The GPUs of the first point that has any.
fn gpus<'a>(points: &[&'a AnalyzePoint]) -> Vec<&'a str> {
    let mut all = points.iter().filter_map(|point| point.telemetry.get("gpu_power_usage"));
    all.next().into_iter().flat_map(|metric| &metric.gpus).map(|(gpu, _)| gpu.as_str()).collect()
}
