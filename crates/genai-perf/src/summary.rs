//! The figures of a run.

use std::collections::{BTreeMap, HashMap};

use crate::endpoint_type::Figures;
use crate::figures::{RequestFigures, gap};
use crate::goodput::Objectives;
use crate::plots::PlotData;
use crate::stats::Spread;
use crate::{Fidelity, Metric};

/// A figure's value: one for the run, or a distribution over requests. Times are in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// Of the run.
    Single(f64),
    /// Over its requests.
    Spread(Spread),
}

impl Value {
    /// The value of the run, or the mean.
    #[must_use]
    pub const fn avg(&self) -> f64 {
        match self {
            Self::Single(value) => *value,
            Self::Spread(spread) => spread.avg,
        }
    }

    /// The statistic of a name.
    #[must_use]
    pub fn stat(&self, name: &str) -> Option<f64> {
        match self {
            Self::Single(value) => (name == "avg").then_some(*value),
            Self::Spread(spread) => spread.stat(name),
        }
    }
}

/// Figures with their values, in the order of the JSON report.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Values(pub(crate) Vec<(Metric, Value)>);

impl Values {
    /// The value of a figure.
    #[must_use]
    pub fn get(&self, metric: Metric) -> Option<&Value> {
        self.0.iter().find(|(known, _)| *known == metric).map(|(_, value)| value)
    }

    /// Every statistic by the tag that checkpoints know it by, such as `time_to_first_token_p99`; times in nanoseconds.
    #[must_use]
    pub fn tagged(&self) -> BTreeMap<String, f64> {
        let mut tagged = BTreeMap::new();
        for (metric, value) in self.iter() {
            let scale = if metric.is_time() { NS_PER_MS } else { 1.0 };
            let names: &[&str] = if metric.is_of_run() { &["avg"] } else { &Spread::NAMES };
            for name in names {
                if let Some(value) = value.stat(name) {
                    tagged.insert(format!("{}_{name}", metric.name()), value * scale);
                }
            }
        }
        tagged
    }

    /// What [`Values::tagged`] gave, once more. Figures with a statistic missing are left out.
    #[must_use]
    pub fn of_tags(tagged: &BTreeMap<String, f64>) -> Self {
        let values = Metric::ALL.into_iter().filter_map(|metric| {
            let scale = if metric.is_time() { NS_PER_MS } else { 1.0 };
            let stat = |name: &str| tagged.get(&format!("{}_{name}", metric.name())).map(|value| value / scale);
            let value = if metric.is_of_run() {
                Value::Single(stat("avg")?)
            } else {
                let mut percentiles = [0.0; 9];
                for (slot, percent) in percentiles.iter_mut().zip(crate::PERCENTILES) {
                    *slot = stat(&format!("p{percent}"))?;
                }
                let (avg, min, max, std) = (stat("avg")?, stat("min")?, stat("max")?, stat("std")?);
                Value::Spread(Spread { avg, percentiles, min, max, std })
            };
            Some((metric, value))
        });
        Self(values.collect())
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = (Metric, &Value)> {
        self.0.iter().map(|(metric, value)| (*metric, value))
    }
}

/// The figures of a run or of a load level.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// Which figures there are.
    pub figures: Figures,
    /// Their values.
    pub values: Values,
    /// The same for each conversation, in the order in which they began.
    pub sessions: Vec<(String, Values)>,
    /// What happened to the requests.
    pub counts: Counts,
    /// Why requests failed: the first few distinct reasons.
    pub failures: Vec<String>,
}

/// What happened to the requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Answered; the only ones in any latency or length.
    pub answered: u64,
    /// Answered without any text.
    pub empty: u64,
    /// Failed.
    pub failed: u64,
}

/// Throughputs that were measured elsewhere.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Throughputs {
    /// Requests per second.
    pub requests: f64,
    /// Output tokens per second.
    pub output_tokens: f64,
}

/// Times are kept in milliseconds.
const NS_PER_MS: f64 = 1e6;

/// At most so many reasons are kept.
const FAILURES_KEPT: usize = 10;

/// Gathers requests into a [`Summary`].
#[derive(Debug)]
pub struct Accumulator {
    figures: Figures,
    fidelity: Fidelity,
    objectives: Objectives,
    run: Group,
    sessions: Vec<(String, Group)>,
    session_places: HashMap<String, usize>,
    good: u64,
    counts: Counts,
    failures: Vec<String>,
    plots: Option<PlotData>,
}

impl Accumulator {
    /// For requests with such figures. `goodput` has the names and limits of the objectives, as on the command line.
    #[must_use]
    pub fn new(figures: Figures, fidelity: Fidelity, goodput: &[(String, f64)]) -> Self {
        Self {
            figures,
            fidelity,
            objectives: Objectives::of(goodput, figures),
            run: Group::default(),
            sessions: Vec::new(),
            session_places: HashMap::new(),
            good: 0,
            counts: Counts::default(),
            failures: Vec::new(),
            plots: None,
        }
    }

    /// Gathers what plots need, too.
    #[must_use]
    pub fn with_plots(self) -> Self {
        Self { plots: Some(PlotData::default()), ..self }
    }

    /// Whether requests should tell when each of their responses came.
    #[must_use]
    pub(crate) fn has_plots(&self) -> bool {
        self.plots.is_some()
    }

    /// What was gathered for plots.
    pub fn take_plots(&mut self) -> Option<PlotData> {
        self.plots.take()
    }

    /// Adds an answered request.
    pub fn add(&mut self, request: &RequestFigures) {
        self.counts.answered += 1;
        if let Some(plots) = &mut self.plots {
            plots.add(request);
        }
        let values = request.values(self.figures);
        if self.objectives.are_met(&values) {
            self.good += 1;
        }
        self.run.add(request, &values);
        if self.figures != Figures::Llm {
            return;
        }
        if let Some(session) = &request.session {
            let place = *self.session_places.entry(session.clone()).or_insert_with(|| {
                self.sessions.push((session.clone(), Group::default()));
                self.sessions.len() - 1
            });
            if let Some((_, group)) = self.sessions.get_mut(place) {
                group.add(request, &values);
            }
        }
    }

    /// Adds a request whose answer had no text.
    pub fn add_empty(&mut self) {
        self.counts.empty += 1;
    }

    /// Adds a request that failed.
    pub fn add_failed(&mut self, reason: &str) {
        self.counts.failed += 1;
        if self.failures.len() < FAILURES_KEPT && !self.failures.iter().any(|known| known == reason) {
            self.failures.push(reason.to_owned());
        }
    }

    /// The figures of all that was added. Throughputs are computed unless they are given.
    #[must_use]
    pub fn finish(&self, throughputs: Option<Throughputs>) -> Summary {
        let duration = self.run.duration();
        let mut singles = BTreeMap::new();
        match throughputs {
            Some(given) => {
                singles.insert(Metric::RequestThroughput, given.requests);
                singles.insert(Metric::OutputTokenThroughput, given.output_tokens);
            }
            None if duration != 0.0 => {
                // GenAI-Perf divides all requests by the time of those that have an answer.
                let also = if self.fidelity == Fidelity::Same { self.counts.empty } else { 0 };
                singles.insert(Metric::RequestThroughput, (self.counts.answered + also) as f64 / duration);
                singles.insert(Metric::OutputTokenThroughput, self.run.tokens as f64 / duration);
            }
            None => {}
        }
        if self.objectives.are_invalid() {
            singles.insert(Metric::RequestGoodput, -1.0);
        } else if self.objectives.are_given() && duration != 0.0 {
            let by_position = match self.fidelity {
                Fidelity::Same => self.objectives.met_by_position(|metric| self.run.column(metric)),
                Fidelity::Right => None,
            };
            singles.insert(Metric::RequestGoodput, by_position.unwrap_or(self.good) as f64 / duration);
        }
        let of_session = |group: &Group| {
            let duration = group.duration();
            let mut singles = BTreeMap::new();
            if duration != 0.0 {
                singles.insert(Metric::RequestThroughput, group.requests as f64 / duration);
                singles.insert(Metric::OutputTokenThroughput, group.tokens as f64 / duration);
            }
            group.values(self.figures, singles)
        };
        Summary {
            figures: self.figures,
            values: self.run.values(self.figures, singles),
            sessions: self.sessions.iter().map(|(name, group)| (name.clone(), of_session(group))).collect(),
            counts: self.counts,
            failures: self.failures.clone(),
        }
    }
}

/// The requests of a run or of a conversation.
#[derive(Debug, Default)]
struct Group {
    columns: BTreeMap<Metric, Vec<f64>>,
    requests: u64,
    tokens: u64,
    /// The first send and the last response.
    span: Option<(u64, u64)>,
}

impl Group {
    fn add(&mut self, request: &RequestFigures, values: &[(Metric, f64)]) {
        for (metric, value) in values {
            self.columns.entry(*metric).or_default().push(*value);
        }
        self.requests += 1;
        self.tokens += request.output_tokens.unwrap_or(0);
        let (first, last) = self.span.unwrap_or((request.sent_ns, request.last_ns));
        self.span = Some((first.min(request.sent_ns), last.max(request.last_ns)));
    }

    fn column(&self, metric: Metric) -> &[f64] {
        self.columns.get(&metric).map_or(&[], Vec::as_slice)
    }

    /// Seconds from the first send to the last response; without any request, minus infinity, as in GenAI-Perf.
    fn duration(&self) -> f64 {
        self.span.map_or(f64::NEG_INFINITY, |(first, last)| gap(first, last) / 1e9)
    }

    fn values(&self, figures: Figures, mut singles: BTreeMap<Metric, f64>) -> Values {
        singles.insert(Metric::RequestCount, self.requests as f64);
        if figures != Figures::Llm {
            singles.remove(&Metric::OutputTokenThroughput);
        }
        let value = |metric: Metric| {
            if metric.is_of_run() {
                // Nothing over minus infinity is a negative zero, which nobody wants to read.
                return singles.get(&metric).map(|value| Value::Single(*value + 0.0));
            }
            let column = self.column(metric);
            // Of answers that came at once there is nothing to say.
            if metric == Metric::InterTokenLatency && column.iter().sum::<f64>() == 0.0 {
                return None;
            }
            let spread = Spread::of(column)?;
            Some(Value::Spread(if metric.is_time() { spread.scaled(1.0 / 1e6) } else { spread }))
        };
        Values(Metric::ALL.into_iter().filter_map(|metric| Some((metric, value(metric)?))).collect())
    }
}
