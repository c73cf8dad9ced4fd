//! Chat messages as items of OpenAI's responses API.

use serde_json::{Map, Value, json};

use crate::message::{system_first, text_of_content};

/// The instructions, which are the system messages at the start, and the items of the rest.
pub(crate) fn items<'m>(messages: impl Iterator<Item = &'m Value>) -> (Option<String>, Vec<Value>) {
    let (system, rest) = system_first(messages);
    let mut items = Vec::with_capacity(rest.len());
    rest.into_iter().for_each(|message| add_message(message, &mut items));
    (system, items)
}

/// Tools as this API lists them: the function's members stand beside its type.
pub(crate) fn tools(tools: &Value) -> Value {
    let flat = |tool: &Value| match tool.get("function").and_then(Value::as_object) {
        Some(function) => {
            let mut flat = Map::new();
            flat.insert("type".to_owned(), "function".into());
            flat.extend(function.clone());
            Value::Object(flat)
        }
        None => tool.clone(),
    };
    tools.as_array().map_or_else(|| tools.clone(), |tools| tools.iter().map(flat).collect())
}

fn add_message(message: &Value, items: &mut Vec<Value>) {
    // What is an item already stays as it is.
    let Some(role) = message.get("role").and_then(Value::as_str) else {
        items.push(message.clone());
        return;
    };
    let content = message.get("content").filter(|content| !content.is_null());
    if role == "tool" {
        let output = content.map(text_of_content).unwrap_or_default();
        items.push(json!({"type": "function_call_output", "call_id": message.get("tool_call_id"), "output": output}));
        return;
    }
    let calls = message.get("tool_calls").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    if let Some(content) = content.filter(|content| calls.is_empty() || *content != "") {
        items.push(json!({"role": role, "content": converted(content, role), "type": "message"}));
    }
    for call in calls {
        let function = |key| call.get("function").and_then(|function| function.get(key));
        items.push(json!({
            "type": "function_call",
            "call_id": call.get("id"),
            "name": function("name"),
            "arguments": function("arguments"),
        }));
    }
}

fn converted(content: &Value, role: &str) -> Value {
    let Some(parts) = content.as_array() else { return content.clone() };
    let text_type = if role == "assistant" { "output_text" } else { "input_text" };
    let part = |part: &Value| match part.get("type").and_then(Value::as_str) {
        Some("text") => json!({"type": text_type, "text": part.get("text")}),
        Some("image_url") => {
            let image = part.get("image_url");
            json!({"type": "input_image", "image_url": image.and_then(|image| image.get("url")).or(image)})
        }
        _ => part.clone(),
    };
    parts.iter().map(part).collect()
}
