//! Rows of the single-turn format: AIPerf's field names, one JSON object per line.

use std::collections::{BTreeSet, HashSet};

use serde_json::{Map, Value};

use super::{Faults, Row};

/// Fields that would change the request in a way that is not supported yet.
const UNSUPPORTED: [&str; 7] = ["image", "images", "image_uuids", "audio", "audios", "video", "videos"];

/// Reads rows one after the other and keeps what holds between them.
#[derive(Debug, Default)]
pub(super) struct RowReader {
    /// What is wrong so far.
    pub(super) faults: Faults,
    /// Fields that some row has and that change nothing.
    pub(super) ignored: BTreeSet<String>,
    sessions: HashSet<String>,
}

impl RowReader {
    /// The row of a line; `None` if it is faulty.
    pub(super) fn row(&mut self, line: u64, text: &[u8]) -> Option<Row> {
        let Ok(text) = std::str::from_utf8(text) else {
            self.faults.add(line, None, "is not UTF-8");
            return None;
        };
        match serde_json::from_str(text) {
            Ok(Value::Object(object)) => self.object(line, object),
            Ok(other) => {
                let found = kind(&other);
                self.faults.add(line, None, format!("is {found}, not an object such as {{\"text\": \"…\"}}"));
                None
            }
            Err(error) => {
                self.faults.add(line, None, format!("is not JSON ({}, column {})", reason(&error), error.column()));
                None
            }
        }
    }

    fn object(&mut self, line: u64, mut object: Map<String, Value>) -> Option<Row> {
        let before = self.faults.count();
        // As everywhere, null is the same as absent.
        object.retain(|_, value| !value.is_null());
        let mut fields = Fields { line, object, faults: &mut self.faults };
        for field in UNSUPPORTED {
            if fields.object.contains_key(field) {
                fields.fault(field, "is not supported yet; only text is");
            }
        }
        let row = Row {
            texts: fields.texts(),
            output_tokens: fields.output_tokens(),
            model: fields.filled_string("model"),
            extra: fields.map("extra"),
            ..Row::default()
        };
        fields.constant("role", "user");
        fields.constant("type", "single_turn");
        for field in ["timestamp", "delay"] {
            if fields.object.get(field).is_some_and(|value| !value.is_number()) {
                fields.fault(field, "is not a number of milliseconds");
            }
        }
        if fields.object.contains_key("timestamp") && fields.object.contains_key("delay") {
            fields.fault("delay", "stands beside `timestamp`; only one of them may be given");
        }
        if let Some(session) = fields.filled_string("session_id") {
            if self.sessions.contains(&session) {
                fields.fault("session_id", "is that of an earlier line; conversations are not supported yet");
            }
            self.sessions.insert(session);
            self.ignored.insert("session_id".to_owned());
        }
        // What was understood has been taken out.
        self.ignored.extend(fields.object.into_iter().map(|(field, _)| field));
        (self.faults.count() == before).then_some(row)
    }
}

/// The fields of one line; reading takes them out.
struct Fields<'a> {
    line: u64,
    object: Map<String, Value>,
    faults: &'a mut Faults,
}

impl Fields<'_> {
    fn fault(&mut self, field: &str, reason: impl Into<String>) {
        self.faults.add(self.line, Some(field), reason);
    }

    fn take(&mut self, field: &str) -> Option<Value> {
        self.object.shift_remove(field)
    }

    fn texts(&mut self) -> Vec<String> {
        let mut texts = Vec::new();
        match (self.take("text"), self.take("texts")) {
            (Some(_), Some(_)) => self.fault("texts", "stands beside `text`; only one of them may be given"),
            (Some(text), None) => self.text("text", text, &mut texts),
            (None, Some(Value::Array(items))) => {
                if items.is_empty() {
                    self.fault("texts", "is empty");
                }
                for item in items {
                    self.text("texts", item, &mut texts);
                }
            }
            (None, Some(other)) => self.fault("texts", format!("is {}, not a list", kind(&other))),
            // A row of nothing but media has its own fault already.
            (None, None) if UNSUPPORTED.iter().any(|field| self.object.contains_key(*field)) => {}
            (None, None) => self.fault("text", "is missing"),
        }
        texts
    }

    /// A text, or an object with a list of them in `contents`.
    fn text(&mut self, field: &str, value: Value, texts: &mut Vec<String>) {
        match value {
            Value::String(text) if text.is_empty() => self.fault(field, "is empty"),
            Value::String(text) => texts.push(text),
            Value::Object(mut object) if field == "texts" => match object.shift_remove("contents") {
                Some(Value::Array(contents)) if !contents.is_empty() => {
                    for content in contents {
                        self.text("texts.contents", content, texts);
                    }
                }
                _ => self.fault("texts.contents", "is not a list of texts"),
            },
            other => self.fault(field, format!("is {}, not a text", kind(&other))),
        }
    }

    /// `output_length`, or as it is also called, `max_tokens`.
    fn output_tokens(&mut self) -> Option<u64> {
        let mut found = None;
        for field in ["max_tokens", "output_length"] {
            let Some(value) = self.take(field) else { continue };
            match value.as_u64() {
                Some(length) if length > 0 => found = Some(length),
                _ => self.fault(field, "is not a whole number above 0"),
            }
        }
        found
    }

    fn filled_string(&mut self, field: &str) -> Option<String> {
        match self.take(field)? {
            Value::String(text) if !text.is_empty() => return Some(text),
            Value::String(_) => self.fault(field, "is empty"),
            other => self.fault(field, format!("is {}, not a text", kind(&other))),
        }
        None
    }

    fn map(&mut self, field: &str) -> Map<String, Value> {
        match self.take(field) {
            None => Map::new(),
            Some(Value::Object(map)) => map,
            Some(other) => {
                self.fault(field, format!("is {}, not an object", kind(&other)));
                Map::new()
            }
        }
    }

    /// A field that may have one value only.
    fn constant(&mut self, field: &str, expected: &str) {
        if let Some(value) = self.take(field)
            && value != expected
        {
            self.fault(field, format!("is {value}; only \"{expected}\" is supported yet"));
        }
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// The parser's words without its position, which is that within the line.
fn reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.split_once(" at line ").map_or(text.clone(), |(reason, _)| reason.to_owned())
}
