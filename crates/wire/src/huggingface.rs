//! Events and bodies of Hugging Face's text-generation-inference.
//!
//! Each event of a stream is one token; the last one has the whole text (`generated_text`) and, mostly, the finish reason and
//! counts (`details`). Special tokens, such as the end of the sequence, are no text of the answer, as `generated_text` has none.

use serde_json::{Map, Value};

use crate::error::error_in;
use crate::members::{Role, Seen, null, one_text, plain, skip_other, text};
use crate::parts::{Parts, lacking, object_in, parse, parse_body, read_data, text_in};
use crate::scan::{RawStr, Scanner};
use crate::{Answer, EventFlags, EventInfo, Usage};

/// Reads the data of one stream event: adds its text to the answer and says what it was.
pub fn read_event(data: &[u8], answer: &mut Answer) -> EventInfo {
    read_data(data, answer, |data, answer| read_fast(data, answer).or_else(|| read_tree(data, answer)))
}

/// Reads a whole body that is not a stream: an answer, or a list of one. An error in a known shape is put into the answer
/// and is no `Err`.
///
/// # Errors
/// Why the body could not be understood, in words.
pub fn read_body(body: &[u8], answer: &mut Answer) -> Result<EventInfo, String> {
    let value = parse_body(body, answer)?;
    let items = value.as_array().map_or(std::slice::from_ref(&value), Vec::as_slice);
    let mut parts = Parts::default();
    let mut marks = EventFlags::NONE;
    let mut found = false;
    for item in items.iter().filter_map(Value::as_object) {
        if let Some(text) = item.get("generated_text").and_then(Value::as_str) {
            found = true;
            parts.content.push_str(text);
            marks |= end(item, answer);
        }
    }
    if !found {
        return lacking("`generated_text`", &value, body, answer);
    }
    Ok(parts.put(answer, marks, EventFlags::EMPTY))
}

/// The first tier: a token that is not the last.
pub(crate) fn read_fast(data: &[u8], answer: &mut Answer) -> Option<EventInfo> {
    let event = std::str::from_utf8(data).ok()?;
    let mut scanner = Scanner::new(event);
    let mut seen = Seen::default();
    let mut token = None;
    scanner.object(|scanner, key| match plain(key)? {
        b"token" => {
            seen.first(0)?;
            token = token_text(scanner)?;
            Some(())
        }
        b"generated_text" => {
            seen.first(1)?;
            null(scanner)
        }
        b"details" => {
            seen.first(2)?;
            null(scanner)
        }
        key => skip_other(scanner, key),
    })?;
    if !scanner.is_at_end() || !seen.has(0) {
        return None;
    }
    one_text(Role::Content, token, answer)
}

/// The text of a token that is not special.
fn token_text<'a>(scanner: &mut Scanner<'a>) -> Option<Option<RawStr<'a>>> {
    let mut seen = Seen::default();
    let (mut token, mut is_special) = (None, false);
    scanner.object(|scanner, key| {
        match plain(key)? {
            b"text" => {
                seen.first(0)?;
                token = text(scanner)?;
            }
            b"special" => {
                seen.first(1)?;
                is_special = scanner.value()? == b"true";
            }
            _ => scanner.skip_value()?,
        }
        Some(())
    })?;
    Some(token.filter(|_| !is_special))
}

/// The second tier; none if it is not JSON.
pub(crate) fn read_tree(data: &[u8], answer: &mut Answer) -> Option<EventInfo> {
    let Value::Object(event) = parse(data, answer)? else {
        return Some(EventInfo::bare(EventFlags::UNKNOWN));
    };
    let mut parts = Parts::default();
    let mut marks = EventFlags::NONE;
    let token = object_in(&event, "token");
    if let Some(token) = token.filter(|token| token.get("special") != Some(&Value::Bool(true))) {
        parts.content.push_str(text_in(token, "text").unwrap_or_default());
    }
    let whole = event.get("generated_text").and_then(Value::as_str);
    if let Some(whole) = whole {
        // Some servers send no tokens, but the whole text at once.
        if answer.text.is_empty() && token.is_none() {
            parts.content.push_str(whole);
        }
        answer.done = true;
        marks |= EventFlags::DONE;
    }
    marks |= end(&event, answer);
    let known = token.is_some() || whole.is_some();
    let info = parts.put(answer, marks, if known { EventFlags::EMPTY } else { EventFlags::UNKNOWN });
    Some(match error_in(&event) {
        Some(error) => info.with_error(error, answer),
        None => info,
    })
}

/// What the details say of the end.
fn end(object: &Map<String, Value>, answer: &mut Answer) -> EventFlags {
    let mut marks = EventFlags::NONE;
    let Some(details) = object_in(object, "details") else { return marks };
    if let Some(reason) = text_in(details, "finish_reason") {
        answer.finish_reason = Some(reason.to_owned());
        marks |= EventFlags::FINISH;
    }
    let prefill = details.get("prefill").and_then(Value::as_array).filter(|tokens| !tokens.is_empty());
    let prompt = details.get("input_length").and_then(Value::as_u64);
    let usage = Usage {
        prompt: prompt.or_else(|| prefill.map(|tokens| tokens.len() as u64)),
        completion: details.get("generated_tokens").and_then(Value::as_u64),
        ..Usage::default()
    };
    if usage != Usage::default() {
        answer.usage = Some(usage);
        marks |= EventFlags::USAGE;
    }
    marks
}
