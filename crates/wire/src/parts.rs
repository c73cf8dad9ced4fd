//! What the second tiers of all readers have in common: the texts of an event, and what it is.

use serde_json::{Map, Value};

use crate::{Answer, EventFlags, EventInfo, ServerError, error, repair};

/// The texts of one event or body.
#[derive(Debug, Default)]
pub(crate) struct Parts {
    pub(crate) reasoning: String,
    pub(crate) content: String,
    pub(crate) tool: String,
}

impl Parts {
    /// Adds the texts to the answer. `marks` is what the event is beside, `otherwise` what it is if it is nothing else.
    pub(crate) fn put(&self, answer: &mut Answer, marks: EventFlags, otherwise: EventFlags) -> EventInfo {
        for text in [&self.reasoning, &self.content, &self.tool] {
            answer.text.extend_from_slice(text.as_bytes());
        }
        EventInfo::of(self.reasoning.len(), self.content.len(), self.tool.len(), marks, otherwise)
    }
}

impl EventInfo {
    /// The roles that follow from the lengths of the texts, with `marks`; `otherwise` if that is nothing.
    pub(crate) fn of(
        reasoning_len: usize,
        content_len: usize,
        tool_len: usize,
        marks: EventFlags,
        otherwise: EventFlags,
    ) -> Self {
        let mut flags = marks;
        for (len, flag) in
            [(content_len, EventFlags::CONTENT), (reasoning_len, EventFlags::REASONING), (tool_len, EventFlags::TOOL)]
        {
            if len > 0 {
                flags |= flag;
            }
        }
        let len = |len: usize| u32::try_from(len).unwrap_or(u32::MAX);
        Self {
            flags: if flags == EventFlags::NONE { otherwise } else { flags },
            reasoning_len: len(reasoning_len),
            content_len: len(content_len),
            tool_len: len(tool_len),
        }
    }

    /// An event without text.
    pub(crate) fn bare(flags: EventFlags) -> Self {
        Self { flags, ..Self::default() }
    }

    /// The event, which is an error too.
    pub(crate) fn with_error(mut self, error: ServerError, answer: &mut Answer) -> Self {
        answer.error.get_or_insert(error);
        self.flags = if self.flags == EventFlags::UNKNOWN { EventFlags::ERROR } else { self.flags | EventFlags::ERROR };
        self
    }
}

/// Reads the data of an event: the marks that all APIs share, else what `read` makes of it. None is [`EventFlags::UNKNOWN`].
pub(crate) fn read_data(
    data: &[u8],
    answer: &mut Answer,
    read: impl FnOnce(&[u8], &mut Answer) -> Option<EventInfo>,
) -> EventInfo {
    let data = data.trim_ascii();
    let info = if data == b"[DONE]" {
        answer.done = true;
        EventInfo::bare(EventFlags::DONE)
    } else if data.is_empty() {
        EventInfo::bare(EventFlags::EMPTY)
    } else {
        read(data, answer).unwrap_or(EventInfo::bare(EventFlags::UNKNOWN))
    };
    answer.ends_with_usage =
        info.flags.has(EventFlags::USAGE) && !info.flags.has(EventFlags::GENERATED | EventFlags::ROLE);
    info
}

/// The JSON value of an event or body; what had to be replaced in it is counted.
pub(crate) fn parse(data: &[u8], answer: &mut Answer) -> Option<Value> {
    let (value, replaced) = repair::parse(data)?;
    answer.replaced = answer.replaced.saturating_add(replaced);
    Some(value)
}

/// The JSON value of a body that is not a stream.
pub(crate) fn parse_body(body: &[u8], answer: &mut Answer) -> Result<Value, String> {
    if body.trim_ascii().is_empty() {
        return Err("the body of the answer is empty".to_owned());
    }
    parse(body, answer).ok_or_else(|| format!("the answer is not JSON: {}", error::excerpt(body)))
}

/// A body that has not got what answers have: an error in a known shape, else words for what is missing.
pub(crate) fn lacking(what: &str, value: &Value, body: &[u8], answer: &mut Answer) -> Result<EventInfo, String> {
    match error_of(value) {
        Some(error) => Ok(EventInfo::bare(EventFlags::UNKNOWN).with_error(error, answer)),
        None => Err(format!("the answer has no {what}: {}", error::excerpt(body))),
    }
}

fn error_of(value: &Value) -> Option<ServerError> {
    match value {
        Value::Object(object) => error::error_in(object),
        // Some gateways wrap the object into a list.
        Value::Array(items) => items.first().and_then(Value::as_object).and_then(error::error_in),
        _ => None,
    }
}

/// A member that is a text with something in it.
pub(crate) fn text_in<'v>(object: &'v Map<String, Value>, key: &str) -> Option<&'v str> {
    object.get(key)?.as_str().filter(|text| !text.is_empty())
}

/// A member that is an object.
pub(crate) fn object_in<'v>(object: &'v Map<String, Value>, key: &str) -> Option<&'v Map<String, Value>> {
    object.get(key)?.as_object()
}

/// The objects of a member that is a list.
pub(crate) fn objects_in<'v>(
    object: &'v Map<String, Value>,
    key: &str,
) -> impl Iterator<Item = &'v Map<String, Value>> {
    object.get(key).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_object)
}
