//! Tokenizers: the compiled-in one and those of Hugging Face's `tokenizer.json`.

mod builtin;
mod error;
mod hub_cache;
mod hugging_face;
mod resolve;

use std::fmt;
use std::sync::Arc;

pub use error::TokenizerError;
pub use hub_cache::HubCache;
pub use resolve::{Resolved, resolve, resolve_with};

/// Turns text into tokens, without the special tokens that a server adds. Clones are cheap and share everything.
#[derive(Clone)]
pub struct Tokenizer {
    name: Arc<str>,
    kind: Kind,
}

#[derive(Clone)]
enum Kind {
    Builtin,
    HuggingFace(Arc<hugging_face::HuggingFace>),
}

impl Tokenizer {
    /// The compiled-in tokenizer, OpenAI's o200k. Ready at once.
    #[must_use]
    pub fn builtin() -> Self {
        Self { name: "builtin".into(), kind: Kind::Builtin }
    }

    /// A tokenizer from the text of a `tokenizer.json`. The name is what messages and reports call it.
    ///
    /// # Errors
    /// [`TokenizerError::Unreadable`] if the text does not describe a tokenizer, [`TokenizerError::Partial`] if the
    /// tokenizer cannot encode every text.
    pub fn from_json(name: &str, json: &[u8]) -> Result<Self, TokenizerError> {
        let tokenizer = hugging_face::HuggingFace::from_json(name, json)?;
        Ok(Self { name: name.into(), kind: Kind::HuggingFace(Arc::new(tokenizer)) })
    }

    /// `builtin`, or the name, folder or file it was asked for by.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether it is the compiled-in tokenizer.
    #[must_use]
    pub fn is_builtin(&self) -> bool {
        matches!(self.kind, Kind::Builtin)
    }

    /// The tokens of a text, without special tokens.
    #[must_use]
    pub fn encode(&self, text: &str) -> Vec<u32> {
        match &self.kind {
            Kind::Builtin => builtin::encode(text),
            Kind::HuggingFace(tokenizer) => tokenizer.encode(text),
        }
    }

    /// The number of tokens of a text, without special tokens.
    #[must_use]
    pub fn count(&self, text: &str) -> usize {
        match &self.kind {
            Kind::Builtin => builtin::count(text),
            Kind::HuggingFace(tokenizer) => tokenizer.count(text),
        }
    }

    /// The text of tokens; tokens that the vocabulary lacks are left out.
    #[must_use]
    pub fn decode(&self, tokens: &[u32]) -> String {
        match &self.kind {
            Kind::Builtin => builtin::decode(tokens),
            Kind::HuggingFace(tokenizer) => tokenizer.decode(tokens),
        }
    }
}

impl fmt::Debug for Tokenizer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Tokenizer").field(&self.name).finish()
    }
}
