//! Statistics in NumPy's order of operations, so that they agree with GenAI-Perf's to the last digits.

/// The percentiles of every distribution.
pub const PERCENTILES: [u8; 9] = [1, 5, 10, 25, 50, 75, 90, 95, 99];

/// A distribution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// Mean.
    pub avg: f64,
    /// As in [`PERCENTILES`].
    pub percentiles: [f64; 9],
    /// Least.
    pub min: f64,
    /// Greatest.
    pub max: f64,
    /// Population standard deviation.
    pub std: f64,
}

impl Spread {
    /// Of values in any order; none of none.
    #[must_use]
    pub fn of(values: &[f64]) -> Option<Self> {
        let mut sorted = values.to_vec();
        sorted.sort_unstable_by(f64::total_cmp);
        let (min, max) = (*sorted.first()?, *sorted.last()?);
        let avg = mean(values);
        let squares: Vec<f64> = values.iter().map(|value| (value - avg) * (value - avg)).collect();
        Some(Self {
            avg,
            percentiles: PERCENTILES.map(|percent| percentile(&sorted, percent)),
            min,
            max,
            std: mean(&squares).sqrt(),
        })
    }

    /// All statistics times a factor.
    #[must_use]
    pub fn scaled(&self, factor: f64) -> Self {
        Self {
            avg: self.avg * factor,
            percentiles: self.percentiles.map(|value| value * factor),
            min: self.min * factor,
            max: self.max * factor,
            std: self.std * factor,
        }
    }

    /// The names of the statistics, in the order of the JSON report.
    pub const NAMES: [&str; 13] =
        ["avg", "p1", "p5", "p10", "p25", "p50", "p75", "p90", "p95", "p99", "min", "max", "std"];

    /// The statistics in the order of [`Self::NAMES`].
    #[must_use]
    pub fn values(&self) -> [f64; 13] {
        let [p1, p5, p10, p25, p50, p75, p90, p95, p99] = self.percentiles;
        [self.avg, p1, p5, p10, p25, p50, p75, p90, p95, p99, self.min, self.max, self.std]
    }

    /// The statistic of a name.
    #[must_use]
    pub fn stat(&self, name: &str) -> Option<f64> {
        Self::NAMES.iter().zip(self.values()).find(|(known, _)| **known == name).map(|(_, value)| value)
    }
}

/// The mean; of nothing it is not a number.
pub(crate) fn mean(values: &[f64]) -> f64 {
    pairwise_sum(values) / values.len() as f64
}

/// NumPy's pairwise sum: blocks of at most 128 values with eight partial sums, halves above that.
fn pairwise_sum(values: &[f64]) -> f64 {
    const BLOCK: usize = 128;
    if values.len() < 8 {
        return values.iter().copied().reduce(|sum, value| sum + value).unwrap_or(0.0);
    }
    if values.len() > BLOCK {
        let half = values.len() / 2;
        let (left, right) = values.split_at(half - half % 8);
        return pairwise_sum(left) + pairwise_sum(right);
    }
    let mut lanes = [0.0; 8];
    let mut chunks = values.chunks_exact(8);
    for (i, chunk) in chunks.by_ref().enumerate() {
        for (lane, value) in lanes.iter_mut().zip(chunk) {
            *lane = if i == 0 { *value } else { *lane + value };
        }
    }
    let [a, b, c, d, e, f, g, h] = lanes;
    let sum = ((a + b) + (c + d)) + ((e + f) + (g + h));
    chunks.remainder().iter().fold(sum, |sum, value| sum + value)
}

/// Linear interpolation between order statistics. From the middle on it is measured from the upper one.
fn percentile(sorted: &[f64], percent: u8) -> f64 {
    let last = sorted.len().saturating_sub(1);
    let at = last as f64 * (f64::from(percent) / 100.0);
    let below = (at.floor() as usize).min(last);
    let (low, high) = (sorted[below], sorted[(below + 1).min(last)]);
    let share = at - below as f64;
    let step = high - low;
    if share >= 0.5 { high - step * (1.0 - share) } else { low + step * share }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Expected values are those that `numpy.mean`, `numpy.std` and `numpy.percentile` gave for the same numbers; they are
    /// equal to the last bit, since the order of operations is the same.
    #[test]
    fn statistics_are_numpys_to_the_last_bit() {
        let values =
            |count: u32| -> Vec<f64> { (0..count).map(|i| f64::from((i * i * 37 + i * 11) % 1009) / 7.0).collect() };
        for (count, avg, std, percentiles) in [
            (1, 0.0, 0.0, [0.0; 9]),
            (
                7,
                52.836_734_693_877_546,
                45.937_492_615_746_244,
                [
                    0.411_428_571_428_571_37,
                    2.057_142_857_142_857_4,
                    4.114_285_714_285_715,
                    15.571_428_571_428_571,
                    52.285_714_285_714_285,
                    73.214_285_714_285_72,
                    110.514_285_714_285_73,
                    125.257_142_857_142_82,
                    137.051_428_571_428_54,
                ],
            ),
            (
                9,
                62.031_746_031_746_04,
                46.472_910_587_710_38,
                [
                    0.548_571_428_571_428_6,
                    2.742_857_142_857_143,
                    5.485_714_285_714_286,
                    24.285_714_285_714_285,
                    55.571_428_571_428_57,
                    90.857_142_857_142_86,
                    128.685_714_285_714_28,
                    134.342_857_142_857_13,
                    138.868_571_428_571_4,
                ],
            ),
            (
                300,
                69.845_238_095_238_09,
                42.803_672_133_037_4,
                [
                    0.568_571_428_571_428_6,
                    5.414_285_714_285_715,
                    11.128_571_428_571_428,
                    32.25,
                    68.0,
                    107.785_714_285_714_28,
                    128.871_428_571_428_57,
                    137.314_285_714_285_72,
                    142.717_142_857_142_87,
                ],
            ),
        ] {
            let spread = Spread::of(&values(count)).unwrap();
            assert_eq!((spread.avg, spread.std, spread.percentiles), (avg, std, percentiles), "{count} values");
        }
        assert_eq!(Spread::of(&[]), None);
    }

    proptest! {
        /// Percentiles rise with their percent and lie between the least and the greatest.
        #[test]
        fn percentiles_are_in_order(values in prop::collection::vec(-1e12_f64..1e12, 1..300)) {
            let spread = Spread::of(&values).unwrap();
            let all = [&[spread.min], spread.percentiles.as_slice(), &[spread.max]].concat();
            prop_assert!(all.is_sorted_by(|a, b| a <= b || (a - b).abs() <= 1e-9 * a.abs()));
            prop_assert!(spread.std >= 0.0);
        }
    }
}
