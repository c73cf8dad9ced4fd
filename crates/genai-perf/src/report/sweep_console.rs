//! The points of a sweep side by side.

use super::analyze::{AnalyzePoint, extra_columns};
use super::boxes::{Table, wrapped};
use crate::Metric;
use crate::number_text::two_decimals;

/// Headings are broken into lines of so many characters.
const HEAD_WIDTH: usize = 13;

/// What a point is judged by: the tails of its latencies and its throughput.
const FIGURES: [(Metric, &str, &str); 6] = [
    (Metric::TimeToFirstToken, "p99", "p99 TTFT (ms)"),
    (Metric::InterTokenLatency, "p99", "p99 ITL (ms)"),
    (Metric::RequestLatency, "p99", "p99 Request Latency (ms)"),
    (Metric::OutputTokenThroughputPerUser, "avg", "Output Tokens/s per User"),
    (Metric::OutputTokenThroughput, "avg", "Output Tokens/s"),
    (Metric::RequestThroughput, "avg", "Requests/s"),
];

/// Those of the extra figures that a point is judged by, too.
const EXTRAS: [&str; 3] =
    ["energy_per_output_token", "cost_per_million_output_tokens", "cost_per_million_total_tokens"];

/// A table of the points as they are given, `swept` being the name of what is swept. Figures that no point has are left out.
#[must_use]
pub fn sweep_table(points: &[AnalyzePoint], swept: &str) -> String {
    let stat = |point: &AnalyzePoint, metric, stat| point.summary.values.get(metric).and_then(|value| value.stat(stat));
    let figures: Vec<_> = FIGURES
        .into_iter()
        .filter(|(metric, of, _)| points.iter().any(|point| stat(point, *metric, of).is_some()))
        .collect();
    let extras: Vec<_> =
        extra_columns(points).into_iter().filter(|extra| EXTRAS.contains(&extra.name.as_str())).collect();
    let cell = |value: Option<f64>| value.map_or_else(|| "N/A".to_owned(), two_decimals);
    let row = |point: &AnalyzePoint| {
        let own = figures.iter().map(|(metric, of, _)| cell(stat(point, *metric, of)));
        let more = extras.iter().map(|column| {
            let value = point.extras.iter().find(|extra| extra.name == column.name);
            value.map_or_else(|| "N/A".to_owned(), |extra| significant(extra.value))
        });
        std::iter::once(point.level.clone()).chain(own).chain(more).map(|text| vec![text]).collect()
    };
    let titles =
        figures.iter().map(|(_, _, title)| (*title).to_owned()).chain(extras.iter().map(|extra| extra.label()));
    let head = std::iter::once(crate::metric::capitalized(swept)).chain(titles);
    let table = Table {
        title: "Sweep".to_owned(),
        head: head.map(|title| wrapped(&title, HEAD_WIDTH)).collect(),
        rows: points.iter().map(row).collect(),
        is_right: true,
    };
    table.lines().join("\n") + "\n"
}

/// With four significant digits: energy and cost may be far below a hundredth.
fn significant(value: f64) -> String {
    if value == 0.0 || value.abs() >= 100.0 {
        return two_decimals(value);
    }
    let before_point = value.abs().log10().floor() as i32 + 1;
    format!("{value:.*}", usize::try_from(4 - before_point).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_figures_keep_their_digits() {
        for (value, text) in
            [(0.0, "0.00"), (0.001_234_56, "0.001235"), (1.5, "1.500"), (56.789, "56.79"), (1234.5, "1,234.50")]
        {
            assert_eq!(significant(value), text);
        }
    }
}
