//! The compiled-in tokenizer: byte-pair encoding with OpenAI's o200k vocabulary (MIT licence), used in place.

mod classes;
mod format;
mod merge;
mod split;
mod vocabulary;

use merge::merge;
use split::Pieces;
use vocabulary::{bytes_of, rank_of};

/// The tokens of a text. Special tokens are treated as the ordinary text that they look like.
pub(super) fn encode(text: &str) -> Vec<u32> {
    let mut tokens = Vec::with_capacity(text.len() / 4 + 1);
    for piece in Pieces::new(text) {
        match rank_of(piece.as_bytes()) {
            Some(rank) => tokens.push(rank),
            None => merge(piece.as_bytes(), &mut tokens),
        }
    }
    tokens
}

/// The number of tokens of a text.
pub(super) fn count(text: &str) -> usize {
    let mut merged = Vec::new();
    let mut count = 0;
    for piece in Pieces::new(text) {
        if rank_of(piece.as_bytes()).is_some() {
            count += 1;
        } else {
            merged.clear();
            merge(piece.as_bytes(), &mut merged);
            count += merged.len();
        }
    }
    count
}

/// The text of tokens. Unknown tokens have none; bytes that are no UTF-8 become U+FFFD.
pub(super) fn decode(tokens: &[u32]) -> String {
    let bytes: Vec<u8> = tokens.iter().filter_map(|&token| bytes_of(token)).flatten().copied().collect();
    String::from_utf8_lossy(&bytes).into_owned()
}
