//! Values of metrics over a run, in display units.

use serde::ser::{Serialize, SerializeMap, Serializer};
use tokamark_record::ColumnStats;

use crate::definitions::Metric;

/// The percentiles that every distribution has, with their names in files.
pub const PERCENTILES: [(f64, &str); 10] = [
    (1.0, "p1"),
    (5.0, "p5"),
    (10.0, "p10"),
    (25.0, "p25"),
    (50.0, "p50"),
    (75.0, "p75"),
    (90.0, "p90"),
    (95.0, "p95"),
    (99.0, "p99"),
    (99.9, "p99.9"),
];

/// The percentiles alone.
pub(crate) fn percents() -> [f64; 10] {
    PERCENTILES.map(|(percent, _)| percent)
}

/// A distribution in the display unit of its metric.
#[derive(Clone, Debug, PartialEq)]
pub struct Distribution {
    /// Samples behind every figure.
    pub count: u64,
    /// Mean.
    pub avg: f64,
    /// Least.
    pub min: f64,
    /// Greatest.
    pub max: f64,
    /// Sum.
    pub sum: f64,
    /// Population standard deviation.
    pub std: f64,
    /// As in [`PERCENTILES`].
    pub percentiles: [f64; 10],
}

impl Distribution {
    /// From a column in the metric's internal unit, with [`PERCENTILES`] asked of it.
    pub(crate) fn of(metric: Metric, stats: &ColumnStats) -> Self {
        let unit = metric.unit();
        let mut percentiles = [0.0; 10];
        for (into, from) in percentiles.iter_mut().zip(&stats.percentiles) {
            *into = unit.shown(*from);
        }
        Self {
            count: stats.count,
            avg: unit.shown(stats.mean),
            min: unit.shown(stats.min),
            max: unit.shown(stats.max),
            sum: unit.shown(stats.sum),
            std: unit.shown(stats.std),
            percentiles,
        }
    }

    /// The percentile of a name such as `p99`.
    #[must_use]
    pub fn percentile(&self, name: &str) -> Option<f64> {
        PERCENTILES.iter().zip(self.percentiles).find(|((_, label), _)| *label == name).map(|(_, value)| value)
    }

    /// The statistic of a name: `avg`, `min`, `max`, `sum`, `std` or a percentile.
    #[must_use]
    pub fn stat(&self, name: &str) -> Option<f64> {
        match name {
            "avg" => Some(self.avg),
            "min" => Some(self.min),
            "max" => Some(self.max),
            "sum" => Some(self.sum),
            "std" => Some(self.std),
            _ => self.percentile(name),
        }
    }
}

/// What a metric came to.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// One number for the run, in the display unit.
    Scalar(f64),
    /// A distribution over requests or gaps.
    Distribution(Distribution),
}

impl Value {
    /// The mean, or the number itself.
    #[must_use]
    pub fn avg(&self) -> f64 {
        match self {
            Self::Scalar(value) => *value,
            Self::Distribution(distribution) => distribution.avg,
        }
    }

    /// Something that serialises as `{unit, count, avg, …}`.
    #[must_use]
    pub fn with_unit(&self, metric: Metric) -> impl Serialize + '_ {
        Row { unit: metric.unit().display, value: self }
    }

    /// The distribution, if it is one.
    #[must_use]
    pub fn distribution(&self) -> Option<&Distribution> {
        match self {
            Self::Scalar(_) => None,
            Self::Distribution(distribution) => Some(distribution),
        }
    }
}

/// The metrics that have a value, in the order of files. Serialises as `{tag: {unit, count, avg, …}}`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Metrics(Vec<(Metric, Value)>);

impl Metrics {
    /// Sorts values into the order of files. What is not a finite number is no value.
    pub(crate) fn new(mut values: Vec<(Metric, Value)>) -> Self {
        values.retain(|(_, value)| value.avg().is_finite());
        values.sort_by_key(|(metric, _)| *metric);
        Self(values)
    }

    /// All values.
    pub fn iter(&self) -> impl Iterator<Item = (Metric, &Value)> {
        self.0.iter().map(|(metric, value)| (*metric, value))
    }

    /// The value of a metric.
    #[must_use]
    pub fn get(&self, metric: Metric) -> Option<&Value> {
        self.0
            .binary_search_by_key(&metric, |(metric, _)| *metric)
            .ok()
            .and_then(|i| self.0.get(i))
            .map(|(_, value)| value)
    }

    /// The distribution of a metric.
    #[must_use]
    pub fn distribution(&self, metric: Metric) -> Option<&Distribution> {
        self.get(metric).and_then(Value::distribution)
    }

    /// The mean of a metric, or its one number.
    #[must_use]
    pub fn avg(&self, metric: Metric) -> Option<f64> {
        self.get(metric).map(Value::avg)
    }
}

impl Serialize for Metrics {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (metric, value) in self.iter() {
            map.serialize_entry(metric.tag(), &value.with_unit(metric))?;
        }
        map.end()
    }
}

struct Row<'a> {
    unit: &'static str,
    value: &'a Value,
}

impl Serialize for Row<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("unit", self.unit)?;
        match self.value {
            Value::Scalar(value) => map.serialize_entry("avg", value)?,
            Value::Distribution(distribution) => {
                map.serialize_entry("count", &distribution.count)?;
                map.serialize_entry("avg", &distribution.avg)?;
                map.serialize_entry("min", &distribution.min)?;
                map.serialize_entry("max", &distribution.max)?;
                map.serialize_entry("sum", &distribution.sum)?;
                for ((_, name), value) in PERCENTILES.iter().zip(distribution.percentiles) {
                    map.serialize_entry(name, &value)?;
                }
                map.serialize_entry("std", &distribution.std)?;
            }
        }
        map.end()
    }
}
