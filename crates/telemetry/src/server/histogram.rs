//! Histograms over the window.

use serde::{Deserialize, Serialize};

use crate::increase::{Absent, Increase};
use crate::samples::{Scrape, Series};
use crate::window::Window;

/// What a histogram counted between the scrapes that enclose the window.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HistogramValue {
    /// Observations.
    pub count: f64,
    /// Their sum, in the family's unit.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub sum: Option<f64>,
    /// Their mean.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub avg: Option<f64>,
    /// Observations a second.
    pub count_rate: f64,
    /// The sum's rise a second.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub sum_rate: Option<f64>,
    /// Seconds between the two scrapes.
    pub span_s: f64,
    /// How often the server started again between them.
    pub resets: u64,
    /// Estimated percentiles.
    pub percentiles: Percentiles,
    /// The buckets, cumulative, from the least bound.
    pub buckets: Vec<Bucket>,
}

/// Observations up to a bound.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bucket {
    /// The bound as the page writes it, `+Inf` for the last.
    pub le: String,
    /// Observations not above it.
    pub count: f64,
}

/// Percentiles estimated from buckets: observations are taken to lie evenly within theirs, the first bucket to begin at 0.
/// One that falls beyond the last finite bound is absent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Percentiles {
    /// 1st percentile.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub p1: Option<f64>,
    /// 5th percentile.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub p5: Option<f64>,
    /// 10th percentile.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub p10: Option<f64>,
    /// 25th percentile.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub p25: Option<f64>,
    /// Median.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub p50: Option<f64>,
    /// 75th percentile.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub p75: Option<f64>,
    /// 90th percentile.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub p90: Option<f64>,
    /// 95th percentile.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub p95: Option<f64>,
    /// 99th percentile.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub p99: Option<f64>,
    /// 99.9th percentile.
    #[serde(rename = "p99.9", skip_serializing_if = "Option::is_none", default)]
    pub p99_9: Option<f64>,
}

/// The series of one histogram: buckets with their bounds, the sum and the count.
#[derive(Default)]
pub(super) struct Members<'a> {
    pub(super) buckets: Vec<(f64, &'a str, &'a Series)>,
    pub(super) sum: Option<&'a Series>,
    pub(super) count: Option<&'a Series>,
}

impl Members<'_> {
    /// What was counted within the window; `None` if the histogram has no count or was not seen.
    pub(super) fn value(mut self, scrapes: &[Scrape], window: Window) -> Option<HistogramValue> {
        self.buckets.sort_by(|left, right| left.0.total_cmp(&right.0));
        // Every member that only grows; a sum may fall where observations may be negative, so it shows no reset.
        let mut members: Vec<&Series> = self.buckets.iter().map(|(_, _, series)| *series).collect();
        members.extend(self.count);
        let rises = Increase::of(&members, scrapes, window, Absent::Zero);
        let total = rises.last().copied().flatten()?;
        let sum = self.sum.and_then(|sum| {
            let mut with_count = vec![sum];
            with_count.extend(self.count);
            Increase::of(&with_count, scrapes, window, Absent::Zero).first().copied().flatten()
        });
        let points: Vec<(f64, f64)> = self
            .buckets
            .iter()
            .zip(&rises)
            .filter_map(|((bound, _, _), rise)| Some((*bound, (*rise)?.amount)))
            .collect();
        let buckets = self
            .buckets
            .iter()
            .zip(&rises)
            .filter_map(|((_, le, _), rise)| Some(Bucket { le: (*le).to_owned(), count: (*rise)?.amount }));
        Some(HistogramValue {
            count: total.amount,
            sum: sum.map(|sum| sum.amount),
            avg: sum.map(|sum| sum.amount / total.amount).filter(|avg| avg.is_finite()),
            count_rate: total.rate(),
            sum_rate: sum.map(|sum| sum.rate()),
            span_s: total.span_s,
            resets: total.resets,
            percentiles: Percentiles::of(&points),
            buckets: buckets.collect(),
        })
    }
}

impl Percentiles {
    /// Of cumulative counts by their bounds, in rising order.
    fn of(buckets: &[(f64, f64)]) -> Self {
        let at = |percent: f64| estimate(buckets, percent);
        Self {
            p1: at(1.0),
            p5: at(5.0),
            p10: at(10.0),
            p25: at(25.0),
            p50: at(50.0),
            p75: at(75.0),
            p90: at(90.0),
            p95: at(95.0),
            p99: at(99.0),
            p99_9: at(99.9),
        }
    }
}

fn estimate(buckets: &[(f64, f64)], percent: f64) -> Option<f64> {
    let &(_, total) = buckets.last()?;
    if total <= 0.0 {
        return None;
    }
    let rank = percent / 100.0 * total;
    let place = buckets.iter().position(|(_, count)| *count >= rank)?;
    let &(bound, count) = buckets.get(place)?;
    let (low, below) = match place.checked_sub(1).and_then(|before| buckets.get(before)) {
        Some(&before) => before,
        None => (0.0f64.min(bound), 0.0),
    };
    let estimate = low + (bound - low) * (rank - below) / (count - below);
    estimate.is_finite().then_some(estimate)
}

#[cfg(test)]
mod tests {
    use super::*;

    const INFINITY: f64 = f64::INFINITY;

    #[test]
    fn percentiles_lie_evenly_within_their_bucket() {
        let buckets = [(0.1, 50.0), (0.3, 90.0), (0.5, 100.0), (INFINITY, 100.0)];
        assert_eq!(estimate(&buckets, 25.0), Some(0.05));
        assert_eq!(estimate(&buckets, 50.0), Some(0.1));
        assert!((estimate(&buckets, 70.0).unwrap() - 0.2).abs() < 1e-12);
        assert!((estimate(&buckets, 95.0).unwrap() - 0.4).abs() < 1e-12);
    }

    #[test]
    fn what_is_beyond_the_bounds_is_not_known() {
        let buckets = [(1.0, 0.0), (2.0, 50.0), (INFINITY, 100.0)];
        assert_eq!(estimate(&buckets, 1.0), Some(1.02));
        assert_eq!(estimate(&buckets, 75.0), None);
        assert_eq!(estimate(&[(1.0, 0.0), (INFINITY, 0.0)], 50.0), None);
        assert_eq!(estimate(&[], 50.0), None);
        // A first bucket below 0 has no lower end.
        assert_eq!(estimate(&[(-1.0, 10.0), (INFINITY, 10.0)], 50.0), Some(-1.0));
    }
}
