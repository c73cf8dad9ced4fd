//! Random numbers that depend on the seed, their purpose and the row alone.
//!
//! A row's numbers are a ChaCha stream of its own, so that any row is computed without those before it and by any
//! thread. The draws are written out here, because those of the `rand` crates may change from version to version and
//! those of the platform's mathematics library from machine to machine.

pub(crate) mod numpy;
mod permutation;

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};
use sha2::{Digest, Sha256};

pub(crate) use permutation::permuted;

/// Numbers of one stream that belong to one text: 2^28, of which a text of a thousand million words is the most.
const TEXT_SHIFT: u32 = 28;
/// Texts of one turn: 2^20.
const TURN_SHIFT: u32 = 48;

/// Which draw is meant: of which conversation, turn and text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Place {
    /// The conversation, or whatever else the draw is for.
    pub(crate) row: u64,
    /// The turn, from 0.
    pub(crate) turn: u32,
    /// The text of the turn, from 0.
    pub(crate) text: u32,
}

impl Place {
    /// The first text of a turn.
    pub(crate) fn turn(row: u64, turn: u32) -> Self {
        Self { row, turn, text: 0 }
    }
}

/// The family of streams for one purpose.
#[derive(Clone, Debug)]
pub(crate) struct Streams([u8; 32]);

impl Streams {
    /// The streams of a seed for a purpose; each purpose has streams of its own.
    pub(crate) fn new(seed: u64, purpose: &str) -> Self {
        let mut hash = Sha256::new();
        hash.update(b"tokamark workload ");
        hash.update(seed.to_le_bytes());
        hash.update(purpose.as_bytes());
        Self(hash.finalize().into())
    }

    /// The stream of a row.
    pub(crate) fn row(&self, row: u64) -> Stream {
        let mut generator = ChaCha8Rng::from_seed(self.0);
        generator.set_stream(row);
        Stream(generator)
    }

    /// The stream of a row's turn and text; that of the first turn's first text is the row's own.
    pub(crate) fn at(&self, place: Place) -> Stream {
        let mut stream = self.row(place.row);
        let (turn, text) = (u128::from(place.turn & 0xf_ffff), u128::from(place.text & 0xf_ffff));
        if turn != 0 || text != 0 {
            stream.0.set_word_pos(turn << TURN_SHIFT | text << TEXT_SHIFT);
        }
        stream
    }

    /// Keys for a permutation.
    pub(crate) fn keys(&self, row: u64) -> [u64; permutation::ROUNDS] {
        let mut stream = self.row(row);
        std::array::from_fn(|_| stream.0.next_u64())
    }
}

/// The random numbers of one row.
#[derive(Clone, Debug)]
pub(crate) struct Stream(ChaCha8Rng);

impl Stream {
    /// Uniform in `0..limit`, without bias; 0 if the limit is 0.
    pub(crate) fn below(&mut self, limit: u32) -> u32 {
        loop {
            let product = u64::from(self.0.next_u32()) * u64::from(limit);
            let fraction = product as u32;
            // The few fractions that would favour some numbers are drawn again.
            if fraction >= limit || fraction >= limit.wrapping_neg() % limit.max(1) {
                return (product >> 32) as u32;
            }
        }
    }

    /// Uniform in `0..limit`, without bias; 0 if the limit is 0.
    pub(crate) fn below_long(&mut self, limit: u64) -> u64 {
        loop {
            let product = u128::from(self.0.next_u64()) * u128::from(limit);
            let fraction = product as u64;
            if fraction >= limit || fraction >= limit.wrapping_neg() % limit.max(1) {
                return (product >> 64) as u64;
            }
        }
    }

    /// Uniform in `[0, 1)`, with 53 bits.
    pub(crate) fn unit(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 * 2f64.powi(-53)
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

    /// A random order of `0..length`.
    pub(crate) fn shuffled(&mut self, length: u32) -> Vec<u32> {
        let mut order: Vec<u32> = (0..length).collect();
        for last in (1..length).rev() {
            order.swap(last as usize, self.below(last + 1) as usize);
        }
        order
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_below_a_limit_are_uniform() {
        let mut stream = Streams::new(1, "test").row(0);
        let mut counts = [0u32; 6];
        for _ in 0..60_000 {
            counts[stream.below(6) as usize] += 1;
        }
        // Five standard deviations of a binomial with n = 60,000 and p = 1/6.
        assert!(counts.iter().all(|&count| count.abs_diff(10_000) < 457), "{counts:?}");
        assert_eq!(stream.below(1), 0);
        assert_eq!(stream.below(0), 0);
    }

    #[test]
    fn normal_numbers_have_mean_0_and_deviation_1() {
        let mut stream = Streams::new(7, "test").row(3);
        let draws: Vec<f64> = (0..100_000).map(|_| stream.normal()).collect();
        let mean = draws.iter().sum::<f64>() / 1e5;
        let variance = draws.iter().map(|x| (x - mean) * (x - mean)).sum::<f64>() / 1e5;
        let beyond_two = draws.iter().filter(|x| x.abs() > 2.0).count();
        assert!(mean.abs() < 0.016, "{mean}");
        assert!((variance - 1.0).abs() < 0.023, "{variance}");
        assert!(beyond_two.abs_diff(4_550) < 330, "{beyond_two}");
    }

    #[test]
    fn streams_differ_by_seed_purpose_and_row() {
        let first = |seed, purpose, row| Streams::new(seed, purpose).row(row).0.next_u64();
        let all = [first(1, "a", 0), first(1, "a", 1), first(1, "b", 0), first(2, "a", 0)];
        assert!(all.iter().enumerate().all(|(at, number)| !all[..at].contains(number)));
        assert_eq!(first(1, "a", 0), first(1, "a", 0));
    }

    #[test]
    fn turns_and_texts_have_numbers_of_their_own() {
        let streams = Streams::new(1, "test");
        let first = |turn, text| streams.at(Place { row: 3, turn, text }).0.next_u64();
        let all = [first(0, 0), first(0, 1), first(1, 0), first(1, 1), first(0xf_ffff, 0xf_ffff)];
        assert!(all.iter().enumerate().all(|(at, number)| !all[..at].contains(number)));
        assert_eq!(first(0, 0), streams.row(3).0.next_u64());
    }

    #[test]
    fn long_numbers_below_a_limit_are_uniform() {
        let mut stream = Streams::new(2, "test").row(0);
        let limit = 3 << 62;
        let low = (0..60_000).filter(|_| stream.below_long(limit) < 1 << 62).count();
        // Five standard deviations of a binomial with n = 60,000 and p = 1/3.
        assert!(low.abs_diff(20_000) < 578, "{low}");
        assert_eq!((stream.below_long(1), stream.below_long(0)), (0, 0));
    }

    #[test]
    fn a_shuffle_is_a_permutation() {
        let mut order = Streams::new(1, "test").row(0).shuffled(1_000);
        assert_ne!(order[..10], [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
        order.sort_unstable();
        assert_eq!(order, (0..1_000).collect::<Vec<_>>());
    }
}
