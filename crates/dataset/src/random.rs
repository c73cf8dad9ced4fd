//! Random numbers that depend on the seed and their purpose alone. The draws are written out here, because those of the
//! `rand` crates may change from version to version and those of the platform's mathematics library from machine to
//! machine.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use sha2::{Digest, Sha256};

/// The random numbers of one purpose.
#[derive(Clone, Debug)]
pub(crate) struct Stream(ChaCha8Rng);

impl Stream {
    /// The stream of a seed for a purpose; each purpose has one of its own.
    pub(crate) fn new(seed: u64, purpose: &str) -> Self {
        let mut hash = Sha256::new();
        hash.update(b"tokamark dataset ");
        hash.update(seed.to_le_bytes());
        hash.update(purpose.as_bytes());
        Self(ChaCha8Rng::from_seed(hash.finalize().into()))
    }

    /// Uniform in `0..limit`, without bias; 0 if the limit is 0.
    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        loop {
            let product = u128::from(self.0.next_u64()) * u128::from(limit);
            let fraction = product as u64;
            // The few fractions that would favour some numbers are drawn again.
            if fraction >= limit || fraction >= limit.wrapping_neg() % limit.max(1) {
                return (product >> 64) as u64;
            }
        }
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

    /// Uniform in `[0, 1)`, with 53 bits.
    fn unit(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 * 2f64.powi(-53)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_below_a_limit_are_uniform() {
        let mut stream = Stream::new(1, "test");
        let mut counts = [0u32; 6];
        for _ in 0..60_000 {
            counts[stream.below(6) as usize] += 1;
        }
        // Five standard deviations of a binomial with n = 60,000 and p = 1/6.
        assert!(counts.iter().all(|&count| count.abs_diff(10_000) < 457), "{counts:?}");
        assert_eq!((stream.below(1), stream.below(0)), (0, 0));
    }

    #[test]
    fn normal_numbers_have_mean_0_and_deviation_1() {
        let mut stream = Stream::new(7, "test");
        let draws: Vec<f64> = (0..100_000).map(|_| stream.normal()).collect();
        let mean = draws.iter().sum::<f64>() / 1e5;
        let variance = draws.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / 1e5;
        // Five standard errors: 1/sqrt(n), sqrt(2/n).
        assert!(mean.abs() < 0.016, "{mean}");
        assert!((variance - 1.0).abs() < 0.023, "{variance}");
    }
}
