//! Counting the tokens of prompts without a tokenizer, and making the tokens of answers.

use std::sync::{Arc, LazyLock};

use crate::config::{Counting, TokenCounter};

/// The counter for a way of counting.
pub(crate) fn counter(counting: Counting) -> TokenCounter {
    match counting {
        Counting::Bytes => Arc::new(|text| text.len().div_ceil(4)),
        Counting::Words => Arc::new(|text| text.split_whitespace().count()),
    }
}

/// Words in [`WORDS`].
const WORD_COUNT: usize = 256;

/// The words of answers, in the order in which they come. With the space before it, each is one token of o200k and of most
/// other vocabularies, and stays one next to any other, so that a client that counts agrees with the usage. All are
/// lower-case ASCII, so that they are their own JSON.
///
/// They all differ, so that a lost or doubled token shows twice: in the count, and in the text, where the word after the
/// fault is not the one that follows in the list. Only the loss of a multiple of 256 in a row shows in the count alone.
static WORDS: LazyLock<Vec<String>> =
    LazyLock::new(|| include_str!("words.txt").split_ascii_whitespace().map(|word| format!(" {word}")).collect());

/// Token `number` of an answer: a space and a word that tells its place (modulo 256).
#[must_use]
pub fn word(number: u64) -> &'static str {
    let index = usize::try_from(number % WORD_COUNT as u64).unwrap_or(0);
    WORDS.get(index).map_or(" word", String::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prompts_are_counted_by_bytes_or_words() {
        let (bytes, words) = (counter(Counting::Bytes), counter(Counting::Words));
        assert_eq!([bytes(""), bytes("a"), bytes("abcd"), bytes("abcde")], [0, 1, 1, 2]);
        assert_eq!([words(""), words(" a "), words("a b\nc")], [0, 1, 3]);
    }

    #[test]
    fn words_tell_their_place() {
        let words: std::collections::HashSet<&str> = (0..256).map(word).collect();
        assert_eq!((words.len(), WORDS.len()), (256, WORD_COUNT));
        assert_eq!([word(0), word(1), word(256)], [" time", " year", " time"]);
        assert!(words.iter().all(|word| word[1..].bytes().all(|byte| byte.is_ascii_lowercase())));
    }
}
