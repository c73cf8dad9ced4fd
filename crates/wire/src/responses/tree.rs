//! The second tier: what an event means, from its JSON tree; and whole bodies.

use serde_json::{Map, Value};

use super::role_of;
use crate::error::{self, error_in};
use crate::members::Role;
use crate::parts::{Parts, lacking, object_in, objects_in, parse, parse_body, text_in};
use crate::usage::usage_in;
use crate::{Answer, EventFlags, EventInfo, ServerError};

/// Reads one event; none if it is not JSON.
pub(crate) fn read(name: &[u8], data: &[u8], answer: &mut Answer) -> Option<EventInfo> {
    let Value::Object(event) = parse(data, answer)? else {
        return Some(EventInfo::bare(EventFlags::UNKNOWN));
    };
    let kind = event.get("type").and_then(Value::as_str).or_else(|| std::str::from_utf8(name).ok()).unwrap_or_default();

    let mut parts = Parts::default();
    let mut marks = EventFlags::NONE;
    let mut otherwise = EventFlags::EMPTY;
    let mut error = error_in(&event);
    if let Some(role) = role_of(kind.as_bytes()) {
        let delta = text_in(&event, "delta").unwrap_or_default();
        match role {
            Role::Content => parts.content.push_str(delta),
            Role::Reasoning => parts.reasoning.push_str(delta),
            Role::Tool => parts.tool.push_str(delta),
        }
    } else {
        match kind {
            "response.output_item.added" => {
                if let Some(item) = object_in(&event, "item") {
                    marks |= begin_item(item, &mut parts);
                }
            }
            // Some servers send a text only when it is whole.
            "response.output_text.done" if answer.text.is_empty() => {
                parts.content.push_str(text_in(&event, "text").unwrap_or_default());
            }
            "response.completed" | "response.incomplete" | "response.done" => {
                answer.done = true;
                marks |= EventFlags::DONE;
                if let Some(response) = object_in(&event, "response") {
                    if answer.text.is_empty() {
                        add_output(response, &mut parts);
                    }
                    marks |= end(response, answer);
                    error = error.or_else(|| error_in(response));
                }
            }
            "response.failed" | "response.cancelled" => {
                let response = object_in(&event, "response");
                if let Some(response) = response {
                    marks |= counts(response, answer);
                }
                error = error.or_else(|| response.and_then(error_in)).or_else(|| Some(without_message(kind)));
            }
            "error" => error = error.or_else(|| Some(without_message(kind))),
            _ if kind.starts_with("response.") => {}
            _ => otherwise = EventFlags::UNKNOWN,
        }
    }
    let info = parts.put(answer, marks, otherwise);
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
    let response = value.as_object().filter(|response| response.get("output").is_some_and(Value::is_array));
    let Some(response) = response else {
        return lacking("`output`", &value, body, answer);
    };
    let mut parts = Parts::default();
    add_output(response, &mut parts);
    let marks = end(response, answer);
    let info = parts.put(answer, marks, EventFlags::EMPTY);
    let failed = matches!(text_in(response, "status"), Some("failed" | "cancelled"));
    let error = error_in(response).or_else(|| failed.then(|| without_message("response.failed")));
    Ok(match error {
        Some(error) => info.with_error(error, answer),
        None => info,
    })
}

/// The finish reason and the counts of a response that has ended: why it is not complete, else its status.
fn end(response: &Map<String, Value>, answer: &mut Answer) -> EventFlags {
    let reason = object_in(response, "incomplete_details").and_then(|details| text_in(details, "reason"));
    let mut marks = counts(response, answer);
    if let Some(reason) = reason.or_else(|| text_in(response, "status")) {
        answer.finish_reason = Some(reason.to_owned());
        marks |= EventFlags::FINISH;
    }
    marks
}

fn counts(response: &Map<String, Value>, answer: &mut Answer) -> EventFlags {
    match response.get("usage").and_then(usage_in) {
        Some(usage) => {
            answer.usage = Some(usage);
            EventFlags::USAGE
        }
        None => EventFlags::NONE,
    }
}

/// What the start of an item says: who speaks, or which tool is called.
fn begin_item(item: &Map<String, Value>, parts: &mut Parts) -> EventFlags {
    match item.get("type").and_then(Value::as_str) {
        Some("function_call" | "custom_tool_call" | "mcp_call") => {
            parts.tool.push_str(text_in(item, "name").unwrap_or_default());
            EventFlags::NONE
        }
        Some("message") => EventFlags::ROLE,
        _ => EventFlags::NONE,
    }
}

/// All texts of a whole response.
fn add_output(response: &Map<String, Value>, parts: &mut Parts) {
    for item in objects_in(response, "output") {
        let text = |key| text_in(item, key).unwrap_or_default();
        match item.get("type").and_then(Value::as_str) {
            Some("message") => {
                for part in objects_in(item, "content") {
                    for key in ["text", "refusal"] {
                        parts.content.push_str(text_in(part, key).unwrap_or_default());
                    }
                }
            }
            Some("reasoning") => {
                for part in objects_in(item, "summary").chain(objects_in(item, "content")) {
                    parts.reasoning.push_str(text_in(part, "text").unwrap_or_default());
                }
            }
            Some("function_call" | "mcp_call") => parts.tool.extend([text("name"), text("arguments")]),
            Some("custom_tool_call") => parts.tool.extend([text("name"), text("input")]),
            _ => {}
        }
    }
}

fn without_message(kind: &str) -> ServerError {
    ServerError { kind: Some(kind.to_owned()), message: error::NO_MESSAGE.to_owned(), ..ServerError::default() }
}
