//! Cuts text into the pieces that are tokenized one by one.
//!
//! The pattern of o200k, alternatives in order of preference:
//!
//! 1. `[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?`
//! 2. `[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?`
//! 3. `\p{N}{1,3}`
//! 4. ` ?[^\s\p{L}\p{N}]+[\r\n/]*`
//! 5. `\s*[\r\n]+`
//! 6. `\s+(?!\S)`
//! 7. `\s+`
//!
//! It is written out by hand, because compiling it takes longer than the program may take to start.

use super::classes::{ANY_LETTER, ANY_SPACE, CASELESS, LOWER, MARK, NEWLINE, NUMBER, OTHER, UPPER, class_of};

/// What a word may begin with: all that the first character class of alternative 1 and 2 admits.
const PREFIX: u8 = !(NEWLINE | ANY_LETTER | NUMBER);
/// The first part of a word.
const HEAD: u8 = UPPER | CASELESS | MARK;
/// The second part of a word.
const TAIL: u8 = LOWER | CASELESS | MARK;
/// Symbols of alternative 4.
const SYMBOL: u8 = MARK | OTHER;

/// The pieces of a text; together they are the text.
#[derive(Clone, Debug)]
pub(super) struct Pieces<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Pieces<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }
}

impl<'a> Iterator for Pieces<'a> {
    type Item = &'a str;

    #[inline]
    fn next(&mut self) -> Option<&'a str> {
        let start = self.at;
        let end = piece_end(self.text, start)?;
        self.at = end;
        Some(&self.text[start..end])
    }
}

/// Where the piece that begins at `start` ends; `None` at the end of the text.
fn piece_end(text: &str, start: usize) -> Option<usize> {
    let (first, first_end) = class_at(text, start)?;
    if let Some(end) = word_end(text, start, first, first_end) {
        return Some(contraction_end(text, end));
    }
    if first == NUMBER {
        return Some(number_end(text, first_end));
    }
    let symbols = if text.as_bytes()[start] == b' ' { first_end } else { start };
    let symbols_end = run_end(text, symbols, SYMBOL);
    if symbols_end > symbols {
        let rest = &text.as_bytes()[symbols_end..];
        let trailing = rest.iter().take_while(|byte| matches!(byte, b'\r' | b'\n' | b'/')).count();
        return Some(symbols_end + trailing);
    }
    Some(space_end(text, start))
}

/// Alternatives 1 and 2 without the contraction.
#[inline]
fn word_end(text: &str, start: usize, first: u8, first_end: usize) -> Option<usize> {
    let prefixed = (first & PREFIX != 0).then_some(first_end);
    prefixed
        .and_then(|from| lower_word_end(text, from))
        .or_else(|| lower_word_end(text, start))
        .or_else(|| prefixed.and_then(|from| upper_word_end(text, from)))
        .or_else(|| upper_word_end(text, start))
}

/// `HEAD*TAIL+`.
#[inline]
fn lower_word_end(text: &str, from: usize) -> Option<usize> {
    let mut at = from;
    // Without a lowercase letter after the head, the head gives back what follows its last character that is also of
    // the tail.
    let mut end_of_both = None;
    while let Some((class, end)) = class_at(text, at) {
        if class == LOWER {
            return Some(run_end(text, end, TAIL));
        }
        if class & HEAD == 0 {
            break;
        }
        if class & TAIL != 0 {
            end_of_both = Some(end);
        }
        at = end;
    }
    end_of_both
}

/// `HEAD+TAIL*`.
#[inline]
fn upper_word_end(text: &str, from: usize) -> Option<usize> {
    let head_end = run_end(text, from, HEAD);
    (head_end > from).then(|| run_end(text, head_end, TAIL))
}

/// `(?i:'s|'t|'re|'ve|'m|'ll|'d)?`
#[inline]
fn contraction_end(text: &str, at: usize) -> usize {
    let rest = &text.as_bytes()[at..];
    if rest.first() != Some(&b'\'') {
        return at;
    }
    let length = match &rest[1..] {
        [b's' | b'S' | b't' | b'T' | b'm' | b'M' | b'd' | b'D', ..] => 2,
        [b'r' | b'R' | b'v' | b'V', b'e' | b'E', ..] | [b'l' | b'L', b'l' | b'L', ..] => 3,
        // The long s is an s to a pattern that ignores case.
        [0xc5, 0xbf, ..] => 3,
        _ => 0,
    };
    at + length
}

/// `\p{N}{1,3}` after its first character.
#[inline]
fn number_end(text: &str, first_end: usize) -> usize {
    let mut end = first_end;
    for _ in 0..2 {
        match class_at(text, end) {
            Some((NUMBER, next)) => end = next,
            _ => break,
        }
    }
    end
}

/// Alternatives 5 to 7; there is white space at `start`.
fn space_end(text: &str, start: usize) -> usize {
    let mut end = start;
    let mut last_start = start;
    let mut newline_end = None;
    while let Some((class, next)) = class_at(text, end) {
        if class & ANY_SPACE == 0 {
            break;
        }
        if class == NEWLINE {
            newline_end = Some(next);
        }
        last_start = end;
        end = next;
    }
    if let Some(newline_end) = newline_end {
        return newline_end;
    }
    // The last space goes with what follows, unless it is the only one.
    if end < text.len() && last_start > start { last_start } else { end }
}

/// The end of the run of characters of the given classes.
#[inline]
fn run_end(text: &str, from: usize, classes: u8) -> usize {
    let mut end = from;
    while let Some((class, next)) = class_at(text, end) {
        if class & classes == 0 {
            break;
        }
        end = next;
    }
    end
}

/// Class and end of the character at a position.
#[inline]
fn class_at(text: &str, at: usize) -> Option<(u8, usize)> {
    let &byte = text.as_bytes().get(at)?;
    if byte < 0x80 {
        return Some((class_of(char::from(byte)), at + 1));
    }
    let character = text[at..].chars().next()?;
    Some((class_of(character), at + character.len_utf8()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(text: &str) -> Vec<&str> {
        Pieces::new(text).collect()
    }

    #[test]
    fn words_take_one_character_before_them() {
        assert_eq!(pieces("Hello, world!"), ["Hello", ",", " world", "!"]);
        assert_eq!(pieces("a  b"), ["a", " ", " b"]);
        assert_eq!(pieces("camelCaseHTTPServer"), ["camel", "Case", "HTTPServer"]);
    }

    #[test]
    fn contractions_stay_with_their_word() {
        assert_eq!(
            pieces("I'll don't SHE'S it'\u{17f} o'clock"),
            ["I'll", " don't", " SHE'S", " it'\u{17f}", " o", "'clock"]
        );
    }

    #[test]
    fn numbers_are_cut_into_threes() {
        assert_eq!(pieces("1234567 89"), ["123", "456", "7", " ", "89"]);
    }

    #[test]
    fn white_space_keeps_its_last_character_for_the_next_piece() {
        assert_eq!(pieces("a \n\n  b\t"), ["a", " \n\n", " ", " b", "\t"]);
        assert_eq!(pieces("x;\n\ny"), ["x", ";\n\n", "y"]);
        assert_eq!(pieces("   "), ["   "]);
    }

    #[test]
    fn marks_end_a_word_of_capitals() {
        assert_eq!(pieces("A\u{301}BC"), ["A\u{301}", "BC"]);
    }
}
