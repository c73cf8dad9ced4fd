//! Character classes of the splitting pattern.

use super::format::BLOCK;

pub(super) use super::format::class::*;

/// Letters of any kind.
pub(super) const ANY_LETTER: u8 = UPPER | LOWER | CASELESS;
/// White space of any kind.
pub(super) const ANY_SPACE: u8 = NEWLINE | SPACE;

static BLOCKS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/class_blocks.bin"));
static INDEX: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/class_index.bin"));

/// The class of a character.
#[inline]
pub(super) fn class_of(character: char) -> u8 {
    let code = character as usize;
    if code < BLOCK {
        // ASCII comes first in the index, hence in the first block.
        return BLOCKS[code];
    }
    let at = code / BLOCK * 2;
    let block = usize::from(u16::from_le_bytes([INDEX[at], INDEX[at + 1]]));
    BLOCKS[block * BLOCK + code % BLOCK]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_have_their_class() {
        for (character, class) in [
            ('A', UPPER),
            ('ǅ', UPPER),
            ('z', LOWER),
            ('ß', LOWER),
            ('中', CASELESS),
            ('ʰ', CASELESS),
            ('\u{301}', MARK),
            ('7', NUMBER),
            ('½', NUMBER),
            ('\r', NEWLINE),
            ('\n', NEWLINE),
            (' ', SPACE),
            ('\u{a0}', SPACE),
            ('\u{3000}', SPACE),
            ('!', OTHER),
            ('😀', OTHER),
            ('\u{10ffff}', OTHER),
        ] {
            assert_eq!(class_of(character), class, "{character:?}");
        }
    }

    #[test]
    fn white_space_is_that_of_the_standard_library() {
        for character in '\0'..=char::MAX {
            assert_eq!(class_of(character) & ANY_SPACE != 0, character.is_whitespace(), "{character:?}");
        }
    }
}
