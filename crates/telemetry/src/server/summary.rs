//! What each metric of a server's page did within the window.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::family::{Role, Shape, belongs};
use super::histogram::{HistogramValue, Members};
use super::known::Meaning;
use crate::exposition::FamilyKind;
use crate::increase::{Absent, Increase};
use crate::samples::{PageSamples, Scrape, Series};
use crate::statistics::Statistics;
use crate::window::{Window, value_at, values_within};

/// One family of a page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ServerMetric {
    /// Its name in the page.
    pub name: String,
    /// What the page says it is.
    pub kind: FamilyKind,
    /// Its help text, if any.
    #[serde(skip_serializing_if = "String::is_empty", default)]
    pub help: String,
    /// Its unit, as the page or the end of its name says.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub unit: Option<String>,
    /// What it means, if its name is known.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub meaning: Option<Meaning>,
    /// Its series, those without a value left out.
    pub series: Vec<ServerSeries>,
}

/// One set of labels of a family.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ServerSeries {
    /// The labels, without those of buckets and quantiles.
    pub labels: BTreeMap<String, String>,
    /// What it did.
    pub value: ServerValue,
}

/// What a series did within the window.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum ServerValue {
    /// A value that goes up and down.
    Gauge(GaugeValue),
    /// A sum that only grows.
    Counter(CounterValue),
    /// Counts in buckets.
    Histogram(HistogramValue),
    /// Quantiles that the server computed.
    Summary(SummaryValue),
}

/// A gauge over the window.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct GaugeValue {
    /// Of the samples within the window.
    #[serde(flatten)]
    pub statistics: Statistics,
}

/// A counter over the window.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct CounterValue {
    /// Its rise.
    #[serde(flatten)]
    pub increase: Increase,
    /// The rise a second.
    pub rate: f64,
    /// Where it stood at the end.
    pub last: f64,
}

/// A Prometheus summary: its quantiles are over a time of the server's choosing, not over the window.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SummaryValue {
    /// Observations between the scrapes that enclose the window.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub count: Option<Increase>,
    /// Their sum.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub sum: Option<Increase>,
    /// The quantiles as they stood at the end.
    pub quantiles: Vec<Quantile>,
}

/// A quantile as the page has it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Quantile {
    /// Which, 0 to 1, as the page writes it.
    pub quantile: String,
    /// Its value.
    pub value: f64,
}

type Labels = BTreeMap<String, String>;

/// The series of one set of labels.
#[derive(Default)]
struct Group<'a> {
    plain: Option<&'a Series>,
    members: Members<'a>,
    quantiles: Vec<(&'a str, &'a Series)>,
}

/// Every family of a page, in the order in which they appeared.
pub(crate) fn metrics(page: &PageSamples, scrapes: &[Scrape], window: Window) -> Vec<ServerMetric> {
    let mut families: Vec<(&str, Shape, BTreeMap<Labels, Group<'_>>)> = Vec::new();
    let mut places: FxHashMap<&str, usize> = FxHashMap::default();
    for series in page.series() {
        let Some((family, shape, role)) = belongs(page, series) else { continue };
        let place = *places.entry(family).or_insert_with(|| {
            families.push((family, shape, BTreeMap::new()));
            families.len() - 1
        });
        let Some((_, _, groups)) = families.get_mut(place) else { continue };
        groups.entry(labels(series, role)).or_default().add(series, role);
    }
    let metric = |(name, shape, groups): (&str, Shape, BTreeMap<Labels, Group<'_>>)| {
        let family = page.family_of(name);
        let series: Vec<_> = groups
            .into_iter()
            .filter_map(|(labels, group)| Some(ServerSeries { labels, value: group.value(shape, scrapes, window)? }))
            .collect();
        (!series.is_empty()).then(|| ServerMetric {
            name: name.to_owned(),
            kind: family.map(|family| family.kind).unwrap_or_default(),
            help: family.map(|family| family.help.to_string()).unwrap_or_default(),
            unit: unit(name, family.map(|family| family.unit.as_ref()).unwrap_or_default()),
            meaning: Meaning::of(name),
            series,
        })
    };
    families.into_iter().filter_map(metric).collect()
}

/// The labels that tell series of a family apart: not the bucket's or the quantile's own.
fn labels(series: &Series, role: Role) -> Labels {
    let own = match role {
        Role::Bucket => "le",
        Role::Quantile => "quantile",
        _ => "",
    };
    series.labels().filter(|(name, _)| *name != own).map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

fn unit(name: &str, declared: &str) -> Option<String> {
    if !declared.is_empty() {
        return Some(declared.to_owned());
    }
    let name = name.strip_suffix("_total").unwrap_or(name);
    let (_, last) = name.rsplit_once('_')?;
    match last {
        "seconds" | "bytes" | "tokens" | "ratio" | "celsius" | "joules" | "watts" => Some(last.to_owned()),
        "requests" | "reqs" => Some("requests".to_owned()),
        _ => None,
    }
}

impl<'a> Group<'a> {
    fn add(&mut self, series: &'a Series, role: Role) {
        match role {
            Role::Gauge | Role::Counter => self.plain = Some(series),
            Role::Sum => self.members.sum = Some(series),
            Role::Count => self.members.count = Some(series),
            Role::Bucket => {
                if let Some((le, bound)) = series.label("le").and_then(|le| Some((le, le.parse().ok()?))) {
                    self.members.buckets.push((bound, le, series));
                }
            }
            Role::Quantile => self.quantiles.extend(series.label("quantile").map(|quantile| (quantile, series))),
        }
    }

    fn value(self, shape: Shape, scrapes: &[Scrape], window: Window) -> Option<ServerValue> {
        Some(match shape {
            Shape::Gauge => ServerValue::Gauge(GaugeValue {
                statistics: Statistics::of(values_within(self.plain?, scrapes, window))?,
            }),
            Shape::Counter => {
                let series = self.plain?;
                let increase = rise(Some(series), scrapes, window)?;
                let (_, last) = window.enclosing(scrapes)?;
                ServerValue::Counter(CounterValue { increase, rate: increase.rate(), last: value_at(series, last)? })
            }
            Shape::Histogram => ServerValue::Histogram(self.members.value(scrapes, window)?),
            Shape::Summary => {
                let (_, last) = window.enclosing(scrapes)?;
                let quantile = |(quantile, series): (&str, &Series)| {
                    let value = value_at(series, last).filter(|value| value.is_finite())?;
                    Some(Quantile { quantile: quantile.to_owned(), value })
                };
                ServerValue::Summary(SummaryValue {
                    count: rise(self.members.count, scrapes, window),
                    sum: rise(self.members.sum, scrapes, window),
                    quantiles: self.quantiles.into_iter().filter_map(quantile).collect(),
                })
            }
        })
    }
}

fn rise(series: Option<&Series>, scrapes: &[Scrape], window: Window) -> Option<Increase> {
    Increase::of(&[series?], scrapes, window, Absent::Zero).first().copied().flatten()
}
