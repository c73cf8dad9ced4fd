//! `<stem>_genai_perf.json`.

use serde::ser::{Serialize, SerializeMap, Serializer};

use super::Report;
use crate::stats::Spread;
use crate::summary::{Value, Values};
use crate::telemetry::{GpuMetric, GpuValue, Telemetry};

pub(super) struct Json<'a>(pub(super) &'a Report<'a>);

impl Serialize for Json<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Report { summary, config, telemetry, extras } = self.0;
        let mut map = serializer.serialize_map(None)?;
        entries(&mut map, &summary.values)?;
        for extra in *extras {
            map.serialize_entry(&extra.name, &serde_json::json!({"unit": extra.unit, "avg": extra.value}))?;
        }
        if !telemetry.is_empty() {
            map.serialize_entry("telemetry_stats", &Gpus(telemetry))?;
        }
        map.serialize_entry("input_config", config)?;
        if !summary.sessions.is_empty() {
            map.serialize_entry("sessions", &Sessions(&summary.sessions))?;
        }
        map.end()
    }
}

fn entries<M: SerializeMap>(map: &mut M, values: &Values) -> Result<(), M::Error> {
    values.iter().try_for_each(|(metric, value)| map.serialize_entry(metric.name(), &Entry(metric.json_unit(), value)))
}

struct Entry<'a>(&'static str, &'a Value);

impl Serialize for Entry<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("unit", self.0)?;
        match self.1 {
            Value::Single(value) => map.serialize_entry("avg", value)?,
            Value::Spread(spread) => statistics(&mut map, spread)?,
        }
        map.end()
    }
}

fn statistics<M: SerializeMap>(map: &mut M, spread: &Spread) -> Result<(), M::Error> {
    Spread::NAMES.iter().zip(spread.values()).try_for_each(|(name, value)| map.serialize_entry(name, &value))
}

struct Sessions<'a>(&'a [(String, Values)]);

impl Serialize for Sessions<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, values)| (name, Session(values))))
    }
}

struct Session<'a>(&'a Values);

impl Serialize for Session<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        entries(&mut map, self.0)?;
        map.end()
    }
}

struct Gpus<'a>(&'a Telemetry);

impl Serialize for Gpus<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let with_values = self.0.0.iter().filter(|metric| !metric.gpus.is_empty());
        serializer.collect_map(with_values.map(|metric| (&metric.name, PerGpu(metric))))
    }
}

struct PerGpu<'a>(&'a GpuMetric);

impl Serialize for PerGpu<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("unit", &self.0.unit)?;
        for (gpu, value) in &self.0.gpus {
            map.serialize_entry(gpu, &OneGpu(value))?;
        }
        map.end()
    }
}

struct OneGpu<'a>(&'a GpuValue);

impl Serialize for OneGpu<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        match self.0 {
            GpuValue::Mean(mean) => map.serialize_entry("avg", mean)?,
            GpuValue::Spread(spread) => statistics(&mut map, spread)?,
        }
        map.end()
    }
}
