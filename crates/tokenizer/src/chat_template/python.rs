//! What Python writes differently, and the methods of its types that templates call.

use std::fmt::Write;

use chrono::DateTime;
use chrono::format::{Item, StrftimeItems};
use minijinja::value::{Value, ValueKind, from_args};
use minijinja::{Error, ErrorKind, Output, State};

/// Writes a value as `{{ … }}` does in Python: `True`, `None`, and lists and dictionaries as source text.
pub(super) fn format(out: &mut Output<'_>, _state: &mut State<'_, '_>, value: &Value) -> Result<(), Error> {
    let mut text = String::new();
    write_str(value, &mut text)?;
    out.write_str(&text).map_err(Error::from)
}

/// The `string` filter.
pub(super) fn to_string(value: &Value) -> Result<String, Error> {
    let mut text = String::new();
    write_str(value, &mut text)?;
    Ok(text)
}

fn write_str(value: &Value, text: &mut String) -> Result<(), Error> {
    match value.kind() {
        ValueKind::Undefined => {}
        ValueKind::Bool | ValueKind::None | ValueKind::Seq | ValueKind::Map => write_source(value, text)?,
        _ => text.push_str(&value.to_string()),
    }
    Ok(())
}

/// As Python's `repr` writes it.
fn write_source(value: &Value, text: &mut String) -> Result<(), Error> {
    match value.kind() {
        ValueKind::Undefined => text.push_str("Undefined"),
        ValueKind::None => text.push_str("None"),
        ValueKind::Bool => text.push_str(if value.is_true() { "True" } else { "False" }),
        ValueKind::String => write_quoted(value.as_str().unwrap_or_default(), text),
        ValueKind::Seq => {
            let (open, close) = if value.is_tuple() { ('(', ')') } else { ('[', ']') };
            text.push(open);
            for (number, item) in value.try_iter()?.enumerate() {
                text.push_str(if number > 0 { ", " } else { "" });
                write_source(&item, text)?;
            }
            if value.is_tuple() && value.len() == Some(1) {
                text.push(',');
            }
            text.push(close);
        }
        // Objects of the engine's own, such as a namespace, are maps too and have no better form.
        ValueKind::Map => {
            text.push('{');
            for (number, key) in value.try_iter()?.enumerate() {
                text.push_str(if number > 0 { ", " } else { "" });
                write_source(&key, text)?;
                text.push_str(": ");
                write_source(&value.get_item(&key)?, text)?;
            }
            text.push('}');
        }
        _ => text.push_str(&value.to_string()),
    }
    Ok(())
}

/// In single quotes, unless there are some in the text and no double ones.
fn write_quoted(content: &str, text: &mut String) {
    let quote = if content.contains('\'') && !content.contains('"') { '"' } else { '\'' };
    text.push(quote);
    for character in content.chars() {
        match character {
            '\\' => text.push_str("\\\\"),
            '\n' => text.push_str("\\n"),
            '\r' => text.push_str("\\r"),
            '\t' => text.push_str("\\t"),
            _ if character == quote => text.extend(['\\', quote]),
            '\0'..='\u{1f}' | '\u{7f}'..='\u{a0}' | '\u{ad}' => {
                text.push_str(&format!("\\x{:02x}", character as u32));
            }
            _ => text.push(character),
        }
    }
    text.push(quote);
}

/// Methods of Python's strings, lists and dictionaries.
pub(super) fn method(state: &mut State<'_, '_>, value: &Value, name: &str, args: &[Value]) -> Result<Value, Error> {
    if let Some(text) = value.as_str() {
        match name {
            "removeprefix" => {
                let (prefix,): (&str,) = from_args(args)?;
                return Ok(Value::from(text.strip_prefix(prefix).unwrap_or(text)));
            }
            "removesuffix" => {
                let (suffix,): (&str,) = from_args(args)?;
                return Ok(Value::from(text.strip_suffix(suffix).unwrap_or(text)));
            }
            "rsplit" => return rsplit(text, args),
            "partition" | "rpartition" => return partition(text, name == "partition", args),
            _ => {}
        }
    }
    minijinja_contrib::pycompat::unknown_method_callback(state, value, name, args)
}

fn rsplit(text: &str, args: &[Value]) -> Result<Value, Error> {
    let (separator, limit): (Option<&str>, Option<i64>) = from_args(args)?;
    let pieces =
        limit.and_then(|limit| usize::try_from(limit).ok()).map_or(usize::MAX, |limit| limit.saturating_add(1));
    let mut parts: Vec<&str> = match separator {
        Some(separator) => text.rsplitn(pieces, separator).collect(),
        None => {
            let mut parts = Vec::new();
            let mut rest = text.trim_end();
            while !rest.is_empty() {
                match rest.rsplit_once(char::is_whitespace).filter(|_| parts.len() + 1 < pieces) {
                    Some((before, part)) => {
                        parts.push(part);
                        rest = before.trim_end();
                    }
                    None => {
                        parts.push(rest);
                        rest = "";
                    }
                }
            }
            parts
        }
    };
    parts.reverse();
    Ok(parts.into_iter().collect())
}

fn partition(text: &str, is_first: bool, args: &[Value]) -> Result<Value, Error> {
    let (separator,): (&str,) = from_args(args)?;
    let found = if is_first { text.split_once(separator) } else { text.rsplit_once(separator) };
    let parts = match found {
        Some((before, after)) => [before, separator, after],
        None if is_first => [text, "", ""],
        None => ["", "", text],
    };
    Ok(parts.into_iter().collect())
}

/// The date now, in UTC, in the form that `strftime` describes.
pub(super) fn strftime_now(format: &str) -> Result<String, Error> {
    let seconds = i64::try_from(tokamark_clock::wall_ns() / 1_000_000_000).unwrap_or_default();
    let now = DateTime::from_timestamp(seconds, 0).unwrap_or_default();
    let items: Vec<Item<'_>> = StrftimeItems::new(format).collect();
    let mut text = String::new();
    if items.contains(&Item::Error) || write!(text, "{}", now.format_with_items(items.iter())).is_err() {
        return Err(Error::new(ErrorKind::InvalidOperation, format!("the date format `{format}` is not known")));
    }
    Ok(text)
}
