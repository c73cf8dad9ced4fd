//! The second tier: what an event means, from its JSON tree; and whole bodies.

use serde_json::{Map, Value};

use crate::error::{self, error_in};
use crate::parts::{Parts, lacking, object_in, objects_in, parse, parse_body, text_in};
use crate::usage::usage_in;
use crate::{Answer, EventFlags, EventInfo, ServerError, Usage};

/// Reads one event; none if it is not JSON.
pub(crate) fn read(name: &[u8], data: &[u8], answer: &mut Answer) -> Option<EventInfo> {
    let Value::Object(event) = parse(data, answer)? else {
        return Some(EventInfo::bare(EventFlags::UNKNOWN));
    };
    let kind = event.get("type").and_then(Value::as_str).or_else(|| std::str::from_utf8(name).ok()).unwrap_or_default();

    let mut parts = Parts::default();
    let mut marks = EventFlags::NONE;
    let mut otherwise = EventFlags::EMPTY;
    let mut counts = event.get("usage");
    match kind {
        "message_start" => {
            marks |= EventFlags::ROLE;
            counts = event.get("message").and_then(|message| message.get("usage")).or(counts);
        }
        "content_block_start" => {
            if let Some(block) = object_in(&event, "content_block") {
                add_block(block, &mut parts);
            }
        }
        "content_block_delta" => {
            if let Some(delta) = object_in(&event, "delta") {
                add_delta(delta, &mut parts);
            }
        }
        "message_delta" => {
            if let Some(reason) = object_in(&event, "delta").and_then(|delta| text_in(delta, "stop_reason")) {
                answer.finish_reason = Some(reason.to_owned());
                marks |= EventFlags::FINISH;
            }
        }
        "message_stop" => {
            answer.done = true;
            marks |= EventFlags::DONE;
        }
        "content_block_stop" | "ping" => {}
        _ => otherwise = EventFlags::UNKNOWN,
    }
    if let Some(mut found) = counts.and_then(Value::as_object).and_then(|counts| merged(counts, answer.usage)) {
        if kind == "message_start" {
            // Whatever stands there is no count of an answer that has yet to come.
            found.completion = None;
        }
        answer.usage = Some(found);
        marks |= EventFlags::USAGE;
    }
    let info = parts.put(answer, marks, otherwise);
    let nameless = || ServerError { message: error::NO_MESSAGE.to_owned(), ..ServerError::default() };
    let error = error_in(&event).or_else(|| (kind == "error").then(nameless));
    Some(match error {
        Some(error) => info.with_error(error, answer),
        None => info,
    })
}

/// Reads a whole body that is not a stream. An error in a known shape is put into the answer and is no `Err`.
///
/// # Errors
/// Why the body could not be understood, in words.
pub fn read_body(body: &[u8], answer: &mut Answer) -> Result<EventInfo, String> {
    let value = parse_body(body, answer)?;
    let message = value.as_object().filter(|message| message.get("content").is_some_and(Value::is_array));
    let Some(message) = message else {
        return lacking("`content`", &value, body, answer);
    };
    let mut parts = Parts::default();
    objects_in(message, "content").for_each(|block| add_block(block, &mut parts));
    let mut marks = EventFlags::NONE;
    if let Some(reason) = text_in(message, "stop_reason") {
        answer.finish_reason = Some(reason.to_owned());
        marks |= EventFlags::FINISH;
    }
    if let Some(found) = object_in(message, "usage").and_then(|counts| merged(counts, None)) {
        answer.usage = Some(found);
        marks |= EventFlags::USAGE;
    }
    Ok(parts.put(answer, marks, EventFlags::EMPTY))
}

fn add_delta(delta: &Map<String, Value>, parts: &mut Parts) {
    let text = |key| text_in(delta, key).unwrap_or_default();
    match delta.get("type").and_then(Value::as_str) {
        Some("text_delta") => parts.content.push_str(text("text")),
        Some("thinking_delta") => parts.reasoning.push_str(text("thinking")),
        Some("input_json_delta") => parts.tool.push_str(text("partial_json")),
        // Signatures and citations are no tokens of the answer.
        _ => {}
    }
}

/// A block, whole or as it begins.
fn add_block(block: &Map<String, Value>, parts: &mut Parts) {
    let text = |key| text_in(block, key).unwrap_or_default();
    match block.get("type").and_then(Value::as_str) {
        Some("text") => parts.content.push_str(text("text")),
        Some("thinking") => parts.reasoning.push_str(text("thinking")),
        Some("tool_use" | "server_tool_use" | "mcp_tool_use") => {
            parts.tool.push_str(text("name"));
            // A block that has only begun has an empty one.
            if let Some(input) = block.get("input").filter(|input| input.as_object().is_some_and(|o| !o.is_empty())) {
                parts.tool.push_str(&input.to_string());
            }
        }
        _ => {}
    }
}

/// New counts over those before them. The prompt's come at the start, the answer's at the end, and the parts of the prompt
/// that a cache served or took are counted apart.
fn merged(counts: &Map<String, Value>, before: Option<Usage>) -> Option<Usage> {
    let new = usage_in(&Value::Object(counts.clone()))?;
    let before = before.unwrap_or_default();
    let cached = |usage: &Usage| usage.cache_read.unwrap_or(0).saturating_add(usage.cache_write.unwrap_or(0));
    let mut usage = Usage {
        completion: new.completion.or(before.completion),
        total: new.total.or(before.total),
        reasoning: new.reasoning.or(before.reasoning),
        cache_read: new.cache_read.or(before.cache_read),
        cache_write: new.cache_write.or(before.cache_write),
        ..new
    };
    let apart = new.prompt.map(|prompt| prompt.saturating_sub(cached(&new)));
    let apart = apart.or_else(|| before.prompt.map(|prompt| prompt.saturating_sub(cached(&before))));
    usage.prompt = apart.map(|apart| apart.saturating_add(cached(&usage)));
    Some(usage)
}
