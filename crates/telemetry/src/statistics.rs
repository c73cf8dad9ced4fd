//! Statistics of the values of a gauge.

use serde::{Deserialize, Serialize};

/// A distribution over samples: each counts alike, percentiles are interpolated linearly between order statistics, and the
/// standard deviation is the population's (a sample's is `std · √(count / (count − 1))`).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Statistics {
    /// Samples behind every figure.
    pub count: u64,
    /// Mean.
    pub avg: f64,
    /// Least.
    pub min: f64,
    /// Greatest.
    pub max: f64,
    /// Population standard deviation.
    pub std: f64,
    /// 1st percentile.
    pub p1: f64,
    /// 5th percentile.
    pub p5: f64,
    /// 10th percentile.
    pub p10: f64,
    /// 25th percentile.
    pub p25: f64,
    /// Median.
    pub p50: f64,
    /// 75th percentile.
    pub p75: f64,
    /// 90th percentile.
    pub p90: f64,
    /// 95th percentile.
    pub p95: f64,
    /// 99th percentile.
    pub p99: f64,
    /// 99.9th percentile.
    #[serde(rename = "p99.9")]
    pub p99_9: f64,
}

impl Statistics {
    /// Of finite values; `None` of nothing.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
    pub fn of(mut values: Vec<f64>) -> Option<Self> {
        values.sort_unstable_by(f64::total_cmp);
        let (&min, &max) = (values.first()?, values.last()?);
        let count = values.len() as f64;
        // Equal values have no spread, however their sum is rounded.
        let (avg, std) = if min < max {
            let avg = values.iter().sum::<f64>() / count;
            (avg, (values.iter().map(|value| (value - avg).powi(2)).sum::<f64>() / count).sqrt())
        } else {
            (min, 0.0)
        };
        let at = |percent: f64| percentile(&values, percent);
        Some(Self {
            count: values.len() as u64,
            avg,
            min,
            max,
            std,
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
        })
    }

    /// All figures but the count times a factor above 0: the way to another unit.
    #[must_use]
    pub fn scaled(mut self, factor: f64) -> Self {
        for figure in [
            &mut self.avg,
            &mut self.min,
            &mut self.max,
            &mut self.std,
            &mut self.p1,
            &mut self.p5,
            &mut self.p10,
            &mut self.p25,
            &mut self.p50,
            &mut self.p75,
            &mut self.p90,
            &mut self.p95,
            &mut self.p99,
            &mut self.p99_9,
        ] {
            *figure *= factor;
        }
        self
    }
}

/// Linear interpolation between order statistics; `sorted` is not empty.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "ranks are small and not negative"
)]
fn percentile(sorted: &[f64], percent: f64) -> f64 {
    let last = sorted.len().saturating_sub(1);
    let rank = percent / 100.0 * last as f64;
    let below = (rank.floor() as usize).min(last);
    let above = (below + 1).min(last);
    match (sorted.get(below), sorted.get(above)) {
        (Some(low), Some(high)) => low + (high - low) * (rank - below as f64),
        _ => f64::NAN,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_the_first_hundred_and_one_numbers() {
        let all = Statistics::of((0..=100).rev().map(f64::from).collect()).unwrap();
        assert_eq!((all.count, all.avg, all.min, all.max), (101, 50.0, 0.0, 100.0));
        assert_eq!((all.p1, all.p25, all.p50, all.p99), (1.0, 25.0, 50.0, 99.0));
        assert!((all.p99_9 - 99.9).abs() < 1e-9);
        // The variance of 0..n is n(n + 2) / 12.
        assert_eq!(all.std, (100.0f64 * 102.0 / 12.0).sqrt());
    }

    #[test]
    fn of_equal_values_there_is_no_spread() {
        let all = Statistics::of(vec![62.914_56; 5]).unwrap();
        assert_eq!((all.avg, all.std, all.p1, all.p99_9), (62.914_56, 0.0, 62.914_56, 62.914_56));
        assert_eq!(Statistics::of(vec![]), None);
    }
}
