//! Errors in all the shapes that servers give them.

use serde_json::{Map, Value};

use crate::ServerError;
use crate::repair;

/// What stands in for a message that is missing.
pub(crate) const NO_MESSAGE: &str = "the server sent an error without a message";
/// At most so many bytes of a body are quoted.
const EXCERPT: usize = 500;

/// The error in an event or body that may as well be an answer.
///
/// Known: `{"error": {…}}` and `{"error": "…"}`, `{"object": "error", "message": …}`, `{"detail": …}`, and `message` with
/// `type` or `code` where there are no choices.
pub(crate) fn error_in(object: &Map<String, Value>) -> Option<ServerError> {
    if let Some(error) = object.get("error").filter(|e| !is_absent(e)) {
        return Some(from_error_member(object, error));
    }
    if object.get("object").is_some_and(|o| o == "error") {
        return Some(from_object(object));
    }
    if object.get("choices").is_some_and(Value::is_array) {
        return None;
    }
    if let Some(detail) = object.get("detail").filter(|d| !is_absent(d)) {
        return Some(ServerError { message: message_of(detail), ..from_object(object) });
    }
    let message_and_more = object.get("message").is_some_and(Value::is_string)
        && ["type", "code"].iter().any(|key| word(object.get(*key)).is_some());
    message_and_more.then(|| from_object(object))
}

/// The error in a body that is known to be an error (an HTTP status of 400 or above, an event named `error`), if it is JSON
/// that says anything.
#[must_use]
pub fn error_in_body(body: &[u8]) -> Option<ServerError> {
    let (value, _) = repair::parse(body.trim_ascii())?;
    match &value {
        Value::Object(object) => error_in(object).or_else(|| {
            let error = from_object(object);
            (error.message != NO_MESSAGE).then_some(error)
        }),
        // Some gateways wrap the object into a list.
        Value::Array(items) => items.first().and_then(Value::as_object).and_then(error_in),
        Value::String(text) if !text.trim().is_empty() => {
            Some(ServerError { message: text.clone(), ..ServerError::default() })
        }
        _ => None,
    }
}

/// The text of a body, cut to a length that can be shown; none if there is nothing but space.
#[must_use]
pub fn text_of(body: &[u8]) -> Option<String> {
    let body = body.trim_ascii();
    let text = String::from_utf8_lossy(&body[..body.len().min(EXCERPT + 4)]);
    let end = (0..=EXCERPT.min(text.len())).rev().find(|&end| text.is_char_boundary(end)).unwrap_or(0);
    (end > 0).then(|| text[..end].to_owned())
}

/// The text of a body for a message.
pub(crate) fn excerpt(body: &[u8]) -> String {
    text_of(body).unwrap_or_else(|| "(nothing)".to_owned())
}

fn is_absent(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::String(text) => text.trim().is_empty(),
        _ => false,
    }
}

fn from_error_member(outer: &Map<String, Value>, error: &Value) -> ServerError {
    let found = match error {
        Value::Object(object) => from_object(object),
        other => ServerError { message: message_of(other), ..ServerError::default() },
    };
    let (kind, message) = match (error, text_in(outer, "message")) {
        // The short text is the error's name, the long one says what happened.
        (Value::String(name), Some(text)) => (Some(name.clone()), text.to_owned()),
        (_, Some(text)) if found.message == NO_MESSAGE => (found.kind, text.to_owned()),
        _ => (found.kind, found.message),
    };
    ServerError {
        code: found.code.or_else(|| code_in(outer)),
        kind: kind.or_else(|| word(outer.get("error_type"))).or_else(|| word(outer.get("type"))),
        message,
    }
}

fn from_object(object: &Map<String, Value>) -> ServerError {
    let message = ["message", "detail", "error", "msg"]
        .iter()
        .filter_map(|key| object.get(*key))
        .find(|value| !is_absent(value))
        .map_or_else(|| NO_MESSAGE.to_owned(), message_of);
    let kind = ["type", "status", "title"].iter().find_map(|key| text_in(object, key));
    ServerError { code: code_in(object), kind: kind.map(str::to_owned), message }
}

/// The `code`, or the HTTP status that some servers repeat in the body.
fn code_in(object: &Map<String, Value>) -> Option<String> {
    word(object.get("code")).or_else(|| word(object.get("status").filter(|status| status.is_number())))
}

fn text_in<'v>(object: &'v Map<String, Value>, key: &str) -> Option<&'v str> {
    object.get(key)?.as_str().filter(|text| !text.trim().is_empty())
}

/// A message in any form: text, an object with a message, a list of them (validation errors), or else its JSON.
fn message_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Object(object) => match ["message", "msg"].iter().find_map(|key| object.get(*key)?.as_str()) {
            Some(text) if !text.trim().is_empty() => match object.get("loc").and_then(Value::as_array) {
                Some(loc) => format!("{}: {text}", place(loc)),
                None => text.to_owned(),
            },
            _ => value.to_string(),
        },
        Value::Array(items) if !items.is_empty() => items.iter().map(message_of).collect::<Vec<_>>().join("; "),
        other => other.to_string(),
    }
}

fn place(loc: &[Value]) -> String {
    loc.iter().map(|step| word(Some(step)).unwrap_or_default()).collect::<Vec<_>>().join(".")
}

/// A word or number as text.
fn word(value: Option<&Value>) -> Option<String> {
    match value? {
        Value::String(text) if !text.trim().is_empty() => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}
