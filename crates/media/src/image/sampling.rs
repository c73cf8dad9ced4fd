//! Which picture of a finite source comes when.

use crate::random::Streams;

/// The order in which the pictures of a finite source come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sampling {
    /// Each is drawn from all, evenly and independently.
    RandomWithReplacement,
    /// All in a random order, then all in another, and so on.
    ShuffleCycle,
    /// All in their order, again and again.
    SequentialCycle,
}

impl Sampling {
    /// The index in `0..count` of a number's picture; `count` must not be 0.
    pub(super) fn choose(self, streams: &Streams, number: u64, count: usize) -> usize {
        let place = (number % count as u64) as usize;
        match self {
            Self::RandomWithReplacement => streams.number(number).below(count),
            Self::ShuffleCycle => streams.number(number / count as u64).shuffled(count)[place],
            Self::SequentialCycle => place,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first(sampling: Sampling, numbers: u64, count: usize) -> Vec<usize> {
        let streams = Streams::new(11, "test");
        (0..numbers).map(|number| sampling.choose(&streams, number, count)).collect()
    }

    #[test]
    fn a_sequence_starts_again() {
        assert_eq!(first(Sampling::SequentialCycle, 7, 3), [0, 1, 2, 0, 1, 2, 0]);
    }

    #[test]
    fn each_pass_of_a_shuffle_has_all_in_an_order_of_its_own() {
        let choices = first(Sampling::ShuffleCycle, 60, 20);
        let passes: Vec<&[usize]> = choices.chunks(20).collect();
        assert!(passes[0] != passes[1] && passes[1] != passes[2] && passes[0] != passes[2]);
        for pass in passes {
            let mut sorted = pass.to_vec();
            sorted.sort_unstable();
            assert_eq!(sorted, (0..20).collect::<Vec<_>>());
        }
    }

    #[test]
    fn draws_with_replacement_are_even_and_repeat() {
        let choices = first(Sampling::RandomWithReplacement, 40_000, 4);
        for picture in 0..4 {
            // Five standard deviations of a binomial with n = 40,000 and p = 1/4.
            assert!(choices.iter().filter(|&&choice| choice == picture).count().abs_diff(10_000) < 434);
        }
        assert!(choices.windows(2).any(|pair| pair[0] == pair[1]));
    }
}
