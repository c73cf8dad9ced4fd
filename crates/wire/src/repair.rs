//! JSON out of bytes that are nearly JSON: text that is not UTF-8 and lone surrogates become U+FFFD.

use serde_json::Value;

/// Parses `data`; the number says how many replacements were needed.
pub(crate) fn parse(data: &[u8]) -> Option<(Value, u32)> {
    if let Ok(value) = serde_json::from_slice(data) {
        return Some((value, 0));
    }
    let (text, invalid) = lossy(data);
    let (text, lone) = replace_lone_surrogates(&text);
    let replaced = invalid + lone;
    if replaced == 0 {
        return None;
    }
    serde_json::from_str(&text).ok().map(|value| (value, replaced))
}

fn lossy(data: &[u8]) -> (String, u32) {
    let mut text = String::with_capacity(data.len());
    let mut replaced = 0;
    for chunk in data.utf8_chunks() {
        text.push_str(chunk.valid());
        if !chunk.invalid().is_empty() {
            text.push(char::REPLACEMENT_CHARACTER);
            replaced += 1;
        }
    }
    (text, replaced)
}

fn replace_lone_surrogates(text: &str) -> (String, u32) {
    let mut out = String::with_capacity(text.len());
    let mut replaced = 0;
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let len = match code_unit(rest) {
            Some(0xD800..=0xDBFF) if matches!(rest.get(6..).and_then(code_unit), Some(0xDC00..=0xDFFF)) => 12,
            Some(0xD800..=0xDFFF) => {
                out.push(char::REPLACEMENT_CHARACTER);
                replaced += 1;
                rest = &rest[6..];
                continue;
            }
            Some(_) => 6,
            // The backslash and the character that it escapes.
            None => 1 + rest.chars().nth(1).map_or(0, char::len_utf8),
        };
        out.push_str(&rest[..len]);
        rest = &rest[len..];
    }
    out.push_str(rest);
    (out, replaced)
}

/// The code unit of the `\uXXXX` that `text` begins with.
fn code_unit(text: &str) -> Option<u16> {
    let hex = text.strip_prefix("\\u")?.get(..4)?;
    if !hex.bytes().all(|b| b.is_ascii_hexdigit()) {
        return None;
    }
    u16::from_str_radix(hex, 16).ok()
}
