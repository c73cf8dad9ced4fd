//! Which format a file is in, by what is in it: names mislead (`tokenizer.model` is sentencepiece for Llama 2 and
//! tiktoken for Llama 3).

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, Visitor};

use crate::byte_pair::tiktoken::is_tiktoken;
use crate::sentencepiece::is_sentencepiece;

/// Formats that are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// Hugging Face's `tokenizer.json`.
    HuggingFace,
    /// Mistral's `tekken.json`.
    Tekken,
    /// A token in base64 and its rank on each line.
    Tiktoken,
    /// A sentencepiece model.
    SentencePiece,
    /// GPT-2's `vocab.json`, which goes with a `merges.txt`.
    Vocabulary,
    /// GPT-2's `merges.txt`.
    Merges,
}

impl Format {
    pub(crate) fn of(content: &[u8]) -> Option<Self> {
        if content.trim_ascii_start().first() == Some(&b'{') {
            return of_json(content);
        }
        if is_tiktoken(content) {
            Some(Self::Tiktoken)
        } else if is_sentencepiece(content) {
            Some(Self::SentencePiece)
        } else if content.starts_with(b"#version") {
            Some(Self::Merges)
        } else {
            None
        }
    }
}

fn of_json(content: &[u8]) -> Option<Format> {
    let mut format = None;
    // The walk stops at the first telling field, which the parser takes for an error.
    let _ = TopLevel(&mut format).deserialize(&mut serde_json::Deserializer::from_slice(content));
    format
}

/// Walks over the fields of an object until one tells.
struct TopLevel<'a>(&'a mut Option<Format>);

impl<'de> DeserializeSeed<'de> for TopLevel<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for TopLevel<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<(), A::Error> {
        let mut is_first = true;
        while let Some(name) = fields.next_key::<String>()? {
            let is_number = fields.next_value_seed(IsNumber)?;
            *self.0 = match name.as_str() {
                // Any of these names may also be a token of a GPT-2 vocabulary, whose values are numbers.
                "added_tokens" | "truncation" | "padding" | "normalizer" | "pre_tokenizer" | "model" if !is_number => {
                    Some(Format::HuggingFace)
                }
                "config" | "vocab" | "special_tokens" if !is_number => Some(Format::Tekken),
                "version" | "type" => None,
                _ if is_first && is_number => Some(Format::Vocabulary),
                _ => None,
            };
            if self.0.is_some() {
                return Ok(());
            }
            is_first = false;
        }
        Ok(())
    }
}

/// Whether a value is a number.
struct IsNumber;

impl<'de> DeserializeSeed<'de> for IsNumber {
    type Value = bool;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<bool, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for IsNumber {
    type Value = bool;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_bool<E>(self, _: bool) -> Result<bool, E> {
        Ok(false)
    }

    fn visit_u64<E>(self, _: u64) -> Result<bool, E> {
        Ok(true)
    }

    fn visit_i64<E>(self, _: i64) -> Result<bool, E> {
        Ok(true)
    }

    fn visit_f64<E>(self, _: f64) -> Result<bool, E> {
        Ok(true)
    }

    fn visit_str<E>(self, _: &str) -> Result<bool, E> {
        Ok(false)
    }

    fn visit_unit<E>(self) -> Result<bool, E> {
        Ok(false)
    }

    fn visit_seq<A: serde::de::SeqAccess<'de>>(self, mut items: A) -> Result<bool, A::Error> {
        while items.next_element::<IgnoredAny>()?.is_some() {}
        Ok(false)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<bool, A::Error> {
        while fields.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_content_tells() {
        for (content, format) in [
            (&br#"{"version": "1.0", "truncation": null, "model": {}}"#[..], Some(Format::HuggingFace)),
            (br#" {"model": {"type": "BPE"}"#, Some(Format::HuggingFace)),
            (br#"{"config": {"pattern": "x"}, "vocab": [{}"#, Some(Format::Tekken)),
            (br#"{"version": 1, "vocab": []}"#, Some(Format::Tekken)),
            (br#"{"model": 3, "vocab": 1}"#, Some(Format::Vocabulary)),
            (br#"{"bos_token": "<s>"}"#, None),
            (br#"{"#, None),
            (b"IQ== 0\nIg== 1\n", Some(Format::Tiktoken)),
            (b"IQ== 0\r\n", Some(Format::Tiktoken)),
            (b"\n\x0e\n\x05<unk>\x15\0\0\0\0\x18\x02", Some(Format::SentencePiece)),
            (b"#version: 0.2\na b\n", Some(Format::Merges)),
            (b"x", None),
            (b"", None),
            (b"hello world", None),
        ] {
            assert_eq!(Format::of(content), format, "{}", String::from_utf8_lossy(content));
        }
    }
}
