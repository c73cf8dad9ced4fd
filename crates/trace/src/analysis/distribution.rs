//! Statistics of a sample.

use serde::{Deserialize, Serialize};

/// Statistics of a sample. Percentiles interpolate linearly between order statistics.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Distribution {
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
}

impl Distribution {
    /// Of a sample of finite numbers; none if it is empty.
    #[must_use]
    pub fn of(mut sample: Vec<f64>) -> Option<Self> {
        sample.sort_unstable_by(f64::total_cmp);
        let (min, max) = (*sample.first()?, *sample.last()?);
        let count = sample.len() as f64;
        let avg = sample.iter().sum::<f64>() / count;
        let variance = sample.iter().map(|x| (x - avg) * (x - avg)).sum::<f64>() / count;
        let percentile = |percent| percentile(&sample, percent);
        Some(Self {
            count: sample.len() as u64,
            avg,
            min,
            max,
            std: variance.sqrt(),
            p1: percentile(1.0),
            p5: percentile(5.0),
            p10: percentile(10.0),
            p25: percentile(25.0),
            p50: percentile(50.0),
            p75: percentile(75.0),
            p90: percentile(90.0),
            p95: percentile(95.0),
            p99: percentile(99.0),
        })
    }
}

/// At place (n − 1)·p/100 of the sorted sample, which is not empty.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the place lies within the sample")]
fn percentile(sorted: &[f64], percent: f64) -> f64 {
    let place = (sorted.len() - 1) as f64 * percent / 100.0;
    let below = place.floor() as usize;
    let above = (below + 1).min(sorted.len() - 1);
    sorted[below] + (sorted[above] - sorted[below]) * (place - place.floor())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_those_of_the_definitions() {
        let stats = Distribution::of(vec![4.0, 1.0, 3.0, 2.0]).unwrap();
        assert_eq!((stats.count, stats.avg, stats.min, stats.max), (4, 2.5, 1.0, 4.0));
        assert_eq!(stats.std, 1.25f64.sqrt());
        assert_eq!((stats.p25, stats.p50, stats.p75), (1.75, 2.5, 3.25));
        assert!((stats.p99 - 3.97).abs() < 1e-12 && (stats.p1 - 1.03).abs() < 1e-12);
    }

    #[test]
    fn one_number_is_every_percentile_and_none_is_no_sample() {
        let stats = Distribution::of(vec![7.0]).unwrap();
        assert_eq!((stats.p1, stats.p50, stats.p99, stats.std), (7.0, 7.0, 7.0, 0.0));
        assert_eq!(Distribution::of(Vec::new()), None);
    }
}
