//! Prompts made from the seed: exact in length, and no two alike.

mod compose;
mod length;
mod pool;
mod random;

use tokamark_plan::LengthDistribution;

use compose::{Composed, compose};
pub use length::LengthError;
pub(crate) use length::Lengths;
use pool::Pool;
pub(crate) use random::Streams;
use tokamark_tokenizer::Tokenizer;

/// Which of the two families of prompts a row is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// Prompts that are measured.
    Measured,
    /// Prompts sent before; none of them is a measured one.
    Warmup,
}

/// The texts of a row and their tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Texts {
    pub(crate) texts: Vec<String>,
    pub(crate) tokens: u64,
}

/// Makes the prompts.
///
/// A prompt's first two words are a code of its number: no two prompts begin with the same two words until
/// all pairs (over a million with most vocabularies) are used up. That makes them distinct however short they are and
/// keeps them from sharing a prefix that a server could have cached.
#[derive(Clone, Debug)]
pub(crate) struct Synthetic {
    tokenizer: Tokenizer,
    pool: Pool,
    lengths: Lengths,
    batch: u64,
    texts: Streams,
    /// First words, in an order of the seed's.
    first: Vec<u32>,
    /// Where the second words begin for each first one.
    second: Vec<u32>,
}

impl Synthetic {
    pub(crate) fn new(
        tokenizer: Tokenizer,
        input: LengthDistribution,
        batch_size: u32,
        seed: u64,
    ) -> Result<Self, LengthError> {
        let pool = Pool::new(&tokenizer);
        let lengths = Lengths::new(input, Streams::new(seed, "input length"))?;
        let heads = Streams::new(seed, "heads");
        let words = pool.words.len() as u32;
        let (first, second) = (heads.row(0).shuffled(words), heads.row(1).shuffled(words));
        let texts = Streams::new(seed, "texts");
        Ok(Self { tokenizer, pool, lengths, batch: u64::from(batch_size.max(1)), texts, first, second })
    }

    /// The texts of a row.
    pub(crate) fn row(&self, phase: Phase, row: u64) -> Texts {
        let mut all = Texts { texts: Vec::new(), tokens: 0 };
        for number in self.numbers(row) {
            let Composed { text, tokens } = self.text(phase, number);
            all.texts.push(text);
            all.tokens += tokens;
        }
        all
    }

    /// The tokens that the row's texts should have. They have others only if the vocabulary allows no such text.
    pub(crate) fn wanted(&self, row: u64) -> u64 {
        self.numbers(row).map(|number| self.lengths.row(number)).sum()
    }

    /// The numbers of the row's texts.
    fn numbers(&self, row: u64) -> impl Iterator<Item = u64> {
        let first = row.wrapping_mul(self.batch);
        (0..self.batch).map(move |at| first.wrapping_add(at))
    }

    fn text(&self, phase: Phase, number: u64) -> Composed {
        // Warm-up counts down from the end of what measured prompts count up.
        let row = match phase {
            Phase::Measured => number,
            Phase::Warmup => u64::MAX - number,
        };
        compose(&self.tokenizer, &self.pool, self.lengths.row(row), self.head(phase, number), &mut self.texts.row(row))
    }

    /// The first two words.
    fn head(&self, phase: Phase, number: u64) -> [u32; 2] {
        let words = self.first.len() as u64;
        let pairs = words * words;
        let pair = match phase {
            Phase::Measured => number % pairs,
            Phase::Warmup => pairs - 1 - number % pairs,
        };
        let (round, word) = (pair / words, (pair % words) as usize);
        [self.first[word], ((u64::from(self.second[word]) + round) % words) as u32]
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn synthetic(mean: f64, stddev: f64, seed: u64) -> Synthetic {
        Synthetic::new(Tokenizer::builtin(), LengthDistribution::normal(mean, stddev), 1, seed).unwrap()
    }

    #[test]
    fn no_two_heads_are_alike() {
        let synthetic = synthetic(2.0, 0.0, 11);
        let mut heads = HashSet::new();
        for number in 0..200_000 {
            assert!(heads.insert(synthetic.head(Phase::Measured, number)));
            assert!(heads.insert(synthetic.head(Phase::Warmup, number)));
        }
    }

    #[test]
    fn lengths_do_not_change_the_words() {
        let (short, long) = (synthetic(40.0, 0.0, 3), synthetic(90.0, 5.0, 3));
        for row in 0..20 {
            let short = &short.row(Phase::Measured, row).texts[0];
            assert!(long.row(Phase::Measured, row).texts[0].starts_with(short.as_str()));
        }
    }
}
