//! Points of a sweep in its checkpoint, and back.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use tokamark_genai_perf::{
    AnalyzePoint, Counts, Extra, GpuMetric, GpuValue, InputConfig, PERCENTILES, Spread, Summary, Telemetry, Values,
};
use tokamark_sweep::{Measured as Kept, Parameter};

/// Where the figures that GenAI-Perf does not know are kept.
const EXTRAS: &str = "tokamark_extras";

/// What a point is measured with: all that changes its figures.
pub(super) fn representation(config: &InputConfig) -> String {
    let mut endpoint = serde_json::to_value(&config.endpoint).unwrap_or_default();
    if let Value::Object(endpoint) = &mut endpoint {
        endpoint.shift_remove("url");
        endpoint.shift_remove("server_metrics_urls");
    }
    json!({
        "model_names": config.model_names,
        "endpoint": endpoint,
        "stimulus": config.perf_analyzer.stimulus,
        "measurement": config.perf_analyzer.measurement,
        "stability_percentage": config.perf_analyzer.stability_percentage,
        "warmup_request_count": config.perf_analyzer.warmup_request_count,
        "input": config.input,
        "tokenizer": config.tokenizer,
    })
    .to_string()
}

/// A point as the checkpoint keeps it.
pub(super) fn kept(
    point: &AnalyzePoint,
    representation: &str,
    config: &InputConfig,
    parameter: Parameter,
    value: u64,
    command: &[String],
) -> Kept {
    let mut gpus: BTreeMap<String, BTreeMap<String, f64>> = BTreeMap::new();
    for metric in &point.telemetry.0 {
        for (gpu, figure) in &metric.gpus {
            let figures = gpus.entry(gpu.clone()).or_default();
            for name in Spread::NAMES {
                if let Some(value) = figure.stat(name) {
                    figures.insert(format!("{}_{name}", metric.name), value);
                }
            }
        }
    }
    let extras: Vec<Value> = point
        .extras
        .iter()
        .map(|extra| json!({"name": extra.name, "unit": extra.unit, "value": extra.value}))
        .collect();
    Kept {
        name: point.name.clone(),
        representation: representation.to_owned(),
        parameters: Map::from_iter([(parameter.name().to_owned(), value.into())]),
        figures: point.summary.values.tagged(),
        gpus,
        details: json!({
            "genai_perf_config": {"_parameters": {
                "endpoint": config.endpoint, "input": config.input, "tokenizer": config.tokenizer}},
            "perf_analyzer_config": {"_cli_args": command},
            EXTRAS: extras,
        }),
    }
}

/// The point of which the checkpoint tells.
pub(super) fn of_kept(kept: &Kept, config: &InputConfig, value: u64) -> AnalyzePoint {
    let mut metrics: Vec<GpuMetric> = Vec::new();
    for (gpu, figures) in &kept.gpus {
        for (tag, figure) in figures {
            let Some(name) = tag.strip_suffix("_avg") else { continue };
            let stat = |stat: &str| figures.get(&format!("{name}_{stat}")).copied();
            let value = spread_of(&stat).map_or(GpuValue::Mean(*figure), GpuValue::Spread);
            match metrics.iter_mut().find(|metric| metric.name == name) {
                Some(metric) => metric.gpus.push((gpu.clone(), value)),
                None => metrics.push(GpuMetric {
                    name: name.to_owned(),
                    unit: String::new(),
                    gpus: vec![(gpu.clone(), value)],
                }),
            }
        }
    }
    AnalyzePoint {
        name: kept.name.clone(),
        level: value.to_string(),
        num_dataset_entries: config.input.num_dataset_entries,
        summary: Summary {
            figures: config.endpoint.kind.figures(),
            values: Values::of_tags(&kept.figures),
            sessions: Vec::new(),
            counts: Counts::default(),
            failures: Vec::new(),
        },
        telemetry: Telemetry(metrics),
        extras: kept.details.get(EXTRAS).and_then(Value::as_array).into_iter().flatten().filter_map(extra).collect(),
    }
}

fn extra(kept: &Value) -> Option<Extra> {
    let text = |key| kept.get(key).and_then(Value::as_str).map(str::to_owned);
    Some(Extra { name: text("name")?, unit: text("unit")?, value: kept.get("value")?.as_f64()? })
}

fn spread_of(stat: &dyn Fn(&str) -> Option<f64>) -> Option<Spread> {
    let mut percentiles = [0.0; 9];
    for (slot, percent) in percentiles.iter_mut().zip(PERCENTILES) {
        *slot = stat(&format!("p{percent}"))?;
    }
    let (avg, min, max, std) = (stat("avg")?, stat("min")?, stat("max")?, stat("std")?);
    Some(Spread { avg, percentiles, min, max, std })
}
