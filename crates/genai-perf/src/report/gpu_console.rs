//! The tables of GPU telemetry: one for each group, with a table for each metric in it.

use super::boxes::Table;
use super::console::COLUMNS;
use crate::number_text::two_decimals;
use crate::telemetry::{GpuMetric, Telemetry};

const GROUPS: [(&str, &[&str]); 3] = [
    ("Power", &["gpu_power_usage", "gpu_power_limit", "energy_consumption"]),
    ("Memory", &["gpu_memory_used", "total_gpu_memory"]),
    ("Utilization", &["gpu_utilization"]),
];

pub(super) fn tables(telemetry: &Telemetry) -> String {
    let mut text = String::new();
    for (group, names) in GROUPS {
        let metrics = names.iter().filter_map(|name| telemetry.get(name)).filter(|metric| !metric.gpus.is_empty());
        let rows: Vec<_> = metrics.map(|metric| vec![table(metric).lines()]).collect();
        if rows.is_empty() {
            continue;
        }
        let table = Table {
            title: format!("NVIDIA GenAI-Perf | {group} Metrics"),
            head: vec![vec![String::new()]],
            rows,
            is_right: false,
        };
        text.push_str(&(table.lines().join("\n") + "\n"));
    }
    text
}

fn table(metric: &GpuMetric) -> Table {
    let show = |value: f64| {
        // Utilization is shown without decimals; halves go to the even neighbour.
        if metric.name == "gpu_utilization" { format!("{value:.0}") } else { two_decimals(value) }
    };
    let mut gpus: Vec<_> = metric.gpus.iter().collect();
    gpus.sort_by(|(a, _), (b, _)| a.cmp(b));
    let rows = gpus.into_iter().map(|(gpu, value)| {
        let cells = COLUMNS.map(|stat| vec![value.stat(stat).map_or_else(|| "N/A".to_owned(), show)]);
        std::iter::once(vec![gpu.clone()]).chain(cells).collect()
    });
    Table {
        title: metric.label(),
        head: std::iter::once("GPU Index").chain(COLUMNS).map(|name| vec![name.to_owned()]).collect(),
        rows: rows.collect(),
        is_right: true,
    }
}
