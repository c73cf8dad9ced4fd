//! Attributes of a span: a map, or OTLP's list of keys with typed values.

use serde_json::{Map, Value};

use super::Attributes;
use crate::fields::Fields;

/// The attributes of a span and of its events; the span's own count if both have one.
pub(super) fn attributes(fields: &mut Fields) -> Attributes {
    let mut all = Attributes::new();
    add(fields.take("attributes"), &mut all);
    if let Some(Value::Array(events)) = fields.take("events") {
        for event in events {
            if let Value::Object(mut event) = event {
                add(event.remove("attributes"), &mut all);
            }
        }
    }
    // A flattened span may have them beside its other fields.
    let rest = fields.take_rest();
    for (name, value) in rest {
        if name.starts_with("gen_ai.") {
            all.entry(name).or_insert(value);
        } else {
            fields.put(&name, Some(value));
        }
    }
    all
}

fn add(attributes: Option<Value>, all: &mut Attributes) {
    match attributes {
        Some(Value::Object(map)) => {
            for (name, value) in map {
                flatten(name, value, all);
            }
        }
        // Tables keep them as JSON.
        Some(Value::String(text)) => {
            if let Ok(map @ Value::Object(_)) = serde_json::from_str(&text) {
                add(Some(map), all);
            }
        }
        Some(Value::Array(pairs)) => {
            for pair in pairs {
                if let Value::Object(mut pair) = pair
                    && let (Some(Value::String(key)), Some(value)) = (pair.remove("key"), pair.remove("value"))
                {
                    all.entry(key).or_insert(plain(value));
                }
            }
        }
        _ => {}
    }
}

/// Maps within maps are names with dots, except where the value itself is structured.
fn flatten(name: String, value: Value, all: &mut Attributes) {
    match value {
        Value::Object(map) if !name.ends_with("messages") && !name.ends_with("instructions") => {
            for (inner, value) in map {
                flatten(format!("{name}.{inner}"), value, all);
            }
        }
        // Tables have a column for every name, whether there is a value or not.
        Value::Null => {}
        value => {
            all.entry(name).or_insert(value);
        }
    }
}

/// A value of OTLP (`{"stringValue": "…"}`) as a plain one.
fn plain(value: Value) -> Value {
    let Value::Object(mut object) = value else { return value };
    for key in ["stringValue", "intValue", "doubleValue", "boolValue", "bytesValue"] {
        if let Some(value) = object.remove(key) {
            return value;
        }
    }
    if let Some(Value::Object(mut array)) = object.remove("arrayValue") {
        let values = match array.remove("values") {
            Some(Value::Array(values)) => values,
            _ => Vec::new(),
        };
        return Value::Array(values.into_iter().map(plain).collect());
    }
    if let Some(Value::Object(mut list)) = object.remove("kvlistValue") {
        let mut map = Map::new();
        if let Some(Value::Array(pairs)) = list.remove("values") {
            for pair in pairs {
                if let Value::Object(mut pair) = pair
                    && let (Some(Value::String(key)), Some(value)) = (pair.remove("key"), pair.remove("value"))
                {
                    map.insert(key, plain(value));
                }
            }
        }
        return Value::Object(map);
    }
    Value::Object(object)
}
