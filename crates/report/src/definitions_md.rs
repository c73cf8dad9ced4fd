//! The list of metrics for the documentation.

use std::fmt::Write;

use tokamark_metrics::Metric;
use tokamark_metrics::definitions::{Definition, Kind};

/// A Markdown table of every metric: tag, name, unit, kind, direction, meaning.
#[must_use]
pub fn definitions_markdown() -> String {
    let mut text =
        String::from("| tag | name | unit | kind | better | what it is |\n| --- | --- | --- | --- | --- | --- |\n");
    for metric in Metric::ALL {
        let Definition { tag, header, unit, kind, larger_is_better, doc, .. } = metric.definition();
        let kind = match kind {
            Kind::Record => "per request",
            Kind::List => "per event",
            Kind::Aggregate | Kind::Derived => "per run",
        };
        let better = if *larger_is_better { "more" } else { "less" };
        let doc = doc.replace('|', "\\|");
        // Writing into a string cannot fail.
        let _ = writeln!(text, "| `{tag}` | {header} | {} | {kind} | {better} | {doc} |", unit.display);
    }
    text
}

#[cfg(test)]
mod tests {
    use tokamark_metrics::Metric;

    use super::definitions_markdown;

    #[test]
    fn one_row_for_each_metric_and_no_stray_columns() {
        let text = definitions_markdown();
        let rows: Vec<&str> = text.lines().skip(2).collect();
        assert_eq!(rows.len(), Metric::COUNT);
        assert!(rows.iter().all(|row| row.replace("\\|", "").matches('|').count() == 7));
        assert!(text.contains(
            "| `decode_duration` | Decode Duration | ms | per request | less | From the first generated event to the last"
        ));
    }
}
