//! What the bodies of all dialects have in common.

use bytes::Bytes;
use serde_json::{Map, Value, json};
use tokamark_workload::Turn;

use crate::BodyOptions;

/// A body with its model: the turn's own, else that of the options.
pub(crate) fn with_model(turn: &Turn, options: &BodyOptions) -> Map<String, Value> {
    let mut body = Map::new();
    body.insert("model".to_owned(), turn.model.as_ref().unwrap_or(&options.model).as_str().into());
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

/// Merges the options' fields, then the turn's, over the body's own.
pub(crate) fn finish(mut body: Map<String, Value>, turn: &Turn, options: &BodyOptions) -> Bytes {
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
    Bytes::from(Value::Object(body).to_string())
}

/// A limit of output tokens, if the turn has one.
pub(crate) fn add_limit(body: &mut Map<String, Value>, name: &str, turn: &Turn) {
    if let Some(tokens) = turn.output_tokens {
        body.insert(name.to_owned(), tokens.into());
    }
}

/// One text as a string, several as a list.
pub(crate) fn text_or_list(texts: &[String]) -> Value {
    match texts {
        [text] => text.as_str().into(),
        texts => texts.into(),
    }
}
