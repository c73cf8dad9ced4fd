//! Byte-pair encoding by ranks over pieces of text, as tiktoken does it: OpenAI's encodings, `*.tiktoken` files and
//! Mistral's tekken.

pub(crate) mod encodings;
pub(crate) mod merge;
mod patterns;
pub(crate) mod splitter;
pub(crate) mod tekken;
pub(crate) mod tiktoken;
pub(crate) mod vocabulary;

use std::borrow::Cow;

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

pub(crate) use patterns::QWEN as QWEN_PATTERN;

use crate::engine::{Added, Engine};
use crate::special::{Part, Specials};
use merge::merge;
use splitter::Splitter;
use vocabulary::Vocabulary;

/// A vocabulary of byte strings and the pattern that cuts text into pieces.
pub(crate) struct BytePair {
    vocabulary: Vocabulary,
    /// The token of rank 0; special tokens may come before it.
    first_id: u32,
    splitter: Splitter,
    specials: Specials,
    /// Text is brought into normal form C first.
    composes: bool,
    added: Added,
}

impl BytePair {
    fn composed<'a>(&self, text: &'a str) -> Cow<'a, str> {
        if self.composes && is_nfc_quick(text.chars()) != IsNormalized::Yes {
            text.nfc().collect::<String>().into()
        } else {
            text.into()
        }
    }

    fn append(&self, text: &str, tokens: &mut Vec<u32>) {
        let from = tokens.len();
        self.splitter.for_each(text, |piece| match self.vocabulary.id_of(piece.as_bytes()) {
            Some(rank) => tokens.push(rank),
            None => merge(piece.as_bytes(), |bytes| self.vocabulary.id_of(bytes), tokens),
        });
        for token in &mut tokens[from..] {
            *token += self.first_id;
        }
    }

    fn bytes_of(&self, token: u32) -> Option<&[u8]> {
        match self.specials.text_of(token) {
            Some(text) => Some(text.as_bytes()),
            None => self.vocabulary.bytes_of(token.checked_sub(self.first_id)?),
        }
    }
}

impl Engine for BytePair {
    fn encode(&self, text: &str) -> Vec<u32> {
        let mut tokens = Vec::with_capacity(text.len() / 4 + 1);
        self.append(&self.composed(text), &mut tokens);
        tokens
    }

    fn encode_with_special(&self, text: &str) -> Vec<u32> {
        let mut tokens = Vec::with_capacity(text.len() / 4 + 1);
        for part in self.specials.parts(&self.composed(text)) {
            match part {
                Part::Text(text) => self.append(text, &mut tokens),
                Part::Special(token) => tokens.push(token),
            }
        }
        tokens
    }

    fn decode(&self, tokens: &[u32]) -> String {
        let bytes: Vec<u8> = tokens.iter().filter_map(|&token| self.bytes_of(token)).flatten().copied().collect();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    fn vocabulary_size(&self) -> usize {
        self.vocabulary.len() + self.specials.len()
    }

    fn is_special(&self, token: u32) -> bool {
        self.specials.contains(token)
    }

    fn id_of(&self, token: &str) -> Option<u32> {
        let ordinary = || self.vocabulary.id_of(token.as_bytes()).map(|rank| rank + self.first_id);
        self.specials.id_of(token).or_else(ordinary)
    }

    fn ordinary_ids(&self) -> Vec<u32> {
        self.vocabulary.ids().map(|rank| rank + self.first_id).collect()
    }

    fn added(&self) -> Added {
        self.added
    }
}
