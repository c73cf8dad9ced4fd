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
