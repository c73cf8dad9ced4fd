//! The text in one JSON object of an answer.

use serde_json::Value;

use crate::export::Api;

/// What an object says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Said {
    pub(super) text: String,
    pub(super) reasoning: String,
}

/// The text of a value that is a string or a list of strings.
pub(super) fn plain_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(plain_text).collect(),
        _ => String::new(),
    }
}

/// The text by GenAI-Perf's rules; `None` where it gives up.
pub(super) fn literal(api: Api, object: &Value) -> Option<String> {
    let text = |value: Option<&Value>| match value {
        None | Some(Value::Null) => Some(String::new()),
        Some(Value::String(text)) => Some(text.clone()),
        // Other empty values pass for no text, too.
        Some(Value::Bool(false)) => Some(String::new()),
        Some(Value::Array(items)) if items.is_empty() => Some(String::new()),
        Some(_) => None,
    };
    match api {
        Api::Generate => text(Some(object.get("text_output")?)),
        Api::HuggingfaceGenerate => match object.as_array()?.first() {
            None => Some(String::new()),
            Some(first) => text(first.as_object()?.get("generated_text")),
        },
        Api::Completions => {
            let choice = object.as_object()?.get("choices")?.as_array()?.first()?.as_object()?;
            let kind = object.get("object").unwrap_or(&Value::Null);
            if is_nothing(kind) || kind == "text_completion" { text(choice.get("text")) } else { None }
        }
        Api::Chat | Api::Multimodal => {
            let nothing = serde_json::Map::new();
            let choice = match object.as_object()?.get("choices") {
                None => &nothing,
                Some(choices) => choices.as_array()?.first()?.as_object()?,
            };
            let kind = object.get("object").unwrap_or(&Value::Null);
            // Some servers leave the kind out; then GenAI-Perf looks for the text of a completion.
            match kind.as_str() {
                _ if is_nothing(kind) => text(choice.get("text")),
                Some("chat.completion") => text(choice.get("message")?.as_object()?.get("content")),
                Some("chat.completion.chunk") => text(choice.get("delta")?.as_object()?.get("content")),
                _ => None,
            }
        }
        Api::Triton | Api::Engine | Api::ImageRetrieval | Api::Opaque => None,
    }
}

fn is_nothing(value: &Value) -> bool {
    value.is_null() || value == "" || value == false
}

/// The text of whatever shape the API is known to give; `None` if this object has no place for text at all.
pub(super) fn careful(api: Api, object: &Value) -> Option<Said> {
    match api {
        Api::Generate => object.get("text_output").map(|text| Said { text: plain_text(text), ..Said::default() }),
        Api::HuggingfaceGenerate => {
            let first = object.as_array().map_or(Some(object), |items| items.first())?;
            first.get("generated_text").map(|text| Said { text: plain_text(text), ..Said::default() })
        }
        _ => {
            let choices = object.get("choices")?.as_array()?;
            let Some(choice) = choices.first() else { return Some(Said::default()) };
            let mut said = Said::default();
            match ["delta", "message"].into_iter().find_map(|key| choice.get(key).filter(|inner| inner.is_object())) {
                None => said.text = choice.get("text").map(plain_text).unwrap_or_default(),
                Some(inner) => {
                    said.text = inner.get("content").map(content_text).unwrap_or_default();
                    let reasoning = inner.get("reasoning_content").filter(|text| !text.is_null());
                    said.reasoning = reasoning.or_else(|| inner.get("reasoning")).map(plain_text).unwrap_or_default();
                }
            }
            Some(said)
        }
    }
}

/// Content is text or a list of parts.
fn content_text(content: &Value) -> String {
    match content {
        Value::Array(parts) => parts.iter().filter_map(|part| part.get("text")).map(plain_text).collect(),
        other => plain_text(other),
    }
}

/// The text of a tool call in one object: names and arguments, as they stream in.
pub(super) fn tool_text(object: &Value) -> String {
    let choice = object.get("choices").and_then(|choices| choices.get(0));
    let inner = choice.and_then(|choice| choice.get("delta").or_else(|| choice.get("message")));
    let calls = inner.and_then(|inner| inner.get("tool_calls")).and_then(Value::as_array);
    let functions = calls.into_iter().flatten().filter_map(|call| call.get("function"));
    functions.flat_map(|function| [function.get("name"), function.get("arguments")]).flatten().map(plain_text).collect()
}
