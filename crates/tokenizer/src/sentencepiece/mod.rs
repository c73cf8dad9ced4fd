//! Tokenizers of Google's sentencepiece: models of both kinds (unigram and BPE), cut exactly as its library cuts.

mod bpe;
mod charsmap;
mod decode;
mod model;
mod normalize;
mod proto;
mod symbols;
mod unigram;
mod vocabulary;

pub(crate) use model::is_sentencepiece;
use model::{Kind, Method, Model};
use normalize::Normalizer;
use vocabulary::Pieces;

use crate::config::TokenizerConfig;
use crate::engine::{Added, Engine};
use crate::special::{Part, Specials};

/// A loaded model.
pub(crate) struct SentencePiece {
    pieces: Pieces,
    normalizer: Normalizer,
    method: Cut,
    unknown_surface: String,
    /// Control pieces, and those that the configuration adds.
    specials: Specials,
    /// Every part between special tokens begins like a text.
    each_part_begins: bool,
    added: Added,
}

enum Cut {
    Bpe,
    Unigram(unigram::Trie),
}

impl SentencePiece {
    /// # Errors
    /// What is wrong with the file.
    pub(crate) fn from_bytes(content: &[u8], config: &TokenizerConfig) -> Result<Self, String> {
        let model = Model::parse(content)?;
        if model.has_denormalizer {
            return Err("it changes decoded text by rules of its own, which is not supported".to_owned());
        }
        let charsmap = charsmap::Charsmap::parse(&model.normalizer.charsmap)?;
        let normalizer = Normalizer {
            charsmap,
            add_dummy_prefix: model.normalizer.add_dummy_prefix,
            remove_extra_whitespaces: model.normalizer.remove_extra_whitespaces,
            escape_whitespaces: model.normalizer.escape_whitespaces,
            space_is_suffix: model.space_is_suffix,
        };
        let pieces = Pieces::new(model.pieces, model.byte_fallback)?;
        let method = match model.method {
            Method::Bpe => Cut::Bpe,
            Method::Unigram => {
                let is_ordinary = |kind| matches!(kind, Kind::Normal | Kind::UserDefined | Kind::Unused);
                let ordinary = pieces.iter().filter(|(_, piece)| is_ordinary(piece.kind));
                Cut::Unigram(unigram::Trie::new(ordinary.map(|(id, piece)| (piece.text.as_str(), id))))
            }
        };
        let control = pieces.iter().filter(|(_, piece)| piece.kind == Kind::Control);
        let control = control.map(|(id, piece)| (piece.text.clone(), id));
        let named = config.added_tokens.iter().filter(|token| token.special);
        let specials = Specials::new(control.chain(named.map(|token| (token.content.clone(), token.id))));
        let id_of = |text: &Option<String>| specials.id_of(text.as_deref()?);
        let bos = id_of(&config.bos).or(model.bos);
        let eos = id_of(&config.eos).or(model.eos);
        let added = Added { count: count_added(model.method, config, bos, eos), bos, eos };
        let unknown_surface = model.unknown_surface;
        let each_part_begins = !config.only_start_has_prefix;
        Ok(Self { pieces, normalizer, method, unknown_surface, specials, each_part_begins, added })
    }

    fn append(&self, text: &str, is_start: bool, tokens: &mut Vec<u32>) {
        let normalized = self.normalizer.normalize(text, &self.pieces.user_defined, is_start);
        let mut after_unknown = false;
        let piece = |piece: &[u8], id: Option<u32>| {
            let id = id.unwrap_or(self.pieces.unknown);
            let is_unknown = id == self.pieces.unknown;
            match &self.pieces.bytes {
                Some(bytes) if is_unknown => tokens.extend(piece.iter().map(|&byte| bytes[usize::from(byte)])),
                // A run of unknown pieces is one.
                _ if is_unknown && after_unknown => {}
                _ => tokens.push(id),
            }
            after_unknown = is_unknown;
        };
        match &self.method {
            Cut::Bpe => bpe::cut(&normalized, &self.pieces, piece),
            Cut::Unigram(trie) => unigram::cut(&normalized, &self.pieces, trie, piece),
        }
    }
}

/// How many special tokens are added to a text. The model does not say it. Where the configuration does not either, it
/// is what the class of the tokenizer does by default; without a class, BOS before a text for BPE (as Llama and Mistral)
/// and EOS after it for unigram models without BOS (as T5).
fn count_added(method: Method, config: &TokenizerConfig, bos: Option<u32>, eos: Option<u32>) -> usize {
    let (with_bos, with_eos) = match config.class.as_deref() {
        Some("LlamaTokenizer" | "CodeLlamaTokenizer" | "GemmaTokenizer") => (true, false),
        Some("T5Tokenizer" | "MT5Tokenizer") => (false, true),
        Some("AlbertTokenizer" | "CamembertTokenizer" | "XLMRobertaTokenizer" | "XLNetTokenizer") => (true, true),
        _ => (method == Method::Bpe, method == Method::Unigram && bos.is_none()),
    };
    let adds_bos = bos.is_some() && config.adds_bos.unwrap_or(with_bos);
    let adds_eos = eos.is_some() && config.adds_eos.unwrap_or(with_eos);
    usize::from(adds_bos) + usize::from(adds_eos)
}

impl Engine for SentencePiece {
    fn encode(&self, text: &str) -> Vec<u32> {
        let mut tokens = Vec::with_capacity(text.len() / 3 + 1);
        self.append(text, true, &mut tokens);
        tokens
    }

    fn encode_with_special(&self, text: &str) -> Vec<u32> {
        let mut tokens = Vec::with_capacity(text.len() / 3 + 1);
        for (number, part) in self.specials.parts(text).into_iter().enumerate() {
            match part {
                Part::Text(text) => self.append(text, number == 0 || self.each_part_begins, &mut tokens),
                Part::Special(token) => tokens.push(token),
            }
        }
        tokens
    }

    fn decode(&self, tokens: &[u32]) -> String {
        decode::decode(tokens, &self.pieces, &self.normalizer, &self.unknown_surface)
    }

    fn vocabulary_size(&self) -> usize {
        self.pieces.len()
    }

    fn is_special(&self, token: u32) -> bool {
        let kind = self.pieces.get(token).map(|piece| piece.kind);
        self.specials.contains(token) || matches!(kind, Some(Kind::Control | Kind::Unknown | Kind::Unused))
    }

    fn id_of(&self, token: &str) -> Option<u32> {
        self.specials.id_of(token).or_else(|| self.pieces.id_of(token.as_bytes()))
    }

    fn ordinary_ids(&self) -> Vec<u32> {
        (0..self.pieces.len() as u32).filter(|&id| !self.is_special(id)).collect()
    }

    fn added(&self) -> Added {
        self.added
    }
}
