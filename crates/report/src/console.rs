//! The report on the console.

mod table;

use std::fmt::Write;
use std::path::PathBuf;

use tokamark_metrics::text::{counted, decimal, plain, share, whole};
use tokamark_metrics::{Counts, Health, Metric, Summary};

use crate::wrap::wrap;

/// How the console is to be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// Use colours: the output is a terminal that has them, and nobody said otherwise.
    pub color: bool,
    /// Columns.
    pub width: usize,
}

impl Style {
    fn paint(self, code: &str, text: &str) -> String {
        if self.color { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }

    fn bold(self, text: &str) -> String {
        self.paint("1", text)
    }

    fn dim(self, text: &str) -> String {
        self.paint("2", text)
    }

    fn yellow(self, text: &str) -> String {
        self.paint("33", text)
    }

    /// Room for running text: long lines are hard to read on wide terminals.
    fn text_width(self) -> usize {
        self.width.clamp(40, 120)
    }
}

/// The whole report; `files` are those that the run left.
#[must_use]
pub fn render(summary: &Summary, files: &[PathBuf], style: Style) -> String {
    let mut blocks = vec![head(summary, style)];
    blocks.extend(table::metrics(summary, style));
    blocks.extend(remarks(summary, style));
    blocks.push(foot(summary, files, style));
    blocks.join("\n\n") + "\n"
}

/// The report without its table, for a report that has another's.
#[must_use]
pub fn render_remarks(summary: &Summary, files: &[PathBuf], style: Style) -> String {
    let mut blocks = vec![counts(summary.counts, style)];
    blocks.extend(remarks(summary, style));
    blocks.push(foot(summary, files, style));
    blocks.join("\n\n") + "\n"
}

/// Errors and warnings.
fn remarks(summary: &Summary, style: Style) -> Vec<String> {
    let mut blocks = Vec::new();
    if !summary.errors.is_empty() {
        blocks.push(format!("{}\n{}", style.bold("Errors"), table::errors(&summary.errors, style)));
    }
    blocks.extend(warnings(summary, style));
    blocks
}

fn head(summary: &Summary, style: Style) -> String {
    let plan = &summary.plan;
    let endpoint = plan.target.endpoint.name();
    let streaming = if plan.target.streaming { ", streaming" } else { "" };
    let title = format!("Tokamark {}", summary.run.tokamark_version);
    let mut parts = vec![title.clone(), printable(&plan.target.models.join(", ")), format!("{endpoint}{streaming}")];
    if let Some(rate) = plan.load.request_rate {
        parts.push(format!("{} requests/s", plain(rate)));
    }
    if let Some(concurrency) = plan.load.concurrency {
        parts.push(format!("concurrency {concurrency}"));
    }
    let parts: Vec<_> = parts
        .into_iter()
        .enumerate()
        .map(|(i, part)| (part.chars().count(), if i == 0 { style.bold(&title) } else { part }))
        .collect();
    let mut text = format!("{}\n{}", flowing(&parts, style.width), counts(summary.counts, style));
    if let Some(warmup) = &summary.warmup {
        let Counts { attempted, failed, .. } = warmup.counts;
        let failures = if failed > 0 { format!(", {} failed", whole(failed)) } else { String::new() };
        let _ = write!(text, "\n{}", style.dim(&format!("after {}{failures}", counted(attempted, "warm-up request"))));
    }
    text
}

fn counts(counts: Counts, style: Style) -> String {
    let Counts { attempted, ok, failed, cancelled } = counts;
    let parts = [
        (format!("{} attempted", whole(attempted)), None),
        (format!("{} ok", whole(ok)), None),
        (format!("{} failed ({})", whole(failed), share(failed, attempted)), (failed > 0).then_some("1;31")),
        (format!("{} cancelled", whole(cancelled)), (cancelled > 0).then_some("33")),
    ];
    let parts = parts.map(|(text, color)| {
        (text.chars().count(), color.map_or_else(|| text.clone(), |color| style.paint(color, &text)))
    });
    flowing(&parts, style.width)
}

/// Parts with their width, one after another; a part that would go beyond the width begins a line.
fn flowing(parts: &[(usize, String)], width: usize) -> String {
    let mut text = String::new();
    let mut used = 0;
    for (wide, part) in parts {
        if used > 0 && used + 3 + wide > width {
            text.push('\n');
            used = 0;
        } else if used > 0 {
            text.push_str(" · ");
            used += 3;
        }
        text.push_str(part);
        used += wide;
    }
    text
}

fn warnings(summary: &Summary, style: Style) -> Option<String> {
    if summary.warnings.is_empty() {
        return None;
    }
    let mut text = style.bold("Warnings");
    for warning in &summary.warnings {
        let label = warning.code().replace('_', " ");
        let message = printable(&format!("{label}: {}", warning.message()));
        for (i, line) in wrap(&message, style.text_width() - 4).iter().enumerate() {
            let mark = if i == 0 { "! " } else { "  " };
            let line = match line.strip_prefix(&label).filter(|_| i == 0) {
                Some(rest) => format!("{}{rest}", style.yellow(&format!("{mark}{label}"))),
                None => format!("{mark}{line}"),
            };
            let _ = write!(text, "\n  {line}");
        }
        for (i, line) in wrap(&warning.hint(), style.text_width() - 6).iter().enumerate() {
            let mark = if i == 0 { "→ " } else { "  " };
            let _ = write!(text, "\n    {}", style.dim(&format!("{mark}{line}")));
        }
    }
    Some(text)
}

fn foot(summary: &Summary, files: &[PathBuf], style: Style) -> String {
    let mut rows = vec![("Duration", duration(summary))];
    rows.push(("Client", client(&summary.health)));
    let folder = files.first().and_then(|file| file.parent()).filter(|folder| !folder.as_os_str().is_empty());
    if let Some(folder) = folder {
        let names: Vec<_> =
            files.iter().map(|file| file.strip_prefix(folder).unwrap_or(file).display().to_string()).collect();
        rows.push(("Folder", folder.display().to_string()));
        rows.push(("Files", names.join(", ")));
    } else if !files.is_empty() {
        let names: Vec<_> = files.iter().map(|file| file.display().to_string()).collect();
        rows.push(("Files", names.join(", ")));
    }
    let mut text = String::new();
    for (label, value) in rows {
        for (i, line) in wrap(&value, style.text_width() - 10).iter().enumerate() {
            let label = if i == 0 { style.dim(&format!("{label:<10}")) } else { " ".repeat(10) };
            let _ = write!(text, "{}{label}{line}", if text.is_empty() { "" } else { "\n" });
        }
    }
    text
}

fn duration(summary: &Summary) -> String {
    let phase = summary.run.end_ns.saturating_sub(summary.run.start_ns) as f64 / 1e9;
    match summary.metrics.avg(Metric::BenchmarkDuration) {
        Some(window) => {
            format!("{} s from first request to last token; {} s in all", decimal(window, 2), decimal(phase, 2))
        }
        None => format!("{} s", decimal(phase, 2)),
    }
}

/// In one line, whether the client was a limit.
fn client(health: &Health) -> String {
    let mut parts = Vec::new();
    if let Some(lateness) = health.send_lateness_ms {
        parts.push(format!("sent {} ms late (p99)", decimal(lateness.p99, 2)));
    }
    match health.read_lag_ms {
        Some(lag) => {
            parts.push(format!("read {} ms late (p99), corrected by kernel timestamps", decimal(lag.p99, 2)));
        }
        None if health.events > 0 => parts.push("arrivals stamped by the program".to_owned()),
        None => {}
    }
    if let (Some(achieved), Some(wanted)) = (health.achieved_rate, health.scheduled_rate) {
        parts.push(format!("{} of {} requests/s sent", decimal(achieved, 2), decimal(wanted, 2)));
    }
    if let Some(peak) = health.peak_in_flight {
        parts.push(format!("at most {} in flight", whole(peak.into())));
    }
    if let Some(used) = health.cpu_cores_used {
        parts.push(format!("{} of {} busy", decimal(used, 2), counted(health.cores.into(), "core")));
    }
    parts.join(" · ")
}

/// What servers say goes to a terminal without its control characters.
fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}
