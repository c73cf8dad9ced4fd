//! The tables of the console.

use comfy_table::{Cell, CellAlignment, ContentArrangement, Table};
use tokamark_metrics::definitions::Console;
use tokamark_metrics::text::{decimal, whole};
use tokamark_metrics::{Distribution, ErrorGroup, Metric, Summary, Value};

use super::Style;

/// Lines between columns and below the header only.
const LOOK: &str = "     ── ──       ── ";
const COLUMNS: [&str; 7] = ["avg", "min", "max", "p99", "p90", "p50", "std"];
/// Below this width metrics go by their short names.
const ROOM_FOR_NAMES: usize = 118;

/// The main table, or nothing if no metric has a value.
pub(super) fn metrics(summary: &Summary, style: Style) -> Option<String> {
    let open_loop = summary.plan.load.request_rate.is_some();
    let mut rows: Vec<(u16, Metric, &Value)> = summary
        .metrics
        .iter()
        .filter_map(|(metric, value)| match metric.definition().console {
            Console::Main(order) => Some((order, metric, value)),
            Console::OpenLoop(order) if open_loop => Some((order, metric, value)),
            Console::OpenLoop(_) | Console::Hidden => None,
        })
        .collect();
    if summary.counts.ok == 0 {
        return None;
    }
    rows.sort_by_key(|(order, ..)| *order);
    let mut table = empty(style);
    table.set_header([left("Metric")].into_iter().chain(COLUMNS.map(right)).chain([right("count")]));
    for (_, metric, value) in rows {
        let definition = metric.definition();
        let name = if style.width < ROOM_FOR_NAMES { definition.short } else { definition.header };
        let mut row = vec![left(&format!("{name} ({})", definition.unit.display))];
        match value {
            Value::Scalar(value) => row.push(right(&scalar(*value, metric))),
            Value::Distribution(of) => {
                row.extend(COLUMNS.map(|column| right(&statistic(of, column))));
                row.push(right(&whole(of.count)));
            }
        }
        table.add_row(row);
    }
    Some(trimmed(&table))
}

/// The failures, most frequent first.
pub(super) fn errors(groups: &[ErrorGroup], style: Style) -> String {
    let mut table = empty(style);
    table.set_header([right("count"), left("code"), left("type"), left("message")]);
    for group in groups {
        let message: String = group.message.chars().take(300).collect();
        table.add_row([
            right(&whole(group.count)),
            left(group.code.as_deref().unwrap_or("")),
            left(&group.label),
            left(&printable(&message)),
        ]);
    }
    trimmed(&table)
}

fn empty(style: Style) -> Table {
    let mut table = Table::new();
    table.load_preset(LOOK);
    table.set_content_arrangement(ContentArrangement::Dynamic);
    table.set_width(u16::try_from(style.width.max(40)).unwrap_or(u16::MAX));
    table
}

fn left(text: &str) -> Cell {
    Cell::new(text)
}

fn right(text: &str) -> Cell {
    Cell::new(text).set_alignment(CellAlignment::Right)
}

fn statistic(of: &Distribution, name: &str) -> String {
    of.stat(name).map_or_else(|| "N/A".to_owned(), |value| decimal(value, 2))
}

fn scalar(value: f64, metric: Metric) -> String {
    decimal(value, if metric.unit().whole { 0 } else { 2 })
}

/// What servers say goes to a terminal without its control characters.
fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

fn trimmed(table: &Table) -> String {
    table.to_string().lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
}
