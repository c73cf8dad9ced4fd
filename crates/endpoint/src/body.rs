//! What the bodies of all dialects have in common.

use bytes::Bytes;
use serde::Serialize;
use serde::ser::SerializeMap;
use serde_json::{Map, Value, json};
use tokamark_conversation::{Prompt, Turn};

use crate::BodyOptions;

/// The model: the turn's own, else that of the options.
pub(crate) fn model<'a>(turn: &'a Turn, options: &'a BodyOptions) -> &'a str {
    turn.model.as_ref().unwrap_or(&options.model)
}

/// A body with its [`model`].
pub(crate) fn with_model(turn: &Turn, options: &BodyOptions) -> Map<String, Value> {
    let mut body = Map::new();
    body.insert("model".to_owned(), model(turn, options).into());
    body
}

/// `stream`, which is always there, and a request for token counts at the end of a stream.
///
/// Whether it is a stream is decided by what the body says in the end, since `extra` may override it. A
/// `stream_options.include_usage` of the user's own stays.
pub(crate) fn add_stream(body: &mut Map<String, Value>, turn: &Turn, options: &BodyOptions) {
    body.insert("stream".to_owned(), options.streaming.into());
    let last_word = |key| turn.extra.get(key).or_else(|| options.extra.get(key));
    if last_word("stream").map_or(options.streaming, |stream| stream == &Value::Bool(true)) {
        // `extra` puts the user's own options over these.
        body.insert("stream_options".to_owned(), json!({"include_usage": true}));
    }
}

/// A list in the place of a field that is null, so that long histories are not copied into a tree first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LongField<'a> {
    /// Name of the field.
    pub(crate) name: &'static str,
    /// First part of the list.
    pub(crate) past: &'a [Value],
    /// Second part.
    pub(crate) now: &'a [Value],
}

/// A body that the dataset gives whole; it is sent byte for byte.
pub(crate) fn given(turn: &Turn) -> Option<Bytes> {
    match &turn.prompt {
        Prompt::Body(text) => Some(Bytes::from(text.clone())),
        _ => None,
    }
}

/// Merges the options' fields, then the turn's, over the body's own.
pub(crate) fn finish(body: Map<String, Value>, turn: &Turn, options: &BodyOptions) -> Bytes {
    finish_long(body, None, turn, options)
}

/// [`finish`] with a list that stands for a null field of the body.
pub(crate) fn finish_long(
    mut body: Map<String, Value>,
    long: Option<LongField<'_>>,
    turn: &Turn,
    options: &BodyOptions,
) -> Bytes {
    for (key, value) in options.extra.iter().chain(&turn.extra) {
        let mut value = value.clone();
        if key == "stream_options"
            && let (Some(Value::Object(own)), Value::Object(wanted)) = (body.get(key), &mut value)
            && let Some(include_usage) = own.get("include_usage")
            && !wanted.contains_key("include_usage")
        {
            wanted.insert("include_usage".to_owned(), include_usage.clone());
        }
        body.insert(key.clone(), value);
    }
    write(&Whole { body: &body, long })
}

/// A body as it is sent.
pub(crate) fn write(body: &impl Serialize) -> Bytes {
    // A tree of JSON values can always be written.
    Bytes::from(serde_json::to_vec(body).unwrap_or_default())
}

/// A limit of output tokens, if the turn has one.
pub(crate) fn add_limit(body: &mut Map<String, Value>, name: &str, turn: &Turn) {
    if let Some(tokens) = turn.output_tokens {
        body.insert(name.to_owned(), tokens.into());
    }
}

/// One text as a string, several as a list.
pub(crate) fn text_or_list(texts: Vec<&str>) -> Value {
    match texts.as_slice() {
        [text] => (*text).into(),
        _ => texts.into(),
    }
}

struct Whole<'a> {
    body: &'a Map<String, Value>,
    long: Option<LongField<'a>>,
}

impl Serialize for Whole<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.body.len()))?;
        for (key, value) in self.body {
            match self.long {
                Some(long) if long.name == key && value.is_null() => map.serialize_entry(key, &List(long))?,
                _ => map.serialize_entry(key, value)?,
            }
        }
        map.end()
    }
}

struct List<'a>(LongField<'a>);

impl Serialize for List<'_> {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.past.iter().chain(self.0.now))
    }
}
