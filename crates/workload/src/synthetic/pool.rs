//! The words that prompts are made of, as a tokenizer sees them.

use tokamark_tokenizer::Tokenizer;

/// Plain English words.
static WORDS: &str = include_str!("words.txt");

/// Words of one token that are enough to use no others.
const ENOUGH: usize = 128;

/// A piece that is appended to a prompt, with the tokens that it most likely adds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Unit {
    /// The text, without the space before it.
    pub(super) text: &'static str,
    /// Tokens that it adds.
    pub(super) cost: u64,
    /// A space goes before it.
    pub(super) is_word: bool,
}

/// The words for a tokenizer.
#[derive(Clone, Debug)]
pub(super) struct Pool {
    /// Words to draw from; all of one token if the vocabulary has enough of them.
    pub(super) words: Vec<Unit>,
    /// Words and signs of few tokens, the cheapest first, to fill up what no word fits into.
    pub(super) fillers: Vec<Unit>,
}

impl Pool {
    pub(super) fn new(tokenizer: &Tokenizer) -> Self {
        let singles: Vec<&'static str> = all_words().filter(|word| tokenizer.count(word) == 1).collect();
        let anchor = singles.first().copied().unwrap_or("a");
        let words = |candidates: &mut dyn Iterator<Item = &'static str>| -> Vec<Unit> {
            candidates.map(|text| measured(tokenizer, anchor, text, true)).collect()
        };
        let single: Vec<Unit> = words(&mut singles.iter().copied()).into_iter().filter(|unit| unit.cost == 1).collect();
        let words = if single.len() >= ENOUGH { single } else { words(&mut all_words()) };
        let signs =
            SIGNS.split(' ').flat_map(|text| [true, false].map(|is_word| measured(tokenizer, anchor, text, is_word)));
        let mut fillers: Vec<Unit> = words.iter().copied().take(ENOUGH).chain(signs).collect();
        fillers.sort_by_key(|unit| unit.cost);
        Self { words, fillers }
    }
}

/// Signs that fill up: each is a token of its own in most vocabularies, letter by letter or not.
const SIGNS: &str = "a b c d e i o s t x 0 1 2 . , ; : ! ? - * + = #";

fn all_words() -> impl Iterator<Item = &'static str> {
    WORDS.split_ascii_whitespace()
}

/// A unit with the tokens that it adds to a prompt that ends with the anchor.
fn measured(tokenizer: &Tokenizer, anchor: &str, text: &'static str, is_word: bool) -> Unit {
    let space = if is_word { " " } else { "" };
    let together = tokenizer.count(&format!("{anchor}{space}{text}"));
    let cost = together.saturating_sub(tokenizer.count(anchor)).max(1) as u64;
    Unit { text, cost, is_word }
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
        assert!(pool.words.iter().all(|unit| unit.cost == 1));
        assert!(pool.words.len() > 1_024, "{}", pool.words.len());
    }
}
