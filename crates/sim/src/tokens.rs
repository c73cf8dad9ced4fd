//! Counting the tokens of prompts without a tokenizer, and making the tokens of answers.

use std::sync::Arc;

use crate::config::{Counting, TokenCounter};

/// The counter for a way of counting.
pub(crate) fn counter(counting: Counting) -> TokenCounter {
    match counting {
        Counting::Bytes => Arc::new(|text| text.len().div_ceil(4)),
        Counting::Words => Arc::new(|text| text.split_whitespace().count()),
    }
}

/// Appends token `number` of an answer: a space and a word that tells its place, such as ` w17`.
pub(crate) fn push_word(out: &mut Vec<u8>, number: u64) {
    out.extend_from_slice(b" w");
    push_decimal(out, number);
}

/// Bytes that [`push_word`] appends.
pub(crate) fn word_len(number: u64) -> usize {
    3 + number.checked_ilog10().unwrap_or(0) as usize
}

fn push_decimal(out: &mut Vec<u8>, mut number: u64) {
    let mut digits = [0u8; 20];
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[at..]);
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
    fn words_tell_their_place_and_their_length() {
        for number in [0, 7, 9, 10, 99, 100, 12_345, u64::MAX] {
            let mut out = Vec::new();
            push_word(&mut out, number);
            assert_eq!(String::from_utf8(out.clone()).unwrap(), format!(" w{number}"));
            assert_eq!(out.len(), word_len(number));
        }
    }
}
