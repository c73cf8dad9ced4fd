//! The tables of the console.

use comfy_table::{Cell, CellAlignment, ContentArrangement, Table};
use tokamark_metrics::definitions::{Console, Definition};
use tokamark_metrics::text::{decimal, shortened, whole};
use tokamark_metrics::{Distribution, ErrorGroup, Metric, Summary, Value};

use super::{Style, printable};

/// A line below the header, and no other.
const LOOK: &str = "     ──            ";

/// Layouts from roomy to narrow: columns, and whether metrics go by their full names.
const LAYOUTS: [(&[&str], bool); 7] = [
    (&["avg", "min", "max", "p99", "p90", "p50", "std", "count"], true),
    (&["avg", "min", "max", "p99", "p90", "p50", "std"], true),
    (&["avg", "min", "max", "p99", "p90", "p50", "std"], false),
    (&["avg", "max", "p99", "p90", "p50"], false),
    (&["avg", "p99", "p50"], false),
    (&["avg", "p99"], false),
    (&["avg"], false),
];

/// The main table in the roomiest layout that fits, or nothing if no request was ok.
pub(super) fn metrics(summary: &Summary, style: Style) -> Option<String> {
    if summary.counts.ok == 0 {
        return None;
    }
    let open_loop = summary.plan.load.request_rate.is_some();
    let mut rows: Vec<(u16, Metric, &Value)> = summary
        .metrics
        .iter()
        .filter(|(metric, value)| *metric != Metric::TimeToFirstOutputToken || !is_ttft(summary, value))
        .filter_map(|(metric, value)| match metric.definition().console {
            Console::Main(order) => Some((order, metric, value)),
            Console::OpenLoop(order) if open_loop => Some((order, metric, value)),
            Console::OpenLoop(_) | Console::Hidden => None,
        })
        .collect();
    rows.sort_by_key(|(order, ..)| *order);
    let mut text = String::new();
    for (columns, full_names) in LAYOUTS {
        text = laid_out(&rows, columns, full_names);
        if text.lines().all(|line| line.chars().count() <= style.width) {
            break;
        }
    }
    Some(text)
}

/// Without reasoning the first token and the first output token are the same, and one row says it.
fn is_ttft(summary: &Summary, value: &Value) -> bool {
    summary.metrics.get(Metric::TimeToFirstToken) == Some(value)
}

fn laid_out(rows: &[(u16, Metric, &Value)], columns: &[&str], full_names: bool) -> String {
    let mut table = Table::new();
    table.load_preset(LOOK);
    table.set_content_arrangement(ContentArrangement::Disabled);
    table.set_header([left("Metric")].into_iter().chain(columns.iter().map(|name| right(name))));
    for (_, metric, value) in rows {
        let definition = metric.definition();
        let mut row = vec![left(&name(definition, full_names))];
        match value {
            Value::Scalar(value) => row.push(right(&scalar(*value, *metric))),
            Value::Distribution(of) => row.extend(columns.iter().map(|name| right(&statistic(of, name)))),
        }
        table.add_row(row);
    }
    trimmed(&table)
}

/// The failures, most frequent first.
pub(super) fn errors(groups: &[ErrorGroup], style: Style) -> String {
    let mut table = Table::new();
    table.load_preset(LOOK);
    table.set_content_arrangement(ContentArrangement::Dynamic);
    table.set_width(u16::try_from(style.width.max(40)).unwrap_or(u16::MAX));
    table.set_header([right("count"), left("code"), left("type"), left("message")]);
    for group in groups {
        table.add_row([
            right(&whole(group.count)),
            left(&printable(group.code.as_deref().unwrap_or_default())),
            left(&printable(&group.label)),
            left(&printable(&shortened(&group.message, 300))),
        ]);
    }
    trimmed(&table)
}

fn name(definition: &Definition, full: bool) -> String {
    let unit = match definition.unit.display {
        // The name says what is counted.
        "requests" => return if full { definition.header } else { definition.short }.to_owned(),
        "tokens/sec/user" | "tokens/sec" if !full => "tok/s",
        "requests/sec" if !full => return definition.short.to_owned(),
        unit => unit,
    };
    format!("{} ({unit})", if full { definition.header } else { definition.short })
}

fn left(text: &str) -> Cell {
    Cell::new(text)
}

fn right(text: &str) -> Cell {
    Cell::new(text).set_alignment(CellAlignment::Right)
}

fn statistic(of: &Distribution, name: &str) -> String {
    match name {
        "count" => whole(of.count),
        _ => of.stat(name).map_or_else(|| "N/A".to_owned(), |value| decimal(value, 2)),
    }
}

fn scalar(value: f64, metric: Metric) -> String {
    decimal(value, if metric.unit().whole { 0 } else { 2 })
}

fn trimmed(table: &Table) -> String {
    table.to_string().lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
}
