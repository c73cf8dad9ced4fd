//! The `tojson` filter, which writes as Python's `json.dumps` does.

use minijinja::value::{Kwargs, Value};
use minijinja::{Error, ErrorKind};
use serde_json::Value as Json;

/// How it is written.
struct Style {
    /// What each level is indented by; without it all is on one line.
    indent: Option<String>,
    between_items: String,
    after_key: String,
    ensure_ascii: bool,
    sort_keys: bool,
}

/// The filter with the options that templates give it: `indent`, `separators`, `ensure_ascii`, `sort_keys`.
pub(super) fn to_json(value: &Value, indent: Option<Value>, options: Kwargs) -> Result<String, Error> {
    let indent = match indent {
        Some(indent) => Some(indent),
        None => options.get::<Option<Value>>("indent")?,
    };
    let indent = match indent.filter(|indent| !indent.is_none()) {
        Some(indent) => Some(match indent.as_str() {
            Some(text) => text.to_owned(),
            None => " ".repeat(usize::try_from(indent)?.min(64)),
        }),
        None => None,
    };
    let separators = options.get::<Option<Value>>("separators")?.filter(|separators| !separators.is_none());
    let (between_items, after_key) = match separators {
        Some(pair) => (pair.get_item_by_index(0)?.to_string(), pair.get_item_by_index(1)?.to_string()),
        // Python leaves out the space that a newline follows.
        None => (if indent.is_some() { "," } else { ", " }.to_owned(), ": ".to_owned()),
    };
    let ensure_ascii = options.get::<Option<bool>>("ensure_ascii")?.unwrap_or(false);
    let sort_keys = options.get::<Option<bool>>("sort_keys")?.unwrap_or(false);
    options.assert_all_used()?;
    if value.is_undefined() {
        return Err(Error::new(ErrorKind::InvalidOperation, "an undefined value cannot be written as JSON"));
    }
    let json = serde_json::to_value(value)
        .map_err(|error| Error::new(ErrorKind::InvalidOperation, format!("cannot be written as JSON: {error}")))?;
    let mut out = String::new();
    Style { indent, between_items, after_key, ensure_ascii, sort_keys }.write(&json, 0, &mut out);
    Ok(out)
}

impl Style {
    fn write(&self, value: &Json, depth: usize, out: &mut String) {
        match value {
            Json::Null => out.push_str("null"),
            Json::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
            Json::Number(number) => out.push_str(&number.to_string()),
            Json::String(text) => self.write_text(text, out),
            Json::Array(items) => {
                let write = |item: &Json, out: &mut String| self.write(item, depth + 1, out);
                self.write_items(['[', ']'], items.iter(), write, depth, out);
            }
            Json::Object(fields) => {
                let mut fields: Vec<(&String, &Json)> = fields.iter().collect();
                if self.sort_keys {
                    fields.sort_by_key(|(key, _)| *key);
                }
                let write = |(key, value): (&String, &Json), out: &mut String| {
                    self.write_text(key, out);
                    out.push_str(&self.after_key);
                    self.write(value, depth + 1, out);
                };
                self.write_items(['{', '}'], fields.into_iter(), write, depth, out);
            }
        }
    }

    fn write_items<T>(
        &self,
        [open, close]: [char; 2],
        items: impl ExactSizeIterator<Item = T>,
        write: impl Fn(T, &mut String),
        depth: usize,
        out: &mut String,
    ) {
        let is_empty = items.len() == 0;
        out.push(open);
        for (number, item) in items.enumerate() {
            if number > 0 {
                out.push_str(&self.between_items);
            }
            self.break_line(depth + 1, out);
            write(item, out);
        }
        if !is_empty {
            self.break_line(depth, out);
        }
        out.push(close);
    }

    fn break_line(&self, depth: usize, out: &mut String) {
        if let Some(indent) = &self.indent {
            out.push('\n');
            out.push_str(&indent.repeat(depth));
        }
    }

    fn write_text(&self, text: &str, out: &mut String) {
        out.push('"');
        for character in text.chars() {
            match character {
                '"' => out.push_str("\\\""),
                '\\' => out.push_str("\\\\"),
                '\n' => out.push_str("\\n"),
                '\r' => out.push_str("\\r"),
                '\t' => out.push_str("\\t"),
                '\u{8}' => out.push_str("\\b"),
                '\u{c}' => out.push_str("\\f"),
                '\0'..='\u{1f}' => push_escape(character as u16, out),
                '\u{7f}'.. if self.ensure_ascii && character != '\u{7f}' => {
                    for unit in character.encode_utf16(&mut [0; 2]) {
                        push_escape(*unit, out);
                    }
                }
                _ => out.push(character),
            }
        }
        out.push('"');
    }
}

fn push_escape(unit: u16, out: &mut String) {
    out.push_str(&format!("\\u{unit:04x}"));
}
