//! A short cut for the commonest kind of `tokenizer.json`: byte-pair encoding over bytes (GPT-2, Llama 3, Qwen, DeepSeek,
//! gpt-oss). The library spends nearly all its time on cutting text into pieces; here the linear splitter does that, and
//! pieces that were met before are looked up. Only new pieces go to the library's model, so that the tokens are its own.

use std::borrow::Cow;
use std::sync::{PoisonError, RwLock};

use rustc_hash::FxHashMap;
use serde_json::Value;
use tokenizers::{Model, ModelWrapper, Tokenizer};
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

use crate::byte_pair::splitter::Splitter;
use crate::special::{Part, Specials};

/// Pieces that are kept, and the longest of them in bytes: enough for all words of a language, and 30 MB at the most.
const MOST_PIECES: usize = 1 << 17;
const LONGEST_PIECE: usize = 64;

/// The pattern that stands for itself where a file names none.
const GPT2: &str = r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+";

/// The short cut for one file.
pub(crate) struct ByteLevel {
    /// Added tokens that are found before the text is normalized, and those that are found after.
    raw: Specials,
    normalized: Specials,
    composes: bool,
    /// Each cuts the pieces of the one before it.
    splitters: Vec<Splitter>,
    known: RwLock<FxHashMap<Box<str>, Box<[u32]>>>,
}

/// The model failed on a piece.
pub(crate) struct Failed;

impl ByteLevel {
    /// None if the file does anything that is not known here.
    pub(crate) fn of(tokenizer: &Tokenizer) -> Option<Self> {
        let ModelWrapper::BPE(model) = tokenizer.get_model() else { return None };
        if model.dropout.is_some() || tokenizer.get_added_vocabulary().get_encode_special_tokens() {
            return None;
        }
        let composes = match tokenizer.get_normalizer().map(serde_json::to_value) {
            None => false,
            Some(Ok(normalizer)) if normalizer["type"] == "NFC" => true,
            Some(Ok(normalizer)) if normalizer["normalizers"].as_array().is_some_and(Vec::is_empty) => false,
            Some(_) => return None,
        };
        let patterns = patterns(&serde_json::to_value(tokenizer.get_pre_tokenizer()?).ok()?)?;
        let splitters = patterns.iter().map(|pattern| Splitter::new(pattern).ok()).collect::<Option<_>>()?;
        let added = tokenizer.get_added_tokens_decoder();
        let is_odd = |token: &tokenizers::AddedToken| {
            let may_change = composes && token.normalized && !token.content.is_ascii();
            token.lstrip || token.rstrip || token.single_word || may_change
        };
        if added.values().any(is_odd) {
            return None;
        }
        let texts = |normalized: bool| {
            let wanted = added.iter().filter(move |(_, token)| token.normalized == normalized);
            Specials::new(wanted.map(|(id, token)| (token.content.clone(), *id)))
        };
        let (raw, normalized) = (texts(false), texts(true));
        Some(Self { raw, normalized, composes, splitters, known: RwLock::default() })
    }

    /// Hands over the tokens of a text in stretches.
    pub(crate) fn for_each(
        &self,
        model: &ModelWrapper,
        text: &str,
        mut sink: impl FnMut(&[u32]),
    ) -> Result<(), Failed> {
        let mut new = Vec::new();
        {
            let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
            for part in self.raw.parts(text) {
                let text = match part {
                    Part::Special(id) => {
                        sink(&[id]);
                        continue;
                    }
                    Part::Text(text) => self.composed(text),
                };
                for part in self.normalized.parts(&text) {
                    let text = match part {
                        Part::Special(id) => {
                            sink(&[id]);
                            continue;
                        }
                        Part::Text(text) => text,
                    };
                    self.split(text, &mut |piece| {
                        if let Some(ids) = known.get(piece) {
                            sink(ids);
                            return Ok(());
                        }
                        let ids = ids_of(model, piece)?;
                        sink(&ids);
                        if piece.len() <= LONGEST_PIECE {
                            new.push((Box::from(piece), ids));
                        }
                        Ok(())
                    })?;
                }
            }
        }
        if !new.is_empty() {
            let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
            let room = MOST_PIECES.saturating_sub(known.len());
            known.extend(new.into_iter().take(room));
        }
        Ok(())
    }

    fn composed<'a>(&self, text: &'a str) -> Cow<'a, str> {
        if self.composes && is_nfc_quick(text.chars()) != IsNormalized::Yes {
            text.nfc().collect::<String>().into()
        } else {
            text.into()
        }
    }

    fn split(&self, text: &str, piece: &mut impl FnMut(&str) -> Result<(), Failed>) -> Result<(), Failed> {
        match self.splitters.as_slice() {
            [splitter] => {
                let mut result = Ok(());
                splitter.for_each_and_between(text, |part| {
                    if result.is_ok() {
                        result = piece(part);
                    }
                });
                result
            }
            splitters => {
                let mut pieces = vec![text];
                for splitter in splitters {
                    let mut finer = Vec::with_capacity(pieces.len() * 2);
                    for piece in pieces {
                        splitter.for_each_and_between(piece, |part| finer.push(part));
                    }
                    pieces = finer;
                }
                pieces.into_iter().try_for_each(piece)
            }
        }
    }
}

/// The splitting patterns of a pre-tokenizer that ends in bytes.
fn patterns(pre_tokenizer: &Value) -> Option<Vec<String>> {
    let is_bytes = |step: &Value, use_regex: bool| {
        step["type"] == "ByteLevel" && step["add_prefix_space"] == false && step["use_regex"] == use_regex
    };
    if is_bytes(pre_tokenizer, true) {
        return Some(vec![GPT2.to_owned()]);
    }
    let (bytes, splits) = pre_tokenizer["pretokenizers"].as_array()?.split_last()?;
    let pattern = |step: &Value| {
        let is_split = step["type"] == "Split" && step["behavior"] == "Isolated" && step["invert"] == false;
        step["pattern"]["Regex"].as_str().filter(|_| is_split).map(str::to_owned)
    };
    splits.iter().map(pattern).collect::<Option<Vec<_>>>().filter(|splits| is_bytes(bytes, false) && !splits.is_empty())
}

fn ids_of(model: &ModelWrapper, piece: &str) -> Result<Box<[u32]>, Failed> {
    let visible: String = piece.bytes().map(visible).collect();
    let tokens = model.tokenize(&visible).map_err(|_| Failed)?;
    Ok(tokens.into_iter().map(|token| token.id).collect())
}

/// How such vocabularies write a byte: itself if it is visible in Latin-1, else a character from U+0100 on.
fn visible(byte: u8) -> char {
    let code = match byte {
        b'!'..=b'~' | 0xa1..=0xac | 0xae.. => u32::from(byte),
        0..=b' ' => 0x100 + u32::from(byte),
        0x7f..=0xa0 => 0x121 + u32::from(byte - 0x7f),
        0xad => 0x143,
    };
    char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_is_written_as_a_character_of_its_own() {
        let all: std::collections::BTreeSet<char> = (0..=255).map(visible).collect();
        assert_eq!(all.len(), 256);
        assert_eq!([b' ', b'\n', b'a', 0x7f, 0xa0, 0xad, 0xff].map(visible), ['Ġ', 'Ċ', 'a', 'ġ', 'ł', 'Ń', 'ÿ']);
        assert_eq!(all, tokenizers::pre_tokenizers::byte_level::ByteLevel::alphabet().into_iter().collect());
    }
}
