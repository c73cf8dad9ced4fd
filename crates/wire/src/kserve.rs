//! Messages of a model's answer over KServe's gRPC protocol (`ModelStreamInferResponse`): the model's outputs as tensors, of
//! which `text_output` is the text.
//!
//! A message is scanned twice: its outputs may name the tensors after their elements have come.

use crate::protobuf::{fields, varint};
use crate::{Answer, EventFlags, EventInfo, ServerError, triton};

/// The text.
const TEXT: &[u8] = b"text_output";
/// The parameter that says whether a response is the last.
const FINAL: &[u8] = b"triton_final_response";

/// Reads one message of a stream: adds its text to the answer and says what it was.
pub fn read_message(message: &[u8], answer: &mut Answer) -> EventInfo {
    let start = answer.text.len();
    let info = read_stream_response(message, answer).unwrap_or_else(|| {
        answer.text.truncate(start);
        EventInfo::bare(EventFlags::UNKNOWN)
    });
    answer.ends_with_usage =
        info.flags.has(EventFlags::USAGE) && !info.flags.has(EventFlags::GENERATED | EventFlags::ROLE);
    info
}

fn read_stream_response(message: &[u8], answer: &mut Answer) -> Option<EventInfo> {
    let (mut error, mut response) = (&b""[..], None);
    fields(message, |number, field| {
        match number {
            1 => error = field.bytes()?,
            2 => response = Some(field.bytes()?),
            _ => {}
        }
        Some(())
    })?;
    let info = match response {
        Some(response) => read_response(response, answer)?,
        None if error.is_empty() => EventInfo::bare(EventFlags::EMPTY),
        None => EventInfo::bare(EventFlags::UNKNOWN),
    };
    if error.is_empty() {
        return Some(info);
    }
    let message = String::from_utf8_lossy(error).into_owned();
    Some(info.with_error(ServerError { message, ..ServerError::default() }, answer))
}

/// Where the tensors that matter stand among the outputs.
#[derive(Default)]
struct Outputs<'a> {
    text: Option<Output<'a>>,
    finish: Option<Output<'a>>,
    prompt: Option<Output<'a>>,
    completion: Option<Output<'a>>,
}

/// A tensor: its place among the outputs, its datatype, and its own elements if it has them.
#[derive(Clone, Copy)]
struct Output<'a> {
    place: usize,
    contents: Option<&'a [u8]>,
}

fn read_response(response: &[u8], answer: &mut Answer) -> Option<EventInfo> {
    let (mut outputs, mut count, mut is_final) = (Outputs::default(), 0, false);
    fields(response, |number, field| {
        match number {
            4 => is_final |= says_final(field.bytes()?)?,
            5 => {
                let (name, contents) = output(field.bytes()?)?;
                let output = Some(Output { place: count, contents });
                for (known, place) in [
                    (TEXT, &mut outputs.text),
                    (triton::FINISH.as_bytes(), &mut outputs.finish),
                    (triton::PROMPT.as_bytes(), &mut outputs.prompt),
                    (triton::COMPLETION.as_bytes(), &mut outputs.completion),
                ] {
                    if name == known {
                        *place = output;
                    }
                }
                count += 1;
            }
            _ => {}
        }
        Some(())
    })?;
    let raw = |output: Output<'_>| raw_at(response, output.place);
    let start = answer.text.len();
    if let Some(text) = outputs.text {
        let mut put = |bytes: &[u8]| put_text(bytes, answer);
        match text.contents {
            Some(contents) => each_text(contents, &mut put)?,
            None => each_raw_text(raw(text)?, &mut put)?,
        }
    }
    let reason = outputs.finish.and_then(|output| first_text(output, raw(output)));
    let reason = reason.map(String::from_utf8_lossy);
    let count_of = |output: Option<Output<'_>>| output.and_then(|output| first_count(output, raw(output)));
    let (prompt, completion) = (count_of(outputs.prompt), count_of(outputs.completion));
    let mut marks = triton::note(reason.as_deref(), prompt, completion, answer);
    if is_final {
        answer.done = true;
        marks |= EventFlags::DONE;
    }
    // A response without outputs is one with nothing in it; one with others only is of a model that generates no text.
    let otherwise = if outputs.text.is_some() || count == 0 { EventFlags::EMPTY } else { EventFlags::UNKNOWN };
    Some(EventInfo::of(0, answer.text.len() - start, 0, marks, otherwise))
}

/// Whether an entry of the parameters says that the response is the last.
fn says_final(entry: &[u8]) -> Option<bool> {
    let (mut key, mut value) = (&b""[..], &b""[..]);
    fields(entry, |number, field| {
        match number {
            1 => key = field.bytes()?,
            2 => value = field.bytes()?,
            _ => {}
        }
        Some(())
    })?;
    let mut is_true = false;
    fields(value, |number, field| {
        if number == 1 {
            is_true = field.varint()? != 0;
        }
        Some(())
    })?;
    Some(key == FINAL && is_true)
}

/// The name of an output and its own elements.
fn output(tensor: &[u8]) -> Option<(&[u8], Option<&[u8]>)> {
    let (mut name, mut contents) = (&b""[..], None);
    fields(tensor, |number, field| {
        match number {
            1 => name = field.bytes()?,
            5 => contents = Some(field.bytes()?),
            _ => {}
        }
        Some(())
    })?;
    Some((name, contents))
}

/// The raw elements of the output at a place.
fn raw_at(response: &[u8], place: usize) -> Option<&[u8]> {
    let (mut at, mut found) = (0, None);
    fields(response, |number, field| {
        if number == 6 {
            if at == place {
                found = field.bytes();
            }
            at += 1;
        }
        Some(())
    })?;
    found
}

/// The texts among a tensor's own elements.
fn each_text<'a>(contents: &'a [u8], each: &mut impl FnMut(&'a [u8])) -> Option<()> {
    fields(contents, |number, field| {
        if number == 8 {
            each(field.bytes()?);
        }
        Some(())
    })
}

/// Raw texts: each after its length, least significant byte first.
fn each_raw_text<'a>(raw: &'a [u8], each: &mut impl FnMut(&'a [u8])) -> Option<()> {
    let mut rest = raw;
    while let Some((length, behind)) = rest.split_first_chunk::<4>() {
        let (text, behind) = behind.split_at_checked(u32::from_le_bytes(*length) as usize)?;
        each(text);
        rest = behind;
    }
    rest.is_empty().then_some(())
}

fn first_text<'a>(output: Output<'a>, raw: Option<&'a [u8]>) -> Option<&'a [u8]> {
    let mut first = None;
    let mut each = |text| {
        first.get_or_insert(text);
    };
    match output.contents {
        Some(contents) => each_text(contents, &mut each)?,
        None => each_raw_text(raw?, &mut each)?,
    }
    first
}

/// A count, whatever whole number it is.
fn first_count(output: Output<'_>, raw: Option<&[u8]>) -> Option<u64> {
    let Some(contents) = output.contents else {
        let raw = raw?;
        // One element of up to eight bytes; a list of them would be a batch.
        return (raw.len() <= 8 && !raw.is_empty())
            .then(|| raw.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte)));
    };
    let mut first = None;
    fields(contents, |number, field| {
        if (2..=5).contains(&number) && first.is_none() {
            // Numbers come one after the other in bytes, or each as a field.
            first = field.varint().or_else(|| varint(&mut field.bytes()?));
        }
        Some(())
    })?;
    first
}

/// Adds a text to the answer; what of it is not UTF-8 is replaced, and counted.
fn put_text(bytes: &[u8], answer: &mut Answer) {
    match std::str::from_utf8(bytes) {
        Ok(text) => answer.text.extend_from_slice(text.as_bytes()),
        Err(_) => {
            answer.replaced = answer.replaced.saturating_add(1);
            answer.text.extend_from_slice(String::from_utf8_lossy(bytes).as_bytes());
        }
    }
}
