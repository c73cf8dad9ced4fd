//! Random numbers that depend on the seed, their purpose and a number alone.
//!
//! The draws are written out here, because those of the `rand` crates may change from version to version and those of
//! the platform's mathematics library from machine to machine.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use sha2::{Digest, Sha256};

/// The family of streams for one purpose.
#[derive(Clone, Debug)]
pub(crate) struct Streams([u8; 32]);

impl Streams {
    /// The streams of a seed for a purpose; each purpose has streams of its own.
    pub(crate) fn new(seed: u64, purpose: &str) -> Self {
        let mut hash = Sha256::new();
        hash.update(b"tokamark media ");
        hash.update(seed.to_le_bytes());
        hash.update(purpose.as_bytes());
        Self(hash.finalize().into())
    }

    /// The stream of a number.
    pub(crate) fn number(&self, number: u64) -> Stream {
        let mut generator = ChaCha8Rng::from_seed(self.0);
        generator.set_stream(number);
        Stream { generator, spare: None }
    }
}

/// The random numbers of one piece of media.
#[derive(Clone, Debug)]
pub(crate) struct Stream {
    generator: ChaCha8Rng,
    /// The polar method makes normal numbers two at a time.
    spare: Option<f64>,
}

impl Stream {
    /// Uniform in `0..limit`, without bias; 0 if the limit is 0.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        let limit = u32::try_from(limit).unwrap_or(u32::MAX);
        loop {
            let product = u64::from(self.generator.next_u32()) * u64::from(limit);
            let fraction = product as u32;
            // The few fractions that would favour some numbers are drawn again.
            if fraction >= limit || fraction >= limit.wrapping_neg() % limit.max(1) {
                return (product >> 32) as usize;
            }
        }
    }

    /// Uniform in `[0, 1)`, with 53 bits.
    pub(crate) fn unit(&mut self) -> f64 {
        (self.generator.next_u64() >> 11) as f64 * 2f64.powi(-53)
    }

    /// Normal with mean 0 and standard deviation 1 (Marsaglia's polar method).
    pub(crate) fn normal(&mut self) -> f64 {
        if let Some(spare) = self.spare.take() {
            return spare;
        }
        loop {
            let x = 2.0 * self.unit() - 1.0;
            let y = 2.0 * self.unit() - 1.0;
            let square = x * x + y * y;
            if square > 0.0 && square < 1.0 {
                let factor = (-2.0 * libm::log(square) / square).sqrt();
                self.spare = Some(y * factor);
                return x * factor;
            }
        }
    }

    /// Random bytes.
    pub(crate) fn fill(&mut self, bytes: &mut [u8]) {
        self.generator.fill_bytes(bytes);
    }

    /// A random order of `0..length`.
    pub(crate) fn shuffled(&mut self, length: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..length).collect();
        for last in (1..length).rev() {
            order.swap(last, self.below(last + 1));
        }
        order
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_below_a_limit_are_uniform() {
        let mut stream = Streams::new(1, "test").number(0);
        let mut counts = [0u32; 6];
        for _ in 0..60_000 {
            counts[stream.below(6)] += 1;
        }
        // Five standard deviations of a binomial with n = 60,000 and p = 1/6.
        assert!(counts.iter().all(|&count| count.abs_diff(10_000) < 457), "{counts:?}");
        assert_eq!((stream.below(1), stream.below(0)), (0, 0));
    }

    #[test]
    fn normal_numbers_have_mean_0_and_deviation_1_and_do_not_depend_on_one_another() {
        let mut stream = Streams::new(7, "test").number(3);
        let draws: Vec<f64> = (0..100_000).map(|_| stream.normal()).collect();
        let mean = draws.iter().sum::<f64>() / 1e5;
        let variance = draws.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / 1e5;
        let neighbours = draws.windows(2).map(|pair| pair[0] * pair[1]).sum::<f64>() / 1e5;
        // Five standard errors: 1/sqrt(n), sqrt(2/n), 1/sqrt(n).
        assert!(mean.abs() < 0.016, "{mean}");
        assert!((variance - 1.0).abs() < 0.023, "{variance}");
        assert!(neighbours.abs() < 0.016, "{neighbours}");
    }

    #[test]
    fn streams_differ_by_seed_purpose_and_number() {
        let first = |seed, purpose, number| Streams::new(seed, purpose).number(number).unit();
        let all = [first(1, "a", 0), first(1, "a", 1), first(1, "b", 0), first(2, "a", 0)];
        assert!(all.iter().enumerate().all(|(at, number)| !all[..at].contains(number)));
        assert_eq!(first(1, "a", 0), first(1, "a", 0));
    }

    #[test]
    fn a_shuffle_is_a_permutation() {
        let mut order = Streams::new(1, "test").number(0).shuffled(1_000);
        assert_ne!(order[..10], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
        order.sort_unstable();
        assert_eq!(order, (0..1_000).collect::<Vec<_>>());
    }
}
