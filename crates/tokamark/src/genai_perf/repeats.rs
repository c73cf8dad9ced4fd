//! `--num-runs`: a single run is a data point, not a number. Mean, deviation and confidence interval over several.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Context;
use serde_json::{Map, Value, json};
use tokamark_genai_perf::{Metric, Summary};
use tokamark_record::StopReason;
use tokamark_sweep::{Interval, interval};

use super::profile::{Outcome, Point, measure_point};
use crate::signals::Signals;
use crate::{console, exit_code};

/// The level of the intervals.
const LEVEL: f64 = 0.95;
/// The statistics that are compared between runs.
const STATISTICS: [&str; 4] = ["avg", "p50", "p90", "p99"];

/// Carries the run out several times, each in a folder of its own and with prompts of its own, and reports what they agree on.
///
/// # Errors
/// A run could not be made, or a file cannot be written.
pub(super) fn run(point: &Point, runs: u32, command: &[String]) -> anyhow::Result<u8> {
    let signals = Signals::watch()?;
    let root = point.resolved.plan.report.artifact_dir.clone().unwrap_or_default();
    let mut summaries = Vec::new();
    let mut worst = exit_code::OK;
    for number in 1..=runs {
        println!("\nRun {number} of {runs}");
        let mut again = point.clone();
        let plan = &mut again.resolved.plan;
        plan.report.artifact_dir = Some(root.join(format!("run_{number}")));
        // The same prompts once more would be found in a prefix cache.
        plan.load.seed = plan.load.seed.wrapping_add(u64::from(number - 1));
        match measure_point(again, command.to_vec(), &signals)? {
            Outcome::InterruptedEarly => {
                worst = exit_code::INTERRUPTED;
                break;
            }
            Outcome::Done(done) => {
                worst = worst.max(done.code);
                if done.stop == StopReason::Interrupted {
                    break;
                }
                summaries.push(done.summary);
            }
        }
    }
    report(&root, &summaries)?;
    Ok(worst)
}

/// One statistic of one metric over the runs.
struct Row {
    metric: Metric,
    statistic: &'static str,
    interval: Interval,
}

fn rows(summaries: &[Summary]) -> Vec<Row> {
    let mut rows = Vec::new();
    for metric in Metric::ALL {
        let statistics: &[&'static str] = if metric.is_of_run() { &["avg"] } else { &STATISTICS };
        for statistic in statistics {
            let values: Vec<f64> = summaries
                .iter()
                .filter_map(|summary| summary.values.get(metric).and_then(|value| value.stat(statistic)))
                .collect();
            if let Ok(Some(interval)) = interval(&values, LEVEL) {
                rows.push(Row { metric, statistic, interval });
            }
        }
    }
    rows
}

fn report(root: &Path, summaries: &[Summary]) -> anyhow::Result<()> {
    let rows = rows(summaries);
    let written = [write_json(root, &rows, summaries.len())?, write_csv(root, &rows)?];
    let mut text = format!("\n{} runs, {:.0} % confidence intervals of the mean\n", summaries.len(), LEVEL * 100.0);
    let head = ["mean", "std", "low", "high"].map(|name| format!("{name:>12}")).concat();
    let _ = writeln!(text, "{:<52}{head}", "");
    for row in &rows {
        let Interval { mean, std, low, high, .. } = row.interval;
        let cell = |value: Option<f64>| value.map_or_else(|| format!("{:>12}", "-"), |value| format!("{value:>12.2}"));
        let cells = [Some(mean), std, low, high].map(cell).concat();
        let _ = writeln!(text, "{:<52}{cells}", format!("{} {}", row.metric.label(), row.statistic));
    }
    for file in written {
        let _ = writeln!(text, "Written: {}", file.display());
    }
    console::print(&text).context("the report could not be printed")
}

fn write_json(root: &Path, rows: &[Row], runs: usize) -> anyhow::Result<PathBuf> {
    let mut metrics = Map::new();
    for row in rows {
        let entry =
            metrics.entry(row.metric.name().to_owned()).or_insert_with(|| json!({"unit": row.metric.json_unit()}));
        if let Value::Object(entry) = entry {
            entry.insert(row.statistic.to_owned(), serde_json::to_value(row.interval)?);
        }
    }
    let path = root.join("profile_export_genai_perf_runs.json");
    let whole = json!({"runs": runs, "confidence_level": LEVEL, "metrics": metrics});
    std::fs::write(&path, serde_json::to_vec_pretty(&whole)?)
        .with_context(|| format!("{} cannot be written", path.display()))?;
    Ok(path)
}

fn write_csv(root: &Path, rows: &[Row]) -> anyhow::Result<PathBuf> {
    let mut text = String::from("Metric,Statistic,Runs,Mean,Std,CV,Low,High\r\n");
    let cell = |value: Option<f64>| value.map(|value| value.to_string()).unwrap_or_default();
    for row in rows {
        let Interval { runs, mean, std, cv, low, high } = row.interval;
        let _ = write!(
            text,
            "{},{},{runs},{mean},{},{},{},{}\r\n",
            row.metric.label(),
            row.statistic,
            cell(std),
            cell(cv),
            cell(low),
            cell(high)
        );
    }
    let path = root.join("profile_export_genai_perf_runs.csv");
    std::fs::write(&path, text).with_context(|| format!("{} cannot be written", path.display()))?;
    Ok(path)
}
