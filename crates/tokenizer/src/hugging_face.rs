//! Tokenizers of Hugging Face's `tokenizer.json` format.

use rustc_hash::FxHashSet;
use tokenizers::models::bpe::BPE;
use tokenizers::{
    DecoderWrapper, Encoding, NormalizerWrapper, PostProcessor, PostProcessorWrapper, PreTokenizerWrapper, Tokenizer,
    TokenizerImpl,
};

use crate::TokenizerError;
use crate::byte_level::ByteLevel;
use crate::config::TokenizerConfig;
use crate::engine::{Added, Engine};

/// A loaded `tokenizer.json`.
pub(crate) struct HuggingFace {
    tokenizer: Tokenizer,
    byte_level: Option<ByteLevel>,
    special: FxHashSet<u32>,
    added: Added,
}

impl HuggingFace {
    pub(crate) fn from_json(name: &str, json: &[u8], config: &TokenizerConfig) -> Result<Self, TokenizerError> {
        let unreadable = |reason: String| TokenizerError::Unreadable { name: name.to_owned(), reason };
        let mut tokenizer = parse(json).map_err(|error| unreadable(error.to_string()))?;
        // Files often carry the settings of the training; a count is that of the whole text and of nothing else.
        tokenizer.with_truncation(None).map_err(|error| unreadable(error.to_string()))?;
        tokenizer.with_padding(None);
        // A vocabulary without an unknown token fails on characters that it lacks. No vocabulary has this one.
        tokenizer
            .encode_fast("a \u{f8fe}", false)
            .map_err(|error| TokenizerError::Partial { name: name.to_owned(), reason: error.to_string() })?;
        let added_tokens = tokenizer.get_added_tokens_decoder();
        let special = added_tokens.into_iter().filter(|(_, token)| token.special).map(|(id, _)| id).collect();
        let added = added(&tokenizer, config);
        let byte_level = ByteLevel::of(&tokenizer);
        Ok(Self { tokenizer, byte_level, special, added })
    }

    /// Whether the short cut led to the end.
    fn short_cut(&self, text: &str, sink: impl FnMut(&[u32])) -> bool {
        let byte_level = self.byte_level.as_ref();
        byte_level.is_some_and(|it| it.for_each(self.tokenizer.get_model(), text, sink).is_ok())
    }

    /// The regular expressions of some files give up on texts that are made to defeat them; such a text is cut in two.
    fn encode_to(&self, text: &str, tokens: &mut Vec<u32>) {
        match self.tokenizer.encode_fast(text, false) {
            Ok(encoding) => tokens.extend_from_slice(encoding.get_ids()),
            Err(_) => {
                let middle = (1..=text.len() / 2).rev().find(|&at| text.is_char_boundary(at));
                if let Some(middle) = middle {
                    self.encode_to(&text[..middle], tokens);
                    self.encode_to(&text[middle..], tokens);
                }
            }
        }
    }
}

/// A tokenizer whose model is known to be byte-pair encoding.
type BytePairs = TokenizerImpl<BPE, NormalizerWrapper, PreTokenizerWrapper, PostProcessorWrapper, DecoderWrapper>;

/// Nearly all files are byte-pair encoding. Read as that they need not be kept in memory twice to find out what they are,
/// and load in half the time.
fn parse(json: &[u8]) -> tokenizers::Result<Tokenizer> {
    match serde_json::from_slice::<BytePairs>(json) {
        Ok(tokenizer) => Ok(tokenizer.into()),
        Err(_) => Tokenizer::from_bytes(json),
    }
}

/// What the file's post-processor adds. Its tokens at the ends are BOS and EOS unless the configuration names others.
fn added(tokenizer: &Tokenizer, config: &TokenizerConfig) -> Added {
    let ids = |encoding: tokenizers::Result<Encoding>| encoding.map(|it| it.get_ids().to_vec()).unwrap_or_default();
    let plain = ids(tokenizer.encode_fast("a", false));
    let whole = ids(tokenizer.encode_fast("a", true));
    let start = whole.windows(plain.len().max(1)).position(|window| window == plain);
    let (before, after) = start.map_or((None, None), |start| {
        let first = whole.first().filter(|_| start > 0);
        let last = whole.last().filter(|_| start + plain.len() < whole.len());
        (first.copied(), last.copied())
    });
    let id_of = |text: &Option<String>| tokenizer.token_to_id(text.as_deref()?);
    Added {
        count: tokenizer.get_post_processor().map_or(0, |processor| processor.added_tokens(false)),
        bos: id_of(&config.bos).or(before),
        eos: id_of(&config.eos).or(after),
    }
}

impl Engine for HuggingFace {
    fn encode(&self, text: &str) -> Vec<u32> {
        let mut tokens = Vec::new();
        if self.short_cut(text, |ids| tokens.extend_from_slice(ids)) {
            return tokens;
        }
        tokens.clear();
        self.encode_to(text, &mut tokens);
        tokens
    }

    fn count(&self, text: &str) -> usize {
        let mut count = 0;
        if self.short_cut(text, |ids| count += ids.len()) {
            return count;
        }
        match self.tokenizer.encode_fast(text, false) {
            Ok(encoding) => encoding.len(),
            Err(_) => self.encode(text).len(),
        }
    }

    /// The format knows no other way: special tokens in a text are always taken as what they are.
    fn encode_with_special(&self, text: &str) -> Vec<u32> {
        self.encode(text)
    }

    fn decode(&self, tokens: &[u32]) -> String {
        self.tokenizer.decode(tokens, false).unwrap_or_default()
    }

    fn vocabulary_size(&self) -> usize {
        self.tokenizer.get_vocab_size(true)
    }

    fn is_special(&self, token: u32) -> bool {
        self.special.contains(&token)
    }

    fn id_of(&self, token: &str) -> Option<u32> {
        self.tokenizer.token_to_id(token)
    }

    fn ordinary_ids(&self) -> Vec<u32> {
        let all = self.tokenizer.get_vocab(true);
        let mut ids: Vec<u32> = all.into_values().filter(|id| !self.special.contains(id)).collect();
        ids.sort_unstable();
        ids.dedup();
        ids
    }

    fn added(&self) -> Added {
        self.added
    }
}
