//! What was asked: the text whose tokens are the input length, and what else a request tells.

use serde_json::Value;

use crate::Fidelity;
use crate::export::{Api, ExportRequest};

/// What a request says of itself.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Prompt {
    /// The text to count; absent where there is none.
    pub(crate) text: Option<String>,
    /// The input tokens, where they are sent as ids.
    pub(crate) ids: Option<u64>,
    /// The model it asks for.
    pub(crate) model: Option<String>,
    /// It asks for a stream.
    pub(crate) streams: bool,
    /// Its images.
    pub(crate) images: u64,
}

/// Reads a request.
pub(crate) fn read(api: Api, request: &ExportRequest, fidelity: Fidelity) -> Prompt {
    let inputs = &request.request_inputs;
    match api {
        Api::Triton => Prompt {
            text: inputs.get("text_input").map(joined),
            streams: inputs.get("stream").is_some_and(is_true),
            ..Prompt::default()
        },
        Api::Engine => Prompt {
            ids: inputs.get("input_ids").map(|ids| ids.as_array().map_or(1, |ids| ids.len() as u64)),
            streams: inputs.get("streaming").is_some_and(is_true),
            ..Prompt::default()
        },
        _ => {
            let payload = request.payload().and_then(|text| serde_json::from_str::<Value>(text).ok());
            payload.map(|payload| of_payload(api, &payload, fidelity)).unwrap_or_default()
        }
    }
}

fn is_true(value: &Value) -> bool {
    value == true || value.as_array().is_some_and(|items| items.first().is_some_and(|item| item == true))
}

fn of_payload(api: Api, payload: &Value, fidelity: Fidelity) -> Prompt {
    let list = |key: &str| payload.get(key).map(|texts| listed(texts, fidelity));
    let text = match api {
        Api::Generate => list("text_input"),
        Api::Completions => list("prompt"),
        Api::HuggingfaceGenerate => payload.get("inputs").map(joined),
        Api::Chat => Some(messages_text(payload, usize::MAX)),
        // GenAI-Perf looks at the first message only.
        Api::Multimodal => Some(messages_text(payload, if fidelity == Fidelity::Same { 1 } else { usize::MAX })),
        _ => None,
    };
    let images = payload.get("input").and_then(Value::as_array).into_iter().flatten();
    Prompt {
        text,
        ids: (api == Api::Completions).then(|| payload.get("prompt").and_then(token_ids)).flatten(),
        model: payload.get("model").and_then(Value::as_str).map(str::to_owned),
        streams: payload.get("stream").is_some_and(is_true),
        images: images.filter(|input| input.get("type").is_some_and(|kind| kind == "image_url")).count() as u64,
    }
}

/// The texts of a list with a space between. GenAI-Perf takes a plain string for a list of characters.
fn listed(texts: &Value, fidelity: Fidelity) -> String {
    match texts {
        Value::String(text) if fidelity == Fidelity::Same => {
            text.chars().map(String::from).collect::<Vec<_>>().join(" ")
        }
        other => joined(other),
    }
}

fn joined(texts: &Value) -> String {
    match texts {
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" "),
        _ => String::new(),
    }
}

/// How many token ids there are in a prompt that is made of them, or in several such prompts.
fn token_ids(prompt: &Value) -> Option<u64> {
    let items = prompt.as_array().filter(|items| !items.is_empty())?;
    items.iter().map(|item| if item.is_u64() { Some(1) } else { token_ids(item) }).sum()
}

/// The texts of the first messages with a space between.
fn messages_text(payload: &Value, most: usize) -> String {
    let messages = payload.get("messages").and_then(Value::as_array).into_iter().flatten().take(most);
    let contents = messages.filter_map(|message| message.get("content"));
    let texts = contents.flat_map(|content| match content {
        Value::String(text) => vec![text.as_str()],
        Value::Array(parts) => {
            let texts = parts.iter().filter(|part| part.get("type").is_some_and(|kind| kind == "text"));
            texts.filter_map(|part| part.get("text").and_then(Value::as_str)).collect()
        }
        _ => Vec::new(),
    });
    texts.collect::<Vec<_>>().join(" ")
}
