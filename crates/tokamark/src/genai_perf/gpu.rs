//! GPUs during a run: pages are polled, and what they said is put in GenAI-Perf's terms.

use tokamark_genai_perf::{Extra, GpuMetric, GpuValue, PERCENTILES, Spread, Telemetry as GpuFigures};
use tokamark_telemetry::{
    DEFAULT_DCGM_URL, GpuFields, Handle, PageKind, Source, Statistics, Telemetry, TelemetryConfig, TelemetrySummary,
    Window, cost_per_million_tokens, energy_per_output_token, energy_per_request, tokens_per_joule,
};

use super::args::GenaiArgs;
use crate::problems::Problems;

/// GenAI-Perf's two figures of which only the mean is told.
const CONSTANT: [&str; 2] = ["gpu_power_limit", "total_gpu_memory"];

/// The pages to be polled.
#[derive(Clone, Debug)]
pub(super) struct Pages {
    sources: Vec<Source>,
}

impl Pages {
    /// The pages that the flags name, else the one where an exporter usually is.
    pub(super) fn resolve(args: &GenaiArgs, problems: &mut Problems) -> Self {
        let given =
            args.server_metrics_url.iter().flat_map(|urls| urls.split([',', ' '])).filter(|url| !url.is_empty());
        let kind = || PageKind::Gpu(GpuFields::default().into());
        let mut sources: Vec<Source> = given
            .filter_map(|url| match Source::new(url, kind()) {
                Ok(source) => Some(source),
                Err(error) => {
                    problems.add("--server-metrics-url", error.to_string());
                    None
                }
            })
            .collect();
        if args.server_metrics_url.is_empty() {
            sources.extend(Source::new(DEFAULT_DCGM_URL, kind()).ok().map(Source::by_default));
        }
        Self { sources }
    }

    /// Begins to poll.
    pub(super) fn start(&self) -> Handle {
        Telemetry::start(TelemetryConfig { sources: self.sources.clone(), ..TelemetryConfig::default() })
    }
}

/// What the pages said of the measured window; pages that could not be read are warned of.
pub(super) fn finish(handle: Handle, window: Window, was_interrupted: bool) -> TelemetrySummary {
    let summary = if was_interrupted { handle.finish_at_once(window) } else { handle.finish(window) };
    for warning in &summary.warnings {
        eprintln!("warning: {} ({})", warning.message, warning.hint);
    }
    summary
}

/// The figures in GenAI-Perf's names and units, in the order of its reports.
pub(super) fn figures(summary: &TelemetrySummary) -> GpuFigures {
    let labels = summary.gpu_labels();
    let mut metrics: Vec<GpuMetric> = Vec::new();
    for (gpu, label) in summary.gpus.iter().zip(labels) {
        for metric in &gpu.metrics {
            let Some(statistics) = &metric.statistics else { continue };
            let (unit, factor) = metric.unit.genai_perf();
            let spread = spread(statistics).scaled(factor);
            let value = if CONSTANT.contains(&metric.name.as_str()) {
                GpuValue::Mean(spread.avg)
            } else {
                GpuValue::Spread(spread)
            };
            match metrics.iter_mut().find(|known| known.name == metric.name) {
                Some(known) => known.gpus.push((label.clone(), value)),
                None => metrics.push(GpuMetric {
                    name: metric.name.clone(),
                    unit: unit.to_owned(),
                    gpus: vec![(label.clone(), value)],
                }),
            }
        }
    }
    GpuFigures(metrics)
}

fn spread(statistics: &Statistics) -> Spread {
    let Statistics { avg, min, max, std, p1, p5, p10, p25, p50, p75, p90, p95, p99, .. } = *statistics;
    debug_assert_eq!(PERCENTILES.len(), 9, "one for each field");
    Spread { avg, percentiles: [p1, p5, p10, p25, p50, p75, p90, p95, p99], min, max, std }
}

/// What the tokens took and cost.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Price {
    /// Price of an hour of the server.
    pub(super) per_hour: Option<f64>,
    /// Its currency.
    pub(super) currency: String,
}

/// Tokens and requests of the measured window.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Work {
    pub(super) requests: u64,
    pub(super) output_tokens: Option<u64>,
    pub(super) output_tokens_per_s: Option<f64>,
    pub(super) total_tokens_per_s: Option<f64>,
}

/// Energy and cost of the work, as further figures of a report.
pub(super) fn extras(summary: Option<&TelemetrySummary>, price: &Price, work: Work) -> Vec<Extra> {
    let mut extras = Vec::new();
    let mut add = |name: &str, unit: &str, value: Option<f64>| {
        extras.extend(value.map(|value| Extra { name: name.to_owned(), unit: unit.to_owned(), value }));
    };
    if let Some(totals) = summary.and_then(|summary| summary.gpu_totals.as_ref()).filter(|all| all.measured_gpus > 0) {
        let joules = totals.energy_j;
        add("energy", "J", Some(joules));
        add("average_power", "W", Some(totals.average_power_w));
        add(
            "energy_per_output_token",
            "J",
            work.output_tokens.and_then(|tokens| energy_per_output_token(joules, tokens)),
        );
        add("energy_per_request", "J", energy_per_request(joules, work.requests));
        add(
            "output_tokens_per_joule",
            "tokens/J",
            work.output_tokens.and_then(|tokens| tokens_per_joule(joules, tokens)),
        );
    }
    if let Some(per_hour) = price.per_hour {
        let cost = |rate: Option<f64>| rate.and_then(|rate| cost_per_million_tokens(per_hour, rate));
        add("cost_per_million_output_tokens", &price.currency, cost(work.output_tokens_per_s));
        add("cost_per_million_total_tokens", &price.currency, cost(work.total_tokens_per_s));
    }
    extras
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 36 an hour at 1,000 tokens per second: 36 ÷ 3.6 = 10 per million.
    #[test]
    fn cost_is_what_the_rate_makes_it() {
        let price = Price { per_hour: Some(36.0), currency: "EUR".into() };
        let work = Work { requests: 5, output_tokens_per_s: Some(1_000.0), ..Work::default() };
        let extras = extras(None, &price, work);
        assert_eq!(extras.len(), 1);
        assert_eq!((extras[0].name.as_str(), extras[0].unit.as_str()), ("cost_per_million_output_tokens", "EUR"));
        assert!((extras[0].value - 10.0).abs() < 1e-12);
        assert_eq!(super::extras(None, &Price::default(), work), []);
    }
}
