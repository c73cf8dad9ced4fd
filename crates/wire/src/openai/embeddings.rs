//! Answers of the embeddings endpoint. Their long lists of numbers are skipped, not kept.

use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value;

use super::{not_json, tree};
use crate::{Answer, EventFlags, EventInfo, error, usage};

/// Reads the body of an embeddings answer. An error in a known shape is put into the answer and is no `Err`.
///
/// The event has no generated text; it carries [`EventFlags::USAGE`] if there are token counts, else
/// [`EventFlags::EMPTY`].
///
/// # Errors
/// Why the body could not be understood, in words: it is not JSON, or has no embedding.
pub fn read_embeddings_body(body: &[u8], answer: &mut Answer) -> Result<EventInfo, String> {
    if let Some(info) = embeddings_in(body, answer) {
        return Ok(info);
    }
    match tree::read(body, answer) {
        None => Err(not_json(body)),
        Some(info) if answer.error.is_some() => Ok(info),
        Some(_) => Err(format!("the answer has no embedding: {}", error::excerpt(body))),
    }
}

/// The embeddings in a body, if there is one.
pub(crate) fn embeddings_in(body: &[u8], answer: &mut Answer) -> Option<EventInfo> {
    let found: Body = serde_json::from_slice(body).unwrap_or_default();
    (found.vectors > 0).then(|| {
        answer.is_data = true;
        answer.usage = found.usage.as_ref().and_then(usage::usage_in);
        EventInfo::bare(if answer.usage.is_some() { EventFlags::USAGE } else { EventFlags::EMPTY })
    })
}

/// What is kept of a body.
#[derive(Default)]
struct Body {
    /// Embeddings that have something in them.
    vectors: usize,
    usage: Option<Value>,
}

impl<'de> Deserialize<'de> for Body {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct BodyVisitor;
        impl<'de> Visitor<'de> for BodyVisitor {
            type Value = Body;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an embeddings answer")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Body, A::Error> {
                let mut body = Body::default();
                while let Some(key) = map.next_key::<String>()? {
                    match key.as_str() {
                        "data" => body.vectors = map.next_value::<Items>()?.0,
                        "usage" => body.usage = map.next_value()?,
                        _ => drop(map.next_value::<IgnoredAny>()?),
                    }
                }
                Ok(body)
            }
        }
        deserializer.deserialize_map(BodyVisitor)
    }
}

/// How many objects of a list have an embedding.
struct Items(usize);

/// Whether an object has an embedding, or how long a list or text is.
struct Filled(bool);

impl<'de> Deserialize<'de> for Items {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ItemsVisitor;
        impl<'de> Visitor<'de> for ItemsVisitor {
            type Value = Items;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of embeddings")
            }
            fn visit_unit<E>(self) -> Result<Items, E> {
                Ok(Items(0))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Items, A::Error> {
                let mut count = 0;
                while let Some(Filled(is_filled)) = seq.next_element()? {
                    count += usize::from(is_filled);
                }
                Ok(Items(count))
            }
        }
        deserializer.deserialize_any(ItemsVisitor)
    }
}

impl<'de> Deserialize<'de> for Filled {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct FilledVisitor;
        impl<'de> Visitor<'de> for FilledVisitor {
            type Value = Filled;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an embedding")
            }
            fn visit_unit<E>(self) -> Result<Filled, E> {
                Ok(Filled(false))
            }
            /// An embedding in base64.
            fn visit_str<E>(self, text: &str) -> Result<Filled, E> {
                Ok(Filled(!text.is_empty()))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Filled, A::Error> {
                let mut any = false;
                while seq.next_element::<IgnoredAny>()?.is_some() {
                    any = true;
                }
                Ok(Filled(any))
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Filled, A::Error> {
                let mut filled = Filled(false);
                while let Some(key) = map.next_key::<String>()? {
                    if key == "embedding" {
                        filled = map.next_value()?;
                    } else {
                        map.next_value::<IgnoredAny>()?;
                    }
                }
                Ok(filled)
            }
        }
        deserializer.deserialize_any(FilledVisitor)
    }
}
