//! The words that prompts are made of, as a tokenizer sees them.

use std::collections::BTreeSet;

use tokamark_tokenizer::Tokenizer;

use super::unit::Unit;
use crate::random::Streams;

/// Plain English words.
static WORDS: &str = include_str!("words.txt");

/// Words of one token that are enough to use no others.
const ENOUGH: usize = 128;

/// The words for a tokenizer.
#[derive(Clone, Debug)]
pub(super) struct Pool {
    /// Words to draw from; all of one token if the vocabulary has enough of them.
    pub(super) words: Vec<Unit<'static>>,
    /// Words and signs of few tokens, the cheapest first, to fill up what no word fits into.
    pub(super) fillers: Vec<Unit<'static>>,
    /// Each word is one token wherever it stands behind another, so that tokens need not be counted again.
    pub(super) is_additive: bool,
    /// The signs behind which some token goes on with a space.
    pub(super) crossings: BTreeSet<char>,
}

impl Pool {
    pub(super) fn new(tokenizer: &Tokenizer) -> Self {
        let singles: Vec<&'static str> = all_words().filter(|word| tokenizer.count(word) == 1).collect();
        let anchor = singles.first().copied().unwrap_or("a");
        let words = |candidates: &mut dyn Iterator<Item = &'static str>| -> Vec<Unit<'static>> {
            candidates.map(|text| measured(tokenizer, anchor, text, true)).collect()
        };
        let mut single = words(&mut singles.iter().copied());
        single.retain(|unit| unit.cost == 1);
        let crossings = crossings(tokenizer);
        let safe = |unit: &&Unit<'_>| unit.text.chars().next_back().is_some_and(|last| !crossings.contains(&last));
        let apart: Vec<Unit<'static>> = single.iter().filter(safe).copied().collect();
        let is_additive = apart.len() >= ENOUGH && add_up(tokenizer, &apart);
        let words = if is_additive {
            apart
        } else if single.len() >= ENOUGH {
            single
        } else {
            words(&mut all_words())
        };
        let signs =
            SIGNS.split(' ').flat_map(|text| [true, false].map(|is_word| measured(tokenizer, anchor, text, is_word)));
        let mut fillers: Vec<Unit<'static>> = words.iter().copied().take(ENOUGH).chain(signs).collect();
        fillers.sort_by_key(|unit| unit.cost);
        Self { words, fillers, is_additive, crossings }
    }
}

/// Signs that fill up: each is a token of its own in most vocabularies, letter by letter or not.
const SIGNS: &str = "a b c d e i o s t x 0 1 2 . , ; : ! ? - * + = #";

fn all_words() -> impl Iterator<Item = &'static str> {
    WORDS.split_ascii_whitespace()
}

/// A unit with the tokens that it adds to a prompt that ends with the anchor.
fn measured(tokenizer: &Tokenizer, anchor: &str, text: &'static str, is_word: bool) -> Unit<'static> {
    let space = if is_word { " " } else { "" };
    let together = tokenizer.count(&format!("{anchor}{space}{text}"));
    let cost = together.saturating_sub(tokenizer.count(anchor)).max(1) as u64;
    Unit { text, cost, is_word }
}

/// The signs behind which some token goes on with a space. Between any other sign and a space no merge and no token of
/// the vocabulary can reach across, so that what stands before and behind is encoded as if it were alone.
fn crossings(tokenizer: &Tokenizer) -> BTreeSet<char> {
    // The compiled-in vocabulary is known to have none, and its decoding of each token takes time.
    if tokenizer.is_builtin() {
        return BTreeSet::new();
    }
    scanned(tokenizer)
}

fn scanned(tokenizer: &Tokenizer) -> BTreeSet<char> {
    let mut found = BTreeSet::new();
    for token in tokenizer.ordinary_ids() {
        let text = tokenizer.decode(&[token]);
        let pairs = text.chars().zip(text.chars().skip(1));
        found.extend(pairs.filter(|(left, right)| !left.is_whitespace() && *right == ' ').map(|(left, _)| left));
    }
    found
}

/// Whether words of one token each are as many tokens when they stand in a row, tried with all of them, twice.
fn add_up(tokenizer: &Tokenizer, words: &[Unit<'static>]) -> bool {
    (0..2).all(|row| {
        let order = Streams::new(0, "junctions").row(row).shuffled(words.len() as u32);
        let row: Vec<&str> = order.into_iter().map(|at| words[at as usize].text).collect();
        tokenizer.count(&row.join(" ")) == row.len()
    })
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn words_are_distinct_and_plain() {
        let words: HashSet<&str> = all_words().collect();
        assert_eq!(words.len(), all_words().count());
        assert!(words.len() > 1_500);
        assert!(words.iter().all(|word| word.bytes().all(|byte| byte.is_ascii_lowercase())));
    }

    #[test]
    fn the_builtin_vocabulary_has_most_words_as_one_token() {
        let pool = Pool::new(&Tokenizer::builtin());
        assert!(pool.is_additive);
        assert!(pool.words.iter().all(|unit| unit.cost == 1));
        assert!(pool.words.len() > 1_024, "{}", pool.words.len());
    }

    #[test]
    fn no_token_of_the_builtin_vocabulary_reaches_from_a_word_to_the_next() {
        assert_eq!(scanned(&Tokenizer::builtin()), BTreeSet::new());
    }
}
