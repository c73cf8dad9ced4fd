//! Taking the fields of a row, with a fault for each that is not what it should be.

use serde_json::{Map, Value};

use crate::fault::Place;
use crate::input::Line;

/// The fields of a row that have not been taken yet. As everywhere, null is the same as absent.
#[derive(Debug)]
pub(crate) struct Fields {
    pub(crate) place: Place,
    /// Put before the names of fields, such as `turns[2].`.
    prefix: String,
    object: Map<String, Value>,
    is_no_object: bool,
    /// Faults so far: the field and the reason.
    faults: Vec<(Option<String>, String)>,
    /// Fields of inner objects that nothing has asked for.
    ignored: Vec<String>,
}

/// A row's faults and the fields that nothing asked for.
#[derive(Debug)]
pub(crate) struct Leftover {
    pub(crate) place: Place,
    pub(crate) faults: Vec<(Option<String>, String)>,
    pub(crate) ignored: Vec<String>,
}

impl Fields {
    pub(crate) fn new(place: Place, object: Map<String, Value>) -> Self {
        let mut fields =
            Self { place, prefix: String::new(), object, is_no_object: false, faults: Vec::new(), ignored: Vec::new() };
        fields.object.retain(|_, value| !value.is_null());
        fields
    }

    /// The fields of a line; if it is no object, there are none but a fault.
    pub(crate) fn of_line(line: &Line<'_>) -> Self {
        match line.text {
            Ok(text) => Self::of_text(Place::Line(line.number), text),
            Err(ref reason) => Self::faulty(Place::Line(line.number), reason.clone()),
        }
    }

    /// The fields of a JSON text; if it is no object, there are none but a fault.
    pub(crate) fn of_text(place: Place, text: &str) -> Self {
        match serde_json::from_str(text) {
            Ok(value) => Self::of_value(place, value),
            Err(error) => Self::faulty(place, format!("is not JSON ({})", position(&error))),
        }
    }

    /// The fields of an object; if it is none, there are none but a fault.
    pub(crate) fn of_value(place: Place, value: Value) -> Self {
        match value {
            Value::Object(object) => Self::new(place, object),
            other => Self::faulty(place, format!("is {}, not an object", kind(&other))),
        }
    }

    fn faulty(place: Place, reason: String) -> Self {
        Self { faults: vec![(None, reason)], is_no_object: true, ..Self::new(place, Map::new()) }
    }

    /// Fields of an object within this one, under a name such as `turns[2]`; [`Self::absorb`] ends it.
    pub(crate) fn inner(&mut self, name: &str, value: Value) -> Self {
        let Value::Object(object) = value else {
            self.fault(name, format!("is {}, not an object", kind(&value)));
            let prefix = format!("{}{name}.", self.prefix);
            return Self { prefix, is_no_object: true, ..Self::new(self.place, Map::new()) };
        };
        Self { prefix: format!("{}{name}.", self.prefix), ..Self::new(self.place, object) }
    }

    /// Takes over what was wrong within an inner object and what was left of it.
    pub(crate) fn absorb(&mut self, inner: Self) {
        let leftover = inner.leftover();
        self.faults.extend(leftover.faults);
        self.ignored.extend(leftover.ignored);
    }

    /// Makes what is left faults, for formats that allow no other fields.
    pub(crate) fn refuse_rest(&mut self) {
        let rest: Vec<String> = std::mem::take(&mut self.object).into_iter().map(|(field, _)| field).collect();
        for field in rest {
            self.fault(&field, "is not a field of this format");
        }
    }

    pub(crate) fn leftover(mut self) -> Leftover {
        // Numbers of entries say nothing when fields of many rows are listed.
        let prefix = without_numbers(&self.prefix);
        self.ignored.extend(self.object.into_iter().map(|(field, _)| format!("{prefix}{field}")));
        Leftover { place: self.place, faults: self.faults, ignored: self.ignored }
    }

    pub(crate) fn fault(&mut self, field: &str, reason: impl Into<String>) {
        self.faults.push((Some(format!("{}{field}", self.prefix)), reason.into()));
    }

    /// A fault of the row as a whole.
    pub(crate) fn fault_of_row(&mut self, reason: impl Into<String>) {
        self.faults.push((None, reason.into()));
    }

    /// Faults so far.
    pub(crate) fn faults(&self) -> usize {
        self.faults.len()
    }

    /// Whether there is no object at all, so that fields cannot be missing in it.
    pub(crate) fn is_no_object(&self) -> bool {
        self.is_no_object
    }

    pub(crate) fn has(&self, field: &str) -> bool {
        self.object.contains_key(field)
    }

    /// Whether a field is this text, is written so (`3`, `true`), or is a list that has it.
    pub(crate) fn is_text(&self, field: &str, text: &str) -> bool {
        self.object.get(field).is_some_and(|value| is_text(value, text))
    }

    pub(crate) fn take(&mut self, field: &str) -> Option<Value> {
        self.object.shift_remove(field)
    }

    /// Puts the one entry of a list in the list's place, for formats in which every value is a list.
    pub(crate) fn unlist(&mut self, field: &str) {
        if let Some(value) = self.object.get_mut(field)
            && let Value::Array(items) = value
            && items.len() == 1
        {
            *value = items.remove(0);
        }
    }

    /// Everything that is left, which then counts as understood.
    pub(crate) fn take_rest(&mut self) -> Map<String, Value> {
        std::mem::take(&mut self.object)
    }

    /// Puts a field back.
    pub(crate) fn put(&mut self, field: &str, value: Option<Value>) {
        self.object.extend(value.map(|value| (field.to_owned(), value)));
    }

    /// Takes fields that are known and change nothing.
    pub(crate) fn skip(&mut self, fields: &[&str]) {
        for field in fields {
            self.object.shift_remove(*field);
        }
    }

    /// A text, which may be empty.
    pub(crate) fn text(&mut self, field: &str) -> Option<String> {
        match self.take(field)? {
            Value::String(text) => return Some(text),
            other => self.fault(field, format!("is {}, not a text", kind(&other))),
        }
        None
    }

    /// A text that is not empty.
    pub(crate) fn filled(&mut self, field: &str) -> Option<String> {
        let text = self.text(field)?;
        if text.is_empty() {
            self.fault(field, "is empty");
            return None;
        }
        Some(text)
    }

    /// A name: a text that is not empty, or a whole number.
    pub(crate) fn name(&mut self, field: &str) -> Option<String> {
        match self.object.get(field) {
            Some(Value::Number(number)) if number.is_u64() || number.is_i64() => {
                let name = number.to_string();
                self.take(field);
                Some(name)
            }
            _ => self.filled(field),
        }
    }

    /// A whole number above 0.
    pub(crate) fn above_zero(&mut self, field: &str) -> Option<u64> {
        let value = self.take(field)?;
        let number = whole(&value).filter(|&number| number > 0);
        if number.is_none() {
            self.fault(field, "is not a whole number above 0");
        }
        number
    }

    /// A whole number, 0 or more.
    pub(crate) fn whole(&mut self, field: &str) -> Option<u64> {
        let value = self.take(field)?;
        let number = whole(&value);
        if number.is_none() {
            self.fault(field, "is not a whole number");
        }
        number
    }

    /// Output tokens to ask for, under one of several names.
    pub(crate) fn output_tokens(&mut self, names: &[&str]) -> Option<u64> {
        let mut found: Option<(&str, u64)> = None;
        for &name in names {
            let Some(length) = self.above_zero(name) else { continue };
            match found {
                Some((first, other)) if other != length => {
                    self.fault(name, format!("is {length}, but `{first}` is {other}"));
                }
                _ => found = Some((name, length)),
            }
        }
        found.map(|(_, length)| length)
    }

    /// A time of 0 or more milliseconds.
    pub(crate) fn ms(&mut self, field: &str) -> Option<f64> {
        let number = self.take(field)?;
        match number.as_f64() {
            Some(ms) if ms.is_finite() && ms >= 0.0 => return Some(ms),
            Some(_) => self.fault(field, "is negative"),
            None => self.fault(field, "is not a number of milliseconds"),
        }
        None
    }

    /// A boolean.
    pub(crate) fn flag(&mut self, field: &str) -> Option<bool> {
        match self.take(field)? {
            Value::Bool(flag) => return Some(flag),
            other => self.fault(field, format!("is {}, not true or false", kind(&other))),
        }
        None
    }

    pub(crate) fn list(&mut self, field: &str) -> Option<Vec<Value>> {
        match self.take(field)? {
            Value::Array(items) => return Some(items),
            other => self.fault(field, format!("is {}, not a list", kind(&other))),
        }
        None
    }

    pub(crate) fn object(&mut self, field: &str) -> Option<Map<String, Value>> {
        match self.take(field)? {
            Value::Object(object) => return Some(object),
            other => self.fault(field, format!("is {}, not an object", kind(&other))),
        }
        None
    }

    /// A field that may have one value only.
    pub(crate) fn constant(&mut self, field: &str, expected: &str) {
        if let Some(value) = self.take(field)
            && value != expected
        {
            self.fault(field, format!("is {value}, not \"{expected}\""));
        }
    }
}

fn is_text(value: &Value, text: &str) -> bool {
    match value {
        Value::String(value) => value == text,
        Value::Number(value) => value.to_string() == text,
        Value::Bool(value) => text == if *value { "true" } else { "false" },
        Value::Array(items) => items.iter().any(|item| is_text(item, text)),
        Value::Null | Value::Object(_) => false,
    }
}

/// The number, if it is whole and not negative, however it is written (`3`, `3.0`).
pub(crate) fn whole(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| {
        let number = value.as_f64()?;
        // Above 2^53 a float no longer says which whole number is meant.
        (number >= 0.0 && number.fract() == 0.0 && number <= 9_007_199_254_740_992.0).then_some(number as u64)
    })
}

/// What a value is, with its article.
pub(crate) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// The parser's words.
pub(crate) fn reason(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.split_once(" at line ").map_or(text.clone(), |(reason, _)| reason.to_owned())
}

/// The parser's words and where: the line only if there are several.
pub(crate) fn position(error: &serde_json::Error) -> String {
    let reason = reason(error);
    match error.line() {
        0 => reason,
        1 => format!("{reason}, column {}", error.column()),
        line => format!("{reason}, line {line}, column {}", error.column()),
    }
}

fn without_numbers(prefix: &str) -> String {
    let mut text = String::with_capacity(prefix.len());
    let mut is_index = false;
    for character in prefix.chars() {
        is_index &= character != ']';
        if !is_index {
            text.push(character);
        }
        is_index |= character == '[';
    }
    text
}
