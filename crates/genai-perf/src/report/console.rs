//! The table of figures.

use super::Report;
use super::boxes::{Cell, Table, wrapped};

/// The statistics that fit on a screen.
pub(super) const COLUMNS: [&str; 6] = ["avg", "min", "max", "p99", "p90", "p75"];
/// Names that are longer take two lines.
const NAME_WIDTH: usize = 36;

pub(super) fn table(report: &Report<'_>) -> String {
    let row = |metric: crate::Metric| -> Vec<Cell> {
        let cells = COLUMNS.map(|stat| vec![report.cell(metric, stat)]);
        std::iter::once(wrapped(&metric.label(), NAME_WIDTH)).chain(cells).collect()
    };
    let extra = |extra: &super::Extra| -> Vec<Cell> {
        let rest = std::iter::repeat_n("N/A".to_owned(), COLUMNS.len() - 1);
        let cells = std::iter::once(crate::number_text::two_decimals(extra.value)).chain(rest).map(|cell| vec![cell]);
        std::iter::once(wrapped(&extra.label(), NAME_WIDTH)).chain(cells).collect()
    };
    let table = Table {
        title: format!("NVIDIA GenAI-Perf | {}", report.config.endpoint.kind.title()),
        head: std::iter::once("Statistic").chain(COLUMNS).map(|name| vec![name.to_owned()]).collect(),
        rows: report.request_rows().chain(report.run_rows()).map(row).chain(report.extras.iter().map(extra)).collect(),
        is_right: true,
    };
    table.lines().join("\n") + "\n"
}
