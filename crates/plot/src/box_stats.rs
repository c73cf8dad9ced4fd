//! The statistics of a box.

/// Quartiles, whiskers and extremes of a distribution.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BoxStats {
    /// How many values there are.
    pub count: u64,
    /// The least.
    pub min: f64,
    /// The lower whisker: 1st percentile.
    pub p1: f64,
    /// The lower end of the box: 25th percentile.
    pub p25: f64,
    /// The line in the box: 50th percentile.
    pub p50: f64,
    /// The upper end of the box: 75th percentile.
    pub p75: f64,
    /// The upper whisker: 99th percentile.
    pub p99: f64,
    /// The greatest.
    pub max: f64,
    /// The mean.
    pub mean: f64,
}

impl BoxStats {
    /// Of values in any order, percentiles by linear interpolation; none of none. Values that are no numbers are left out.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
    pub fn of(values: &[f64]) -> Option<Self> {
        let mut sorted: Vec<f64> = values.iter().copied().filter(|value| value.is_finite()).collect();
        sorted.sort_unstable_by(f64::total_cmp);
        let (min, max) = (*sorted.first()?, *sorted.last()?);
        let count = sorted.len();
        // Divided one by one, so that the sum of huge values stays finite.
        let mean = sorted.iter().map(|value| value / count as f64).sum();
        let at = |share| quantile(&sorted, share);
        Some(Self {
            count: count as u64,
            min,
            p1: at(0.01),
            p25: at(0.25),
            p50: at(0.5),
            p75: at(0.75),
            p99: at(0.99),
            max,
            mean,
        })
    }

    /// All of its places on the axis.
    #[must_use]
    pub fn values(&self) -> [f64; 8] {
        [self.min, self.p1, self.p25, self.p50, self.p75, self.p99, self.max, self.mean]
    }
}

#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a place within the values"
)]
fn quantile(sorted: &[f64], share: f64) -> f64 {
    let last = sorted.len().saturating_sub(1);
    let place = last as f64 * share;
    let below = (place.floor() as usize).min(last);
    let (low, high) = (sorted[below], sorted[(below + 1).min(last)]);
    let part = place - below as f64;
    low * (1.0 - part) + high * part
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_exact() {
        let values: Vec<f64> = (0..=100).rev().map(f64::from).collect();
        let expected = BoxStats {
            count: 101,
            min: 0.0,
            p1: 1.0,
            p25: 25.0,
            p50: 50.0,
            p75: 75.0,
            p99: 99.0,
            max: 100.0,
            mean: 50.0,
        };
        let found = BoxStats::of(&values).unwrap();
        assert!((found.mean - 50.0).abs() < 1e-9);
        assert_eq!(BoxStats { mean: 50.0, ..found }, expected);
        let four = BoxStats::of(&[4.0, 1.0, 3.0, 2.0]).unwrap();
        assert_eq!((four.p25, four.p50, four.p75, four.mean), (1.75, 2.5, 3.25, 2.5));
    }

    #[test]
    fn one_value_none_and_what_is_no_number() {
        let one = BoxStats::of(&[7.0]).unwrap();
        assert_eq!((one.count, one.values()), (1, [7.0; 8]));
        assert_eq!(BoxStats::of(&[]), None);
        assert_eq!(BoxStats::of(&[f64::NAN, f64::INFINITY]), None);
        assert_eq!(BoxStats::of(&[f64::NAN, 7.0]), Some(one));
        let huge = BoxStats::of(&[f64::MAX, f64::MAX, -f64::MAX]).unwrap();
        assert!(huge.values().iter().all(|value| value.is_finite()));
    }
}
