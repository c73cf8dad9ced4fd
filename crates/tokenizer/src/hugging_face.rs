//! Tokenizers of Hugging Face's `tokenizer.json` format.

use tokenizers::{Encoding, Tokenizer};

use crate::TokenizerError;

/// A loaded `tokenizer.json`.
pub(super) struct HuggingFace(Tokenizer);

impl HuggingFace {
    pub(super) fn from_json(name: &str, json: &[u8]) -> Result<Self, TokenizerError> {
        let unreadable = |reason: String| TokenizerError::Unreadable { name: name.to_owned(), reason };
        let mut tokenizer = Tokenizer::from_bytes(json).map_err(|error| unreadable(error.to_string()))?;
        // Files often carry the settings of the training; a count is that of the whole text and of nothing else.
        tokenizer.with_truncation(None).map_err(|error| unreadable(error.to_string()))?;
        tokenizer.with_padding(None);
        // A vocabulary without an unknown token fails on characters that it lacks. No vocabulary has this one.
        tokenizer
            .encode_fast("a \u{f8fe}", false)
            .map_err(|error| TokenizerError::Partial { name: name.to_owned(), reason: error.to_string() })?;
        Ok(Self(tokenizer))
    }

    pub(super) fn encode(&self, text: &str) -> Vec<u32> {
        self.encoding(text).get_ids().to_vec()
    }

    pub(super) fn count(&self, text: &str) -> usize {
        self.encoding(text).len()
    }

    /// It does not fail on text: that was tried when it was loaded.
    fn encoding(&self, text: &str) -> Encoding {
        self.0.encode_fast(text, false).unwrap_or_default()
    }

    pub(super) fn decode(&self, tokens: &[u32]) -> String {
        self.0.decode(tokens, false).unwrap_or_default()
    }
}
