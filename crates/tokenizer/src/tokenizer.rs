//! The tokenizer as the other crates see it.

use std::fmt;
use std::sync::Arc;

use crate::builtin::Builtin;
use crate::byte_pair::encodings;
use crate::chat_template::{ChatTemplate, TemplateError};
use crate::config::TokenizerConfig;
use crate::engine::{Added, Engine};
use crate::hugging_face::HuggingFace;
use crate::{TokenizerError, files};

/// Turns text into tokens, without the special tokens that a server adds. Clones are cheap and share everything; all of
/// it may be used by several threads at once.
#[derive(Clone)]
pub struct Tokenizer {
    name: Arc<str>,
    is_builtin: bool,
    engine: Arc<dyn Engine>,
    template: Option<Arc<ChatTemplate>>,
    added: Added,
}

impl Tokenizer {
    /// The compiled-in tokenizer, OpenAI's o200k. Ready at once.
    #[must_use]
    pub fn builtin() -> Self {
        Self { is_builtin: true, ..Self::from_engine("builtin", Arc::new(Builtin::base()), None) }
    }

    /// One of OpenAI's encodings, all of which are compiled in: `o200k_base`, `o200k_harmony`, `cl100k_base`,
    /// `p50k_base`, `p50k_edit`, `r50k_base`, `gpt2`. None if the name is not one of them.
    #[must_use]
    pub fn encoding(name: &str) -> Option<Self> {
        let builtin = |engine| Some(Self { is_builtin: true, ..Self::from_engine(name, Arc::new(engine), None) });
        match name {
            "o200k_base" => builtin(Builtin::base()),
            "o200k_harmony" => builtin(Builtin::harmony()),
            _ => Some(Self::from_engine(name, Arc::new(encodings::named(name)?.ok()?), None)),
        }
    }

    /// A tokenizer from the text of a `tokenizer.json`. The name is what messages and reports call it.
    ///
    /// # Errors
    /// [`TokenizerError::Unreadable`] if the text does not describe a tokenizer, [`TokenizerError::Partial`] if the
    /// tokenizer cannot encode every text.
    pub fn from_json(name: &str, json: &[u8]) -> Result<Self, TokenizerError> {
        let tokenizer = HuggingFace::from_json(name, json, &TokenizerConfig::default())?;
        Ok(Self::from_engine(name, Arc::new(tokenizer), None))
    }

    /// A tokenizer from a file of any of the formats, with the `tokenizer_config.json` and the chat template that lie
    /// beside it.
    ///
    /// # Errors
    /// [`TokenizerError`] if the file does not describe a tokenizer or cannot be read.
    pub fn from_file(name: &str, file: &std::path::Path) -> Result<Self, TokenizerError> {
        files::load(name, file)
    }

    pub(crate) fn from_engine(name: &str, engine: Arc<dyn Engine>, template: Option<ChatTemplate>) -> Self {
        let added = engine.added();
        Self { name: name.into(), is_builtin: false, engine, template: template.map(Arc::new), added }
    }

    /// `builtin`, or the name, folder or file it was asked for by.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether its vocabulary is that of the compiled-in tokenizer.
    #[must_use]
    pub fn is_builtin(&self) -> bool {
        self.is_builtin
    }

    /// The tokens of a text, without special tokens.
    #[must_use]
    pub fn encode(&self, text: &str) -> Vec<u32> {
        self.engine.encode(text)
    }

    /// The tokens of a text in which special tokens are written out, as in a rendered chat template; none are added.
    #[must_use]
    pub fn encode_with_special(&self, text: &str) -> Vec<u32> {
        self.engine.encode_with_special(text)
    }

    /// The number of tokens of a text, without special tokens.
    #[must_use]
    pub fn count(&self, text: &str) -> usize {
        self.engine.count(text)
    }

    /// The text of tokens; tokens that the vocabulary lacks are left out. Bytes that make no character become U+FFFD, so
    /// a text is exact where it is encoded to the same tokens again.
    #[must_use]
    pub fn decode(&self, tokens: &[u32]) -> String {
        self.engine.decode(tokens)
    }

    /// How many special tokens (BOS, EOS) a server with this tokenizer adds to a plain text.
    #[must_use]
    pub fn special_tokens_added(&self) -> usize {
        self.added.count
    }

    /// The token that begins a text, if there is one; whether it is added is another question.
    #[must_use]
    pub fn bos(&self) -> Option<u32> {
        self.added.bos
    }

    /// The token that ends a text, if there is one.
    #[must_use]
    pub fn eos(&self) -> Option<u32> {
        self.added.eos
    }

    /// How many tokens there are, special ones included.
    #[must_use]
    pub fn vocabulary_size(&self) -> usize {
        self.engine.vocabulary_size()
    }

    /// All tokens that are not special, in rising order.
    #[must_use]
    pub fn ordinary_ids(&self) -> Vec<u32> {
        self.engine.ordinary_ids()
    }

    /// Whether a token is special: control tokens, and those for what is unknown.
    #[must_use]
    pub fn is_special(&self, token: u32) -> bool {
        self.engine.is_special(token)
    }

    /// The token of exactly this text as the vocabulary writes it, special or not.
    #[must_use]
    pub fn id_of(&self, token: &str) -> Option<u32> {
        self.engine.id_of(token)
    }

    /// The chat template that came with the tokenizer.
    #[must_use]
    pub fn chat_template(&self) -> Option<&ChatTemplate> {
        self.template.as_deref()
    }

    /// The number of tokens of a conversation as the chat template renders it, with what makes the model answer, and no
    /// special tokens but those that the template writes.
    ///
    /// # Errors
    /// [`TemplateError`] if there is no template, it is not valid, or it refuses the messages.
    pub fn count_chat(
        &self,
        messages: &serde_json::Value,
        tools: Option<&serde_json::Value>,
    ) -> Result<usize, TemplateError> {
        let template = self.chat_template().ok_or_else(|| TemplateError::Missing { name: self.name.to_string() })?;
        Ok(self.encode_with_special(&template.render(messages, tools, true)?).len())
    }
}

impl fmt::Debug for Tokenizer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Tokenizer").field(&self.name).finish()
    }
}
