//! Answers of servers whose API is not said: the known APIs by what marks them, and else any JSON with a text in it. What is
//! no JSON at all is a text itself.

use serde_json::{Map, Value};

use crate::error::error_in;
use crate::parts::{Parts, lacking, parse, parse_body, read_data};
use crate::rankings::ranked;
use crate::usage::usage_in;
use crate::{Answer, EventFlags, EventInfo, huggingface, messages, openai, responses, triton};

/// Members that hold a text, the likelier ones first.
const TEXTS: [&str; 10] =
    ["text", "content", "delta", "response", "output", "output_text", "answer", "result", "completion", "message"];

/// Reads the data of one stream event: adds its text to the answer and says what it was.
pub fn read_event(name: &[u8], data: &[u8], answer: &mut Answer) -> EventInfo {
    if name == b"error" {
        return openai::read_error_event(data, answer);
    }
    read_data(data, answer, |data, answer| {
        fast(data, answer)
            .or_else(|| match Api::of(&serde_json::from_slice(data).ok()?) {
                Some(Api::OpenAi) => Some(openai::read_event(data, answer)),
                Some(Api::Responses) => Some(responses::read_event(name, data, answer)),
                Some(Api::Messages) => Some(messages::read_event(name, data, answer)),
                Some(Api::HuggingFace) => Some(huggingface::read_event(data, answer)),
                Some(Api::Triton) => Some(triton::read_event(data, answer)),
                None => None,
            })
            .or_else(|| Some(read_plain(&parse(data, answer)?, answer)))
            .or_else(|| Some(as_text(data, answer)))
    })
}

/// Reads a whole body that is not a stream: vectors, else ranks, else a text. An error in a known shape is put into the answer
/// and is no `Err`.
///
/// # Errors
/// Why the body could not be understood, in words: it is empty, or JSON with nothing in it that is known.
pub fn read_body(body: &[u8], answer: &mut Answer) -> Result<EventInfo, String> {
    if body.trim_ascii().is_empty() {
        return Err("the body of the answer is empty".to_owned());
    }
    if let Some(info) = openai::embeddings_in(body, answer) {
        return Ok(info);
    }
    let Some(value) = parse(body, answer) else {
        return Ok(as_text(body, answer));
    };
    if let Some(info) = ranked(&value, answer) {
        return Ok(info);
    }
    match Api::of(&value) {
        Some(Api::OpenAi) => openai::read_body(body, answer),
        Some(Api::Responses) => responses::read_body(body, answer),
        Some(Api::Messages) => messages::read_body(body, answer),
        Some(Api::HuggingFace) => huggingface::read_body(body, answer),
        Some(Api::Triton) => triton::read_body(body, answer),
        None => {
            let info = read_plain(&value, answer);
            if info.flags.has(EventFlags::UNKNOWN) { lacking("text", &value, body, answer) } else { Ok(info) }
        }
    }
}

/// What the user's own expression finds in an event or body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Picked {
    /// A text of the answer.
    Text(String),
    /// Something else, such as a vector.
    Data,
}

/// Reads the data of one stream event whose text is what `pick` finds. An event in which it finds nothing is
/// [`EventFlags::EMPTY`], unless it has an error or token counts.
pub fn read_picked_event(
    name: &[u8],
    data: &[u8],
    answer: &mut Answer,
    pick: impl FnOnce(&Value) -> Option<Picked>,
) -> EventInfo {
    if name == b"error" {
        return openai::read_error_event(data, answer);
    }
    read_data(data, answer, |data, answer| {
        let value = parse(data, answer)?;
        let picked = pick(&value);
        Some(read_picked(&value, picked, answer))
    })
}

/// Reads a whole body whose text is what `pick` finds. An error in a known shape is put into the answer and is no `Err`.
///
/// # Errors
/// Why the body could not be understood, in words: it is no JSON, or nothing is found.
pub fn read_picked_body(
    body: &[u8],
    answer: &mut Answer,
    pick: impl FnOnce(&Value) -> Option<Picked>,
) -> Result<EventInfo, String> {
    let value = parse_body(body, answer)?;
    match pick(&value) {
        None => lacking("such part", &value, body, answer),
        picked => Ok(read_picked(&value, picked, answer)),
    }
}

fn read_picked(value: &Value, picked: Option<Picked>, answer: &mut Answer) -> EventInfo {
    let mut parts = Parts::default();
    match picked {
        Some(Picked::Text(text)) => parts.content = text,
        Some(Picked::Data) => answer.is_data = true,
        None => {}
    }
    let object = value.as_object();
    let mut marks = EventFlags::NONE;
    if let Some(usage) = object.and_then(|object| usage_in(object.get("usage")?)) {
        answer.usage = Some(usage);
        marks |= EventFlags::USAGE;
    }
    let info = parts.put(answer, marks, EventFlags::EMPTY);
    match object.and_then(error_in) {
        Some(error) => info.with_error(error, answer),
        None => info,
    }
}

/// The first tiers, of which each knows its own events alone.
fn fast(data: &[u8], answer: &mut Answer) -> Option<EventInfo> {
    openai::read_fast(data, answer)
        .or_else(|| responses::read_fast(data, answer))
        .or_else(|| messages::read_fast(data, answer))
        .or_else(|| triton::read_fast(data, answer))
        .or_else(|| huggingface::read_fast(data, answer))
}

/// The APIs that are known by a mark of their own.
enum Api {
    OpenAi,
    Responses,
    Messages,
    HuggingFace,
    Triton,
}

impl Api {
    fn of(value: &Value) -> Option<Self> {
        let object = match value {
            Value::Array(items) => items.first()?.as_object()?,
            value => value.as_object()?,
        };
        let kind = object.get("type").and_then(Value::as_str).unwrap_or_default();
        let has_list = |key: &str| object.get(key).is_some_and(Value::is_array);
        if has_list("choices") {
            Some(Self::OpenAi)
        } else if kind.starts_with("response.") || (has_list("output") && object.contains_key("status")) {
            Some(Self::Responses)
        } else if kind.starts_with("message_")
            || kind.starts_with("content_block_")
            || kind == "ping"
            || (kind == "message" && has_list("content"))
        {
            Some(Self::Messages)
        } else if object.get("generated_text").is_some_and(Value::is_string) || object.contains_key("token") {
            Some(Self::HuggingFace)
        } else if object.contains_key("text_output") {
            Some(Self::Triton)
        } else {
            None
        }
    }
}

/// A value of no known API: the first member that is known to hold texts.
fn read_plain(value: &Value, answer: &mut Answer) -> EventInfo {
    let mut parts = Parts::default();
    let found = push_texts(value, &mut parts.content);
    let mut marks = EventFlags::NONE;
    let object = value.as_object();
    if let Some(usage) = object.and_then(|object| usage_in(object.get("usage")?)) {
        answer.usage = Some(usage);
        marks |= EventFlags::USAGE;
    }
    match object.and_then(error_in) {
        // Whatever text an error has is its message.
        Some(error) => EventInfo::of(0, 0, 0, marks, EventFlags::UNKNOWN).with_error(error, answer),
        None => parts.put(answer, marks, if found { EventFlags::EMPTY } else { EventFlags::UNKNOWN }),
    }
}

/// Adds the texts of a value; false if it has no place for any.
fn push_texts(value: &Value, into: &mut String) -> bool {
    match value {
        Value::String(text) => {
            into.push_str(text);
            true
        }
        Value::Array(items) => items.iter().filter(|item| push_texts(item, into)).count() > 0,
        Value::Object(object) => texts_member(object).is_some_and(|member| push_texts(member, into)),
        _ => false,
    }
}

fn texts_member(object: &Map<String, Value>) -> Option<&Value> {
    TEXTS
        .iter()
        .filter_map(|key| object.get(*key))
        .find(|value| value.is_string() || value.is_array() || value.is_object())
}

/// Data that is no JSON.
fn as_text(data: &[u8], answer: &mut Answer) -> EventInfo {
    let text = String::from_utf8_lossy(data);
    if matches!(text, std::borrow::Cow::Owned(_)) {
        answer.replaced = answer.replaced.saturating_add(1);
    }
    Parts { content: text.into_owned(), ..Parts::default() }.put(answer, EventFlags::NONE, EventFlags::EMPTY)
}
