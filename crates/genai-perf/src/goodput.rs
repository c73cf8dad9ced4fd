//! Which requests meet the service-level objectives.

use crate::Metric;
use crate::endpoint_type::Figures;

/// The objectives of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Objectives {
    /// Limits of times, nanoseconds, which must not be passed.
    times: Vec<(Metric, f64)>,
    /// Limits of rates, which must be reached.
    rates: Vec<(Metric, f64)>,
    /// A name is none of an objective; GenAI-Perf then reports −1.
    is_invalid: bool,
}

impl Objectives {
    /// Reads objectives as they are given: milliseconds and things per second.
    pub(crate) fn of(given: &[(String, f64)], figures: Figures) -> Self {
        let mut objectives = Self::default();
        for (name, limit) in given {
            match Metric::named(name).filter(|metric| Metric::objectives(figures).contains(metric)) {
                Some(metric) if metric.is_time() => objectives.times.push((metric, limit * 1e6)),
                Some(metric) => objectives.rates.push((metric, *limit)),
                None => objectives.is_invalid = true,
            }
        }
        objectives
    }

    pub(crate) fn are_given(&self) -> bool {
        self.is_invalid || !self.times.is_empty() || !self.rates.is_empty()
    }

    pub(crate) const fn are_invalid(&self) -> bool {
        self.is_invalid
    }

    /// True if the request has every figure that is asked for, and each is within its limit.
    pub(crate) fn are_met(&self, values: &[(Metric, f64)]) -> bool {
        let value = |metric: Metric| values.iter().find(|(known, _)| *known == metric).map(|(_, value)| *value);
        self.times.iter().all(|(metric, limit)| value(*metric).is_some_and(|value| value <= *limit))
            && self.rates.iter().all(|(metric, limit)| value(*metric).is_some_and(|value| value >= *limit))
    }

    /// Good requests as GenAI-Perf counts them: by position in the lists of values, although requests without a value are
    /// not in them. `None` where its lists do not reach.
    pub(crate) fn met_by_position<'a>(&self, column: impl Fn(Metric) -> &'a [f64]) -> Option<u64> {
        let shortest = |limits: &[(Metric, f64)]| limits.iter().map(|(metric, _)| column(*metric).len()).min();
        let (times, rates) = (shortest(&self.times), shortest(&self.rates));
        let length = rates.or(times)?;
        if times.is_some_and(|times| times < length) {
            return None;
        }
        let good = (0..length).filter(|&i| {
            self.times.iter().all(|(metric, limit)| column(*metric)[i] <= *limit)
                && self.rates.iter().all(|(metric, limit)| column(*metric)[i] >= *limit)
        });
        Some(good.count() as u64)
    }
}
