//! What happens to a text before it is cut into pieces: rules of normalization, spaces made visible and put in order.

use super::charsmap::Charsmap;
use super::symbols::UserDefined;

/// Stands for a space in pieces.
pub(super) const SPACE: &str = "\u{2581}";

/// The rules for a model.
pub(super) struct Normalizer {
    pub(super) charsmap: Option<Charsmap>,
    pub(super) add_dummy_prefix: bool,
    pub(super) remove_extra_whitespaces: bool,
    pub(super) escape_whitespaces: bool,
    pub(super) space_is_suffix: bool,
}

impl Normalizer {
    /// The normalized text. User-defined symbols stay as they are. `is_start`: a prefix that belongs to the beginning of
    /// a text is put here.
    pub(super) fn normalize(&self, text: &str, user_defined: &UserDefined, is_start: bool) -> Vec<u8> {
        let mut rest = text.as_bytes();
        if self.remove_extra_whitespaces {
            while !rest.is_empty() {
                let (length, replacement) = self.step(rest, user_defined);
                if replacement != b" " {
                    break;
                }
                rest = &rest[length..];
            }
        }
        if rest.is_empty() {
            return Vec::new();
        }
        let space = if self.escape_whitespaces { SPACE.as_bytes() } else { b" " };
        let mut out = Vec::with_capacity(rest.len() + rest.len() / 4 + space.len());
        let dummy = self.add_dummy_prefix && is_start;
        if dummy && !self.space_is_suffix {
            out.extend_from_slice(space);
        }
        let mut after_space = self.remove_extra_whitespaces;
        while !rest.is_empty() {
            let (length, mut replacement) = self.step(rest, user_defined);
            while after_space && let Some(stripped) = replacement.strip_prefix(b" ") {
                replacement = stripped;
            }
            if !replacement.is_empty() {
                for &byte in replacement {
                    if byte == b' ' {
                        out.extend_from_slice(space);
                    } else {
                        out.push(byte);
                    }
                }
                after_space = self.remove_extra_whitespaces && replacement.ends_with(b" ");
            }
            rest = &rest[length..];
        }
        if self.remove_extra_whitespaces {
            while out.ends_with(space) {
                out.truncate(out.len() - space.len());
            }
        }
        if dummy && self.space_is_suffix {
            out.extend_from_slice(space);
        }
        out
    }

    /// How many bytes are taken from the beginning of `rest`, and what they become.
    fn step<'a>(&'a self, rest: &'a [u8], user_defined: &UserDefined) -> (usize, &'a [u8]) {
        if let Some(length) = user_defined.longest_match(rest) {
            return (length, &rest[..length]);
        }
        if let Some(found) = self.charsmap.as_ref().and_then(|charsmap| charsmap.longest_match(rest)) {
            return found;
        }
        let length = character_length(rest);
        (length, &rest[..length])
    }
}

/// Bytes of the character that begins a text which is not empty.
#[inline]
pub(super) fn character_length(text: &[u8]) -> usize {
    let length = match text[0] {
        0xc0..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0.. => 4,
        _ => 1,
    };
    length.min(text.len())
}
