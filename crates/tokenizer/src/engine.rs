//! What every kind of tokenizer can do.

/// The special tokens that a tokenizer adds to a plain text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Added {
    /// How many are added to one text.
    pub(crate) count: usize,
    /// The token that begins a text, added or not.
    pub(crate) bos: Option<u32>,
    /// The token that ends a text, added or not.
    pub(crate) eos: Option<u32>,
}

/// A vocabulary and the rules that cut text into its tokens. Nothing here fails on any text.
pub(crate) trait Engine: Send + Sync {
    /// The tokens of a text, none added.
    fn encode(&self, text: &str) -> Vec<u32>;

    /// How many tokens [`Engine::encode`] gives.
    fn count(&self, text: &str) -> usize {
        self.encode(text).len()
    }

    /// The tokens of a text in which special tokens are written out, none added.
    fn encode_with_special(&self, text: &str) -> Vec<u32>;

    /// The text of tokens; unknown ones have none.
    fn decode(&self, tokens: &[u32]) -> String;

    /// How many tokens there are, special ones included.
    fn vocabulary_size(&self) -> usize;

    /// Whether text never turns into this token by itself.
    fn is_special(&self, token: u32) -> bool;

    /// The token of exactly this text, special or not.
    fn id_of(&self, token: &str) -> Option<u32>;

    /// Every token that is not special, in rising order.
    fn ordinary_ids(&self) -> Vec<u32>;

    /// What is added to a plain text, as far as the vocabulary itself says.
    fn added(&self) -> Added;
}
