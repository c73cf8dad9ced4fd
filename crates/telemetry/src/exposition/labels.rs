//! Names, quoted texts and label sets.

use std::borrow::Cow;

use super::{Labels, LineError};

/// Blanks between tokens are spaces and tabs, nothing else.
pub(super) fn skip_blanks(text: &str) -> &str {
    text.trim_start_matches([' ', '\t'])
}

/// A metric name at the start of a text, and the rest. The name is empty if there is none.
pub(super) fn metric_name(text: &str) -> (&str, &str) {
    name(text, true)
}

fn name(text: &str, colons: bool) -> (&str, &str) {
    let end = text
        .bytes()
        .enumerate()
        .find(|&(at, byte)| {
            let first = byte.is_ascii_alphabetic() || byte == b'_' || (colons && byte == b':');
            !(first || (at > 0 && byte.is_ascii_digit()))
        })
        .map_or(text.len(), |(at, _)| at);
    text.split_at(end)
}

/// A quoted text at the start of `text`, unescaped, and the rest after the closing quote.
///
/// `\\`, `\"` and `\n` are escapes; a backslash before anything else stands for itself.
pub(super) fn quoted(text: &str) -> Result<(Cow<'_, str>, &str), LineError> {
    let inner = text.strip_prefix('"').ok_or(LineError::Labels)?;
    let mut end = None;
    let mut escaped = false;
    let mut any_escape = false;
    for (at, byte) in inner.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => {
                escaped = true;
                any_escape = true;
            }
            b'"' => {
                end = Some(at);
                break;
            }
            _ => {}
        }
    }
    let end = end.ok_or(LineError::OpenQuote)?;
    let (body, rest) = (&inner[..end], &inner[end + 1..]);
    Ok((if any_escape { unescape(body, true) } else { Cow::Borrowed(body) }, rest))
}

/// Undoes the escapes; `\"` is one only where quotes are.
pub(super) fn unescape(text: &str, quotes: bool) -> Cow<'_, str> {
    if !text.contains('\\') {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        if character != '\\' {
            plain.push(character);
            continue;
        }
        match characters.next() {
            Some('n') => plain.push('\n'),
            Some('\\') => plain.push('\\'),
            Some('"') if quotes => plain.push('"'),
            Some(other) => plain.extend(['\\', other]),
            None => plain.push('\\'),
        }
    }
    Cow::Owned(plain)
}

/// A label set at the start of `text`, braces included: the quoted metric name that it may begin with, the labels,
/// and the rest.
pub(super) fn label_set(text: &str) -> Result<(Option<Cow<'_, str>>, Labels<'_>, &str), LineError> {
    let mut rest = skip_blanks(text.strip_prefix('{').ok_or(LineError::Labels)?);
    let mut metric = None;
    let mut labels = Labels::new();
    let mut first = true;
    loop {
        if let Some(rest) = rest.strip_prefix('}') {
            return Ok((metric, labels, rest));
        }
        let (label, after): (Cow<'_, str>, &str) = if rest.starts_with('"') {
            quoted(rest)?
        } else {
            let (label, after) = name(rest, false);
            if label.is_empty() {
                return Err(LineError::Labels);
            }
            (Cow::Borrowed(label), after)
        };
        let after = skip_blanks(after);
        if let Some(value) = after.strip_prefix('=') {
            let (value, after) = quoted(skip_blanks(value))?;
            if labels.iter().any(|(known, _)| *known == label) {
                return Err(LineError::TwiceLabel);
            }
            labels.push((label, value));
            rest = skip_blanks(after);
        } else if first && matches!(rest.as_bytes().first(), Some(b'"')) {
            metric = Some(label);
            rest = after;
        } else {
            return Err(LineError::Labels);
        }
        first = false;
        match rest.strip_prefix(',') {
            Some(more) => rest = skip_blanks(more),
            None if rest.starts_with('}') => {}
            None => return Err(LineError::Labels),
        }
    }
}
