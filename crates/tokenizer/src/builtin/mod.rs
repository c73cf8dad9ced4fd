//! The compiled-in tokenizer: byte-pair encoding with OpenAI's o200k vocabulary (MIT licence), used in place.

mod classes;
pub(crate) mod format;
mod split;
mod vocabulary;

use std::sync::OnceLock;

use split::Pieces;
use vocabulary::bytes_of;
pub(super) use vocabulary::rank_of;

use crate::byte_pair::encodings::END_OF_PROMPT;
use crate::byte_pair::merge::merge;
use crate::engine::{Added, Engine};
use crate::special::{Part, Specials};

/// Its encodings, which differ in their special tokens alone.
pub(crate) struct Builtin {
    is_harmony: bool,
    specials: OnceLock<Specials>,
}

/// The number of ordinary tokens.
const ORDINARY: u32 = 199_998;

const END_OF_TEXT: (&str, u32) = ("<|endoftext|>", 199_999);

impl Builtin {
    /// `o200k_base`.
    pub(crate) fn base() -> Self {
        Self { is_harmony: false, specials: OnceLock::new() }
    }

    /// `o200k_harmony`, of gpt-oss.
    pub(crate) fn harmony() -> Self {
        Self { is_harmony: true, specials: OnceLock::new() }
    }

    /// Made when first used, for most runs need none.
    fn specials(&self) -> &Specials {
        self.specials.get_or_init(|| {
            let own = |(text, id): (&str, u32)| (text.to_owned(), id);
            if !self.is_harmony {
                return Specials::new([END_OF_TEXT, (END_OF_PROMPT, 200_018)].map(own));
            }
            let named = [
                ("<|startoftext|>", 199_998),
                END_OF_TEXT,
                ("<|return|>", 200_002),
                ("<|constrain|>", 200_003),
                ("<|channel|>", 200_005),
                ("<|start|>", 200_006),
                ("<|end|>", 200_007),
                ("<|message|>", 200_008),
                ("<|call|>", 200_012),
            ];
            let is_named = |id: &u32| named.iter().any(|(_, named)| named == id);
            let reserved = (200_000..=201_087).filter(|id| !is_named(id));
            Specials::new(named.map(own).into_iter().chain(reserved.map(|id| (format!("<|reserved_{id}|>"), id))))
        })
    }
}

impl Engine for Builtin {
    fn encode(&self, text: &str) -> Vec<u32> {
        let mut tokens = Vec::with_capacity(text.len() / 4 + 1);
        append(text, &mut tokens);
        tokens
    }

    fn count(&self, text: &str) -> usize {
        let mut merged = Vec::new();
        let mut count = 0;
        for piece in Pieces::new(text) {
            if rank_of(piece.as_bytes()).is_some() {
                count += 1;
            } else {
                merged.clear();
                merge(piece.as_bytes(), rank_of, &mut merged);
                count += merged.len();
            }
        }
        count
    }

    fn encode_with_special(&self, text: &str) -> Vec<u32> {
        let mut tokens = Vec::with_capacity(text.len() / 4 + 1);
        for part in self.specials().parts(text) {
            match part {
                Part::Text(text) => append(text, &mut tokens),
                Part::Special(token) => tokens.push(token),
            }
        }
        tokens
    }

    /// Bytes that are no UTF-8 become U+FFFD.
    fn decode(&self, tokens: &[u32]) -> String {
        let special = |token: u32| self.specials().text_of(token).map(str::as_bytes);
        let bytes_of = |&token: &u32| bytes_of(token).or_else(|| special(token));
        let bytes: Vec<u8> = tokens.iter().filter_map(bytes_of).flatten().copied().collect();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    fn vocabulary_size(&self) -> usize {
        ORDINARY as usize + self.specials().len()
    }

    fn is_special(&self, token: u32) -> bool {
        self.specials().contains(token)
    }

    fn id_of(&self, token: &str) -> Option<u32> {
        self.specials().id_of(token).or_else(|| rank_of(token.as_bytes()))
    }

    fn ordinary_ids(&self) -> Vec<u32> {
        (0..ORDINARY).collect()
    }

    fn added(&self) -> Added {
        let bos = self.is_harmony.then_some(199_998);
        Added { count: 0, bos, eos: Some(if self.is_harmony { 200_002 } else { END_OF_TEXT.1 }) }
    }
}

/// Special tokens are treated as the ordinary text that they look like.
fn append(text: &str, tokens: &mut Vec<u32>) {
    for piece in Pieces::new(text) {
        match rank_of(piece.as_bytes()) {
            Some(rank) => tokens.push(rank),
            None => merge(piece.as_bytes(), rank_of, tokens),
        }
    }
}
