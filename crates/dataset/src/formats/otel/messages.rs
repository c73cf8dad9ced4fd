//! The messages of a span as those of a chat request.

use serde_json::{Map, Value, json};

use super::Attributes;

/// The messages, if the span has their texts.
pub(super) fn of_attributes(attributes: &Attributes) -> Option<Vec<Value>> {
    let mut messages = Vec::new();
    if let Some(system) = structured(attributes, "gen_ai.system_instructions") {
        let text = parts_text(&system);
        if !text.is_empty() {
            messages.push(json!({"role": "system", "content": text}));
        }
    }
    let input = structured(attributes, "gen_ai.input.messages").or_else(|| structured(attributes, "gen_ai.prompt"));
    match input {
        Some(Value::Array(input)) => messages.extend(input.into_iter().filter_map(message)),
        Some(Value::String(text)) if !text.is_empty() => messages.push(json!({"role": "user", "content": text})),
        _ => messages.extend(numbered(attributes)),
    }
    // A system's message alone asks nothing.
    messages.iter().any(|message| message["role"] != "system").then_some(messages)
}

/// The tools that the request offered, as chats define them.
pub(super) fn tools(attributes: &Attributes) -> Option<Value> {
    let Value::Array(tools) = structured(attributes, "gen_ai.tool.definitions")? else { return None };
    let tools: Vec<Value> = tools.into_iter().map(tool).collect();
    (!tools.is_empty()).then_some(Value::Array(tools))
}

fn tool(tool: Value) -> Value {
    match tool {
        Value::Object(mut function) if function.contains_key("name") && !function.contains_key("function") => {
            function.shift_remove("type");
            json!({"type": "function", "function": function})
        }
        other => other,
    }
}

/// An attribute that is a structure, or the JSON text of one, or a plain text.
fn structured(attributes: &Attributes, name: &str) -> Option<Value> {
    match attributes.get(name)? {
        Value::String(text) => Some(serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.clone()))),
        value => Some(value.clone()),
    }
}

/// The texts of parts, one per line.
fn parts_text(parts: &Value) -> String {
    let text = |part: &Value| match part {
        Value::String(text) => Some(text.clone()),
        part => part.get("content").or_else(|| part.get("text")).and_then(Value::as_str).map(str::to_owned),
    };
    match parts {
        Value::Array(parts) => parts.iter().filter_map(text).collect::<Vec<_>>().join("\n"),
        part => text(part).unwrap_or_default(),
    }
}

/// A chat message from `{"role", "parts"}`; one that has a `content` already stays as it is.
fn message(message: Value) -> Option<Value> {
    let Value::Object(message) = message else { return None };
    let Some(Value::Array(parts)) = message.get("parts") else { return Some(Value::Object(message)) };
    let role = message.get("role").and_then(Value::as_str).unwrap_or("user");
    let mut chat = Map::new();
    chat.insert("role".to_owned(), role.into());
    let of_kind = |kind: &str| parts.iter().filter(|part| part["type"] == kind).cloned().collect::<Vec<_>>();
    let text = parts_text(&Value::Array(of_kind("text")));
    let calls: Vec<Value> = of_kind("tool_call").iter().map(tool_call).collect();
    if let [answer, ..] = &of_kind("tool_call_response")[..] {
        chat.insert("role".to_owned(), "tool".into());
        chat.insert("tool_call_id".to_owned(), answer["id"].clone());
        let result = answer.get("response").or_else(|| answer.get("result")).cloned().unwrap_or_default();
        chat.insert("content".to_owned(), as_text(result).into());
        return Some(Value::Object(chat));
    }
    let content = if text.is_empty() && !calls.is_empty() { Value::Null } else { text.into() };
    chat.insert("content".to_owned(), content);
    if !calls.is_empty() {
        chat.insert("tool_calls".to_owned(), calls.into());
    }
    Some(Value::Object(chat))
}

fn tool_call(part: &Value) -> Value {
    let arguments = as_text(part.get("arguments").cloned().unwrap_or_else(|| json!({})));
    json!({"id": part["id"], "type": "function", "function": {"name": part["name"], "arguments": arguments}})
}

fn as_text(value: Value) -> String {
    match value {
        Value::String(text) => text,
        other => other.to_string(),
    }
}

/// `gen_ai.prompt.0.role`, `gen_ai.prompt.0.content` and so on.
fn numbered(attributes: &Attributes) -> Vec<Value> {
    let mut messages = Vec::new();
    while let Some(content) = attributes.get(&format!("gen_ai.prompt.{}.content", messages.len())) {
        let role = attributes.get(&format!("gen_ai.prompt.{}.role", messages.len()));
        messages.push(json!({"role": role.and_then(Value::as_str).unwrap_or("user"), "content": content}));
    }
    messages
}
