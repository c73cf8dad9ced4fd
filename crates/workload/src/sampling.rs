//! Which conversation comes when.

use tokamark_plan::Sampling;

use crate::random::{Streams, permuted};

/// The order in which conversations are taken.
#[derive(Clone, Debug)]
pub(crate) struct Order {
    sampling: Sampling,
    streams: Streams,
    /// Conversations there are; as many as are asked for if absent.
    limit: Option<u64>,
}

impl Order {
    pub(crate) fn new(sampling: Sampling, limit: Option<u64>, seed: u64) -> Self {
        Self { sampling, streams: Streams::new(seed, "sampling"), limit }
    }

    /// Conversations there are.
    pub(crate) fn limit(&self) -> Option<u64> {
        self.limit
    }

    /// The row of a number. Where each number has a row of its own, there is nothing to choose.
    pub(crate) fn row(&self, number: u64) -> u64 {
        let Some(limit) = self.limit else { return number };
        let limit = limit.max(1);
        match self.sampling {
            Sampling::Sequential => number % limit,
            Sampling::Random => self.streams.row(number).below_long(limit),
            Sampling::Shuffle => permuted(&self.streams.keys(number / limit), number % limit, limit),
        }
    }

    /// Whether none of the first numbers has the row of another.
    pub(crate) fn has_no_repeats(&self, numbers: Option<u64>) -> bool {
        self.limit.is_none_or(|limit| {
            numbers.is_some_and(|numbers| numbers <= limit && (self.sampling != Sampling::Random || numbers <= 1))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(sampling: Sampling, numbers: u64, limit: Option<u64>) -> Vec<u64> {
        let order = Order::new(sampling, limit, 1);
        (0..numbers).map(|number| order.row(number)).collect()
    }

    #[test]
    fn a_sequence_starts_again() {
        assert_eq!(rows(Sampling::Sequential, 7, Some(3)), [0, 1, 2, 0, 1, 2, 0]);
        assert_eq!(rows(Sampling::Random, 3, None), [0, 1, 2]);
    }

    #[test]
    fn each_pass_of_a_shuffle_has_all_in_an_order_of_its_own() {
        let rows = rows(Sampling::Shuffle, 300, Some(100));
        let passes: Vec<&[u64]> = rows.chunks(100).collect();
        assert!(passes[0] != passes[1] && passes[1] != passes[2]);
        for pass in passes {
            let mut sorted = pass.to_vec();
            sorted.sort_unstable();
            assert_ne!(pass, sorted);
            assert_eq!(sorted, (0..100).collect::<Vec<_>>());
        }
    }

    #[test]
    fn random_rows_are_even_and_repeat() {
        let rows = rows(Sampling::Random, 40_000, Some(4));
        for row in 0..4 {
            // Five standard deviations of a binomial with n = 40,000 and p = 1/4.
            assert!(rows.iter().filter(|&&found| found == row).count().abs_diff(10_000) < 434);
        }
        assert!(rows.windows(2).any(|pair| pair[0] == pair[1]));
    }
}
