//! The second tier: what an event means, from its JSON tree.

use serde_json::{Map, Value};

use crate::parts::text_in;
use crate::{Answer, EventFlags, EventInfo, error, repair, usage};

/// Reads one JSON text; none if it is not JSON.
pub(super) fn read(data: &[u8], answer: &mut Answer) -> Option<EventInfo> {
    let (value, replaced) = repair::parse(data)?;
    answer.replaced = answer.replaced.saturating_add(replaced);
    let Value::Object(event) = value else {
        return Some(EventInfo { flags: EventFlags::UNKNOWN, ..EventInfo::default() });
    };

    let mut parts = Parts::default();
    let choices = event.get("choices").and_then(Value::as_array);
    for choice in choices.into_iter().flatten().filter_map(Value::as_object) {
        parts.add_choice(choice);
    }
    let mut marks = Marks { role: parts.has_role, finish: parts.finish.is_some(), usage: false };
    if let Some(counts) = counts_of(&event, choices) {
        answer.usage = Some(counts);
        marks.usage = true;
    }
    if parts.finish.is_some() {
        answer.finish_reason = parts.finish;
    }
    for text in [&parts.reasoning, &parts.content, &parts.tool] {
        answer.text.extend_from_slice(text.as_bytes());
    }

    let info =
        EventInfo::of_choices(parts.reasoning.len(), parts.content.len(), parts.tool.len(), &marks, choices.is_some());
    Some(match error::error_in(&event) {
        Some(error) => info.with_error(error, answer),
        None => info,
    })
}

/// What an event's choices say beside text.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Marks {
    pub(super) role: bool,
    pub(super) finish: bool,
    pub(super) usage: bool,
}

impl EventInfo {
    /// The roles that follow from what was found.
    pub(super) fn of_choices(
        reasoning_len: usize,
        content_len: usize,
        tool_len: usize,
        marks: &Marks,
        has_choices: bool,
    ) -> Self {
        let mut flags = EventFlags::NONE;
        for (is_set, flag) in
            [(marks.role, EventFlags::ROLE), (marks.finish, EventFlags::FINISH), (marks.usage, EventFlags::USAGE)]
        {
            if is_set {
                flags |= flag;
            }
        }
        let otherwise = if has_choices { EventFlags::EMPTY } else { EventFlags::UNKNOWN };
        Self::of(reasoning_len, content_len, tool_len, flags, otherwise)
    }
}

/// The counts of an event: its own, else those that some servers put into a choice or an extension.
fn counts_of(event: &Map<String, Value>, choices: Option<&Vec<Value>>) -> Option<crate::Usage> {
    let own = event.get("usage").and_then(usage::usage_in);
    own.or_else(|| choices?.iter().find_map(|choice| usage::usage_in(choice.get("usage")?)))
        .or_else(|| usage::usage_in(event.get("x_groq")?.get("usage")?))
}

/// The texts of all choices of an event.
#[derive(Default)]
struct Parts {
    reasoning: String,
    content: String,
    tool: String,
    has_role: bool,
    finish: Option<String>,
}

impl Parts {
    fn add_choice(&mut self, choice: &Map<String, Value>) {
        let present = |key| choice.get(key).filter(|value: &&Value| !value.is_null());
        if let Some(part) = present("delta").or_else(|| present("message")) {
            if let Some(part) = part.as_object() {
                self.add_message(part);
            }
        } else if let Some(text) = text_in(choice, "text") {
            self.content.push_str(text);
        }
        if let Some(reason) = text_in(choice, "finish_reason") {
            self.finish = Some(reason.to_owned());
        }
    }

    fn add_message(&mut self, message: &Map<String, Value>) {
        self.has_role |= text_in(message, "role").is_some();
        // Servers in transition send the same text under both names.
        if let Some(text) = text_in(message, "reasoning_content").or_else(|| text_in(message, "reasoning")) {
            self.reasoning.push_str(text);
        }
        match message.get("content") {
            Some(Value::String(text)) => self.content.push_str(text),
            Some(Value::Array(items)) => items.iter().for_each(|item| self.add_part(item)),
            _ => {}
        }
        if let Some(text) = text_in(message, "refusal") {
            self.content.push_str(text);
        }
        if let Some(calls) = message.get("tool_calls") {
            push_tool_calls(calls, &mut self.tool);
        }
        if let Some(call) = message.get("function_call") {
            push_function(call, "arguments", &mut self.tool);
        }
    }

    /// One part of a content that is a list.
    fn add_part(&mut self, part: &Value) {
        let Value::Object(object) = part else {
            self.content.push_str(part.as_str().unwrap_or_default());
            return;
        };
        let is_reasoning = matches!(text_in(object, "type"), Some("thinking" | "reasoning"));
        let into = if is_reasoning { &mut self.reasoning } else { &mut self.content };
        for key in ["text", "thinking", "refusal"] {
            match object.get(key) {
                Some(Value::String(text)) => into.push_str(text),
                Some(Value::Array(items)) => {
                    items.iter().filter_map(|item| item.get("text")?.as_str()).for_each(|text| into.push_str(text));
                }
                _ => {}
            }
        }
    }
}

/// Adds the names and arguments of a `tool_calls` list.
pub(super) fn push_tool_calls(calls: &Value, into: &mut String) {
    for call in calls.as_array().into_iter().flatten() {
        if let Some(function) = call.get("function") {
            push_function(function, "arguments", into);
        }
        if let Some(custom) = call.get("custom") {
            push_function(custom, "input", into);
        }
    }
}

fn push_function(function: &Value, arguments: &str, into: &mut String) {
    if let Some(name) = function.get("name").and_then(Value::as_str) {
        into.push_str(name);
    }
    match function.get(arguments) {
        Some(Value::String(text)) => into.push_str(text),
        // Some servers send them parsed.
        Some(object @ Value::Object(_)) => into.push_str(&object.to_string()),
        _ => {}
    }
}
