//! Events and bodies of Triton's generate extension: the model's outputs as members, of which `text_output` is the text.
//!
//! Its streams have no end mark: they end where the body ends.

use serde_json::{Map, Value};

use crate::error::error_in;
use crate::members::{Role, Seen, null, one_text, plain, skip_other, text};
use crate::parts::{Parts, lacking, parse, parse_body, read_data};
use crate::scan::Scanner;
use crate::{Answer, EventFlags, EventInfo};

/// The prompt's tokens, an output of vLLM's backend if it is asked for.
pub(crate) const PROMPT: &str = "num_input_tokens";
/// The answer's tokens since the response before; likewise.
pub(crate) const COMPLETION: &str = "num_output_tokens";
/// The reason for the end; likewise.
pub(crate) const FINISH: &str = "finish_reason";

/// Reads the data of one stream event: adds its text to the answer and says what it was.
pub fn read_event(data: &[u8], answer: &mut Answer) -> EventInfo {
    read_data(data, answer, |data, answer| read_fast(data, answer).or_else(|| read_tree(data, answer)))
}

/// Reads a whole body that is not a stream. An error in a known shape is put into the answer and is no `Err`.
///
/// # Errors
/// Why the body could not be understood, in words.
pub fn read_body(body: &[u8], answer: &mut Answer) -> Result<EventInfo, String> {
    let value = parse_body(body, answer)?;
    match value.as_object().filter(|outputs| outputs.contains_key("text_output")) {
        Some(outputs) => Ok(read_outputs(outputs, answer)),
        None => lacking("`text_output`", &value, body, answer),
    }
}

/// The first tier: a text and nothing that counts or ends.
pub(crate) fn read_fast(data: &[u8], answer: &mut Answer) -> Option<EventInfo> {
    let event = std::str::from_utf8(data).ok()?;
    let mut scanner = Scanner::new(event);
    let mut seen = Seen::default();
    let mut output = None;
    scanner.object(|scanner, key| {
        match plain(key)? {
            b"text_output" => {
                seen.first(0)?;
                output = text(scanner)?;
            }
            b"finish_reason" => {
                seen.first(1)?;
                null(scanner)?;
            }
            b"num_input_tokens" | b"num_output_tokens" => return None,
            key => skip_other(scanner, key)?,
        }
        Some(())
    })?;
    if !scanner.is_at_end() || !seen.has(0) {
        return None;
    }
    one_text(Role::Content, output, answer)
}

/// The second tier; none if it is not JSON.
pub(crate) fn read_tree(data: &[u8], answer: &mut Answer) -> Option<EventInfo> {
    let Value::Object(event) = parse(data, answer)? else {
        return Some(EventInfo::bare(EventFlags::UNKNOWN));
    };
    let info = read_outputs(&event, answer);
    Some(match error_in(&event) {
        Some(error) => info.with_error(error, answer),
        None => info,
    })
}

fn read_outputs(outputs: &Map<String, Value>, answer: &mut Answer) -> EventInfo {
    let mut parts = Parts::default();
    match outputs.get("text_output") {
        Some(Value::String(text)) => parts.content.push_str(text),
        // A batch.
        Some(Value::Array(texts)) => parts.content.extend(texts.iter().filter_map(Value::as_str)),
        _ => {}
    }
    let reason = outputs.get(FINISH).and_then(single).and_then(Value::as_str);
    let count = |key| outputs.get(key).and_then(single).and_then(Value::as_u64);
    let marks = note(reason, count(PROMPT), count(COMPLETION), answer);
    let known = outputs.contains_key("text_output");
    parts.put(answer, marks, if known { EventFlags::EMPTY } else { EventFlags::UNKNOWN })
}

/// Notes what the outputs beside the text say, over HTTP or gRPC: the reason for the end, the prompt's tokens, the answer's tokens
/// since the response before. Gives what that makes of the event.
pub(crate) fn note(
    reason: Option<&str>,
    prompt: Option<u64>,
    completion: Option<u64>,
    answer: &mut Answer,
) -> EventFlags {
    let mut marks = EventFlags::NONE;
    if let Some(reason) = reason.filter(|reason| is_reason(reason)) {
        answer.finish_reason = Some(reason.to_owned());
        marks |= EventFlags::FINISH;
    }
    if prompt.is_some() || completion.is_some() {
        let mut usage = answer.usage.unwrap_or_default();
        usage.prompt = prompt.or(usage.prompt);
        if let Some(new) = completion {
            usage.completion = Some(usage.completion.unwrap_or(0).saturating_add(new));
        }
        answer.usage = Some(usage);
        marks |= EventFlags::USAGE;
    }
    marks
}

/// The value of an output of one element, which may stand in a list.
fn single(value: &Value) -> Option<&Value> {
    match value {
        Value::Array(items) => items.first(),
        value => Some(value),
    }
}

/// The backend writes Python's `None` for an answer that goes on.
fn is_reason(text: &str) -> bool {
    !text.is_empty() && text != "None" && text != "null"
}
