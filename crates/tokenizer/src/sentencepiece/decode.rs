//! From pieces back to text.

use super::model::Kind;
use super::normalize::{Normalizer, SPACE};
use super::vocabulary::Pieces;

/// The text of pieces. Control pieces and unknown numbers have none; the space that was put before the text is taken
/// away.
pub(super) fn decode(tokens: &[u32], pieces: &Pieces, normalizer: &Normalizer, unknown_surface: &str) -> String {
    let mut text = String::new();
    let mut bytes = Vec::new();
    let mut is_start = true;
    let mut took_space = false;
    for piece in tokens.iter().filter_map(|&token| pieces.get(token)) {
        if piece.kind == Kind::Byte {
            bytes.extend(byte_of(&piece.text));
            continue;
        }
        flush(&mut bytes, &mut text);
        if took_space || !text.is_empty() {
            is_start = false;
        }
        took_space = false;
        match piece.kind {
            Kind::Control => {}
            Kind::Unknown => text.push_str(unknown_surface),
            _ => {
                let mut piece = piece.text.as_str();
                let trims = normalizer.add_dummy_prefix || normalizer.remove_extra_whitespaces;
                if is_start
                    && trims
                    && let Some(rest) = piece.strip_prefix(SPACE)
                {
                    piece = rest;
                    // Where white space is put in order, all of it goes that begins the text.
                    took_space = !normalizer.remove_extra_whitespaces;
                }
                text.push_str(&piece.replace(SPACE, " "));
            }
        }
    }
    flush(&mut bytes, &mut text);
    text
}

/// The byte of a piece like `<0x0A>`.
fn byte_of(piece: &str) -> Option<u8> {
    u8::from_str_radix(piece.strip_prefix("<0x")?.strip_suffix('>')?, 16).ok()
}

/// Appends bytes as text; each byte that is no part of a character becomes U+FFFD.
fn flush(bytes: &mut Vec<u8>, text: &mut String) {
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|_| char::REPLACEMENT_CHARACTER));
    }
    bytes.clear();
}
