//! Random numbers that depend on the seed, their purpose and their row alone, on every machine.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use sha2::{Digest, Sha256};

/// The random numbers of one row for one purpose.
#[derive(Clone, Debug)]
pub(crate) struct Random(ChaCha8Rng);

impl Random {
    /// The numbers of a row; each purpose and each row has its own.
    pub(crate) fn new(seed: u64, purpose: &str, row: u64) -> Self {
        let mut hash = Sha256::new();
        hash.update(b"tokamark trace ");
        hash.update(seed.to_le_bytes());
        hash.update(purpose.as_bytes());
        let mut generator = ChaCha8Rng::from_seed(hash.finalize().into());
        generator.set_stream(row);
        Self(generator)
    }

    /// Uniform in `[0, 1)`, with 53 bits.
    pub(crate) fn unit(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 * 2f64.powi(-53)
    }

    /// Whether something of this probability happens.
    pub(crate) fn happens(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }

    /// Exponential with mean 1.
    pub(crate) fn exponential(&mut self) -> f64 {
        -libm::log(1.0 - self.unit())
    }

    /// Normal with mean 0 and standard deviation 1 (Marsaglia's polar method).
    pub(crate) fn normal(&mut self) -> f64 {
        loop {
            let x = 2.0 * self.unit() - 1.0;
            let y = 2.0 * self.unit() - 1.0;
            let square = x * x + y * y;
            if square > 0.0 && square < 1.0 {
                return x * (-2.0 * libm::log(square) / square).sqrt();
            }
        }
    }

    /// Lognormal with a mean and a median: μ = ln median, σ = √(2·ln(mean/median)).
    pub(crate) fn lognormal(&mut self, mean: f64, median: f64) -> f64 {
        let sigma = (2.0 * libm::log(mean / median)).sqrt();
        median * libm::exp(sigma * self.normal())
    }

    /// The place of the first cumulative weight that exceeds a uniform share of the last one.
    pub(crate) fn pick(&mut self, cumulative: &[f64]) -> usize {
        let at = self.unit() * cumulative.last().copied().unwrap_or(0.0);
        cumulative.partition_point(|weight| *weight <= at).min(cumulative.len().saturating_sub(1))
    }
}

/// Sums of weights up to each place.
pub(crate) fn cumulated(weights: impl Iterator<Item = f64>) -> Vec<f64> {
    weights
        .scan(0.0, |sum, weight| {
            *sum += weight;
            Some(*sum)
        })
        .collect()
}

/// Cumulative weights of Zipf's law: place i (from 0) weighs (i + 1)^−α.
pub(crate) fn zipf(places: u32, alpha: f64) -> Vec<f64> {
    cumulated((1..=places).map(|rank| libm::pow(f64::from(rank), -alpha)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lognormal_has_its_mean_and_median() {
        let mut random = Random::new(3, "test", 0);
        let mut draws: Vec<f64> = (0..100_000).map(|_| random.lognormal(10_000.0, 5_000.0)).collect();
        draws.sort_by(f64::total_cmp);
        let mean = draws.iter().sum::<f64>() / 1e5;
        // σ² = 2 ln 2, so the variance is mean²·(4 − 1) and five deviations of the mean are 5·√3·10⁴/√10⁵ = 274.
        assert!((mean - 10_000.0).abs() < 274.0, "{mean}");
        assert!((draws[50_000] - 5_000.0).abs() < 120.0, "{}", draws[50_000]);
    }

    #[test]
    fn a_lognormal_whose_mean_is_its_median_is_constant() {
        assert_eq!(Random::new(3, "test", 0).lognormal(8.0, 8.0), 8.0);
    }

    #[test]
    fn zipf_prefers_the_first_places() {
        let weights = zipf(3, 1.0);
        let sum = 1.0 + 0.5 + 1.0 / 3.0;
        let mut random = Random::new(1, "test", 0);
        let mut counts = [0u32; 3];
        for _ in 0..60_000 {
            counts[random.pick(&weights)] += 1;
        }
        for (count, weight) in counts.into_iter().zip([1.0, 0.5, 1.0 / 3.0]) {
            assert!((f64::from(count) - 60_000.0 * weight / sum).abs() < 620.0, "{counts:?}");
        }
    }

    #[test]
    fn an_exponential_has_mean_1() {
        let mut random = Random::new(9, "test", 4);
        let mean = (0..100_000).map(|_| random.exponential()).sum::<f64>() / 1e5;
        assert!((mean - 1.0).abs() < 0.016, "{mean}");
    }
}
