//! What the client reported, as read from its files.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

/// A row of `profile_export.jsonl`.
#[derive(Deserialize)]
pub(crate) struct Row {
    pub(crate) metadata: Metadata,
    metrics: HashMap<String, Metric>,
}

#[derive(Deserialize)]
pub(crate) struct Metadata {
    pub(crate) x_request_id: String,
    pub(crate) credit_issued_ns: u64,
}

#[derive(Deserialize)]
struct Metric {
    value: Value,
}

impl Row {
    pub(crate) fn number(&self, tag: &str) -> Option<f64> {
        self.metrics.get(tag)?.value.as_f64()
    }

    pub(crate) fn list(&self, tag: &str) -> Vec<f64> {
        let list = self.metrics.get(tag).and_then(|metric| metric.value.as_array());
        list.map(|list| list.iter().filter_map(Value::as_f64).collect()).unwrap_or_default()
    }
}

pub(crate) fn rows(folder: &Path) -> anyhow::Result<Vec<Row>> {
    let file = BufReader::new(File::open(folder.join("profile_export.jsonl"))?);
    file.lines().map(|line| Ok(serde_json::from_str(&line?)?)).collect()
}

pub(crate) fn summary(folder: &Path) -> anyhow::Result<Value> {
    Ok(serde_json::from_reader(BufReader::new(File::open(folder.join("profile_export_tokamark.json"))?))?)
}

/// Mean and percentiles of a sample.
pub(crate) struct Sample(Vec<f64>);

impl Sample {
    pub(crate) fn new(mut values: Vec<f64>) -> Self {
        values.sort_by(f64::total_cmp);
        Self(values)
    }

    #[expect(clippy::cast_precision_loss, reason = "a sample is small")]
    pub(crate) fn mean(&self) -> f64 {
        self.0.iter().sum::<f64>() / self.0.len().max(1) as f64
    }

    #[expect(clippy::cast_precision_loss, reason = "a sample is small")]
    pub(crate) fn std(&self) -> f64 {
        let mean = self.mean();
        (self.0.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / self.0.len().max(1) as f64).sqrt()
    }

    /// By linear interpolation, like the report's own.
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "an index into a sample"
    )]
    pub(crate) fn percentile(&self, percent: f64) -> f64 {
        let position = percent / 100.0 * self.0.len().saturating_sub(1) as f64;
        let at = |index: usize| self.0.get(index).copied().unwrap_or(f64::NAN);
        let (low, high) = (at(position.floor() as usize), at(position.ceil() as usize));
        low + (high - low) * position.fract()
    }
}
