//! Writes JSON straight into a buffer: rows are too many for a tree each.

use std::io::Write;

use tokamark_metrics::Unit;
use tokamark_record::{Failure, RequestRecord};

/// A JSON object that is being written.
pub(crate) struct Object<'a> {
    out: &'a mut Vec<u8>,
    is_empty: bool,
}

impl<'a> Object<'a> {
    pub(crate) fn begin(out: &'a mut Vec<u8>) -> Self {
        out.push(b'{');
        Self { out, is_empty: true }
    }

    fn key(&mut self, key: &str) {
        if !std::mem::replace(&mut self.is_empty, false) {
            self.out.push(b',');
        }
        string(self.out, key);
        self.out.push(b':');
    }

    pub(crate) fn text(&mut self, key: &str, value: &str) {
        self.key(key);
        string(self.out, value);
    }

    pub(crate) fn whole(&mut self, key: &str, value: u64) {
        self.key(key);
        integer(self.out, value);
    }

    pub(crate) fn some_whole(&mut self, key: &str, value: Option<u64>) {
        if let Some(value) = value {
            self.whole(key, value);
        }
    }

    pub(crate) fn truth(&mut self, key: &str, value: bool) {
        self.key(key);
        self.out.extend_from_slice(if value { b"true" } else { b"false" });
    }

    pub(crate) fn null(&mut self, key: &str) {
        self.key(key);
        self.out.extend_from_slice(b"null");
    }

    pub(crate) fn object(&mut self, key: &str, fill: impl FnOnce(&mut Object<'_>)) {
        self.key(key);
        let mut inner = Object::begin(self.out);
        fill(&mut inner);
        inner.end();
    }

    /// A list with an object for each item.
    pub(crate) fn objects<T>(
        &mut self,
        key: &str,
        items: impl Iterator<Item = T>,
        mut fill: impl FnMut(&mut Object<'_>, T),
    ) {
        self.key(key);
        self.out.push(b'[');
        for (i, item) in items.enumerate() {
            if i > 0 {
                self.out.push(b',');
            }
            let mut inner = Object::begin(self.out);
            fill(&mut inner, item);
            inner.end();
        }
        self.out.push(b']');
    }

    /// What is JSON already.
    pub(crate) fn json(&mut self, key: &str, value: &[u8]) {
        self.key(key);
        self.out.extend_from_slice(value);
    }

    /// `{value, unit}`, the value as it is shown.
    pub(crate) fn measure(&mut self, key: &str, value: f64, unit: Unit) {
        self.object(key, |measure| {
            measure.key("value");
            number(measure.out, value, unit);
            measure.text("unit", unit.display);
        });
    }

    /// `{value: […], unit}`.
    pub(crate) fn measures(&mut self, key: &str, values: &[f64], unit: Unit) {
        self.object(key, |measure| {
            measure.key("value");
            measure.out.push(b'[');
            for (i, value) in values.iter().enumerate() {
                if i > 0 {
                    measure.out.push(b',');
                }
                number(measure.out, *value, unit);
            }
            measure.out.push(b']');
            measure.text("unit", unit.display);
        });
    }

    /// `{code, type, message}` of a failure, and its kind.
    pub(crate) fn failure(&mut self, key: &str, failure: &Failure) {
        self.object(key, |error| {
            match failure.code.as_deref().map(|code| (code, code.parse::<u32>())) {
                None => error.null("code"),
                Some((_, Ok(number))) => error.whole("code", number.into()),
                Some((word, Err(_))) => error.text("code", word),
            }
            error.text("type", failure.label.as_deref().unwrap_or(failure.kind.name()));
            error.text("message", &failure.message);
            error.text("kind", failure.kind.name());
        });
    }

    pub(crate) fn end(self) {
        self.out.push(b'}');
    }
}

/// The sent time of a request, or when it should have been sent.
pub(crate) fn start_of(record: &RequestRecord) -> u64 {
    record.times.send_start.unwrap_or(record.times.scheduled)
}

/// Writing into memory cannot fail, and strings and finite numbers can always be written as JSON.
fn put(out: &mut Vec<u8>, value: &impl serde::Serialize) {
    let _ = serde_json::to_writer(out, value);
}

pub(crate) fn string(out: &mut Vec<u8>, value: &str) {
    put(out, &value);
}

fn integer(out: &mut Vec<u8>, value: u64) {
    let _ = write!(out, "{value}");
}

/// A value in its internal unit, as it is shown. What is not finite is null.
fn number(out: &mut Vec<u8>, value: f64, unit: Unit) {
    let shown = unit.shown(value);
    if unit.whole && shown >= 0.0 && shown.fract() == 0.0 && shown < 9e15 {
        integer(out, shown as u64);
    } else {
        put(out, &shown);
    }
}
