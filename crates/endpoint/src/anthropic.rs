//! Chat messages in the form of Anthropic's messages API.

use serde_json::{Value, json};

use crate::message::{system_first, text_of_content};

/// The system text, which is that of the system messages at the start, and the messages of the rest.
pub(crate) fn messages<'m>(messages: impl Iterator<Item = &'m Value>) -> (Option<String>, Vec<Value>) {
    let (system, rest) = system_first(messages);
    (system, rest.into_iter().map(converted).collect())
}

/// Tools as this API lists them.
pub(crate) fn tools(tools: &Value) -> Value {
    let convert = |tool: &Value| match tool.get("function") {
        Some(function) => {
            let mut converted = json!({"name": function.get("name")});
            if let Some(description) = function.get("description") {
                converted["description"] = description.clone();
            }
            converted["input_schema"] =
                function.get("parameters").cloned().unwrap_or_else(|| json!({"type": "object", "properties": {}}));
            converted
        }
        None => tool.clone(),
    };
    tools.as_array().map_or_else(|| tools.clone(), |tools| tools.iter().map(convert).collect())
}

fn converted(message: &Value) -> Value {
    let role = message.get("role").and_then(Value::as_str).unwrap_or("user");
    let content = message.get("content").filter(|content| !content.is_null());
    if role == "tool" {
        let result = content.map(text_of_content).unwrap_or_default();
        return json!({"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": message.get("tool_call_id"), "content": result},
        ]});
    }
    // Only users and assistants speak here; a system message in the midst is the operator's, who is a user.
    let role = if role == "assistant" { role } else { "user" };
    let calls = message.get("tool_calls").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let content = match content {
        Some(text @ Value::String(_)) if calls.is_empty() => text.clone(),
        content => {
            let mut blocks: Vec<Value> = match content {
                Some(Value::Array(parts)) => parts.iter().map(block).collect(),
                Some(Value::String(text)) if !text.is_empty() => vec![json!({"type": "text", "text": text})],
                _ => Vec::new(),
            };
            blocks.extend(calls.iter().map(tool_use));
            blocks.into()
        }
    };
    json!({"role": role, "content": content})
}

/// A part of a chat message as a block; what is a block already stays as it is.
fn block(part: &Value) -> Value {
    if part.get("type").and_then(Value::as_str) != Some("image_url") {
        return part.clone();
    }
    let image = part.get("image_url");
    let url = image.and_then(|image| image.get("url")).or(image).and_then(Value::as_str).unwrap_or_default();
    let data = url.strip_prefix("data:").and_then(|rest| rest.split_once(";base64,"));
    let source = match data {
        Some((media_type, data)) => json!({"type": "base64", "media_type": media_type, "data": data}),
        None => json!({"type": "url", "url": url}),
    };
    json!({"type": "image", "source": source})
}

fn tool_use(call: &Value) -> Value {
    let function = |key| call.get("function").and_then(|function| function.get(key));
    let input = match function("arguments") {
        Some(Value::String(text)) => serde_json::from_str(text).ok().filter(Value::is_object),
        Some(object @ Value::Object(_)) => Some(object.clone()),
        _ => None,
    };
    json!({
        "type": "tool_use",
        "id": call.get("id"),
        "name": function("name"),
        "input": input.unwrap_or_else(|| json!({})),
    })
}
