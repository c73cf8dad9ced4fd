//! Answers read as GenAI-Perf 0.0.16 reads them. `None` is where it ends with an error and leaves no report.

use serde_json::Value;

use super::{Piece, extract};
use crate::export::{Api, ExportRequest};

/// The responses that GenAI-Perf counts.
pub(super) fn read(api: Api, request: &ExportRequest) -> Option<Vec<Piece>> {
    let times = &request.response_timestamps;
    let mut records: Vec<String> = request
        .response_outputs
        .iter()
        .map(|output| output.response.as_ref().map(|raw| raw.text()))
        .collect::<Option<_>>()?;
    if times.len() != records.len() {
        return None;
    }
    // Answers of this API are taken as they are, empty ones too.
    let cleans = api != Api::HuggingfaceGenerate;
    if cleans {
        glue(&mut records)?;
    }
    let mut pieces = Vec::with_capacity(records.len());
    for (at, record) in times.iter().zip(&records) {
        let text = if cleans { record_text(api, record)? } else { text_of(api, record)? };
        if !cleans || !text.is_empty() {
            pieces.push(Piece { at: *at, text, ..Piece::default() });
        }
    }
    Some(pieces)
}

/// Moves what does not begin an event to the end of the record before it.
fn glue(records: &mut [String]) -> Option<()> {
    for i in (1..records.len()).rev() {
        let (before, from) = records.split_at_mut(i);
        let (Some(before), Some(record)) = (before.last_mut(), from.first_mut()) else { continue };
        if is_no_data(record) || record.starts_with("data: ") {
            continue;
        }
        if !before.contains("data:") {
            return None;
        }
        let cut = record.find("data: ").unwrap_or(record.len());
        before.push_str(&record[..cut]);
        record.drain(..cut);
    }
    Some(())
}

/// The text of a record, whose events are merged into the first.
fn record_text(api: Api, record: &str) -> Option<String> {
    let events: Vec<&str> = strip(record).split("\n\n").collect();
    if events.iter().any(|event| event.starts_with("event:") && event.to_lowercase().contains("error")) {
        return None;
    }
    let [first, _, ..] = events.as_slice() else { return text_of(api, record) };
    let mut merged: Value = serde_json::from_str(without_prefix(first)).ok()?;
    if api == Api::Generate {
        let texts = events.iter().map(|event| generated(event)).collect::<Option<String>>()?;
        *merged.as_object_mut()?.entry("text_output").or_insert(Value::Null) = texts.into();
    } else {
        let texts = events.iter().map(|event| text_of(api, event)).collect::<Option<String>>()?;
        let choice = merged.as_object_mut()?.get_mut("choices")?.as_array_mut()?.first_mut()?.as_object_mut()?;
        if api == Api::Completions {
            choice.insert("text".to_owned(), texts.into());
        } else {
            choice.get_mut("delta")?.as_object_mut()?.insert("content".to_owned(), texts.into());
        }
    }
    extract::literal(api, &merged)
}

/// The text of one event, or of a body.
fn text_of(api: Api, event: &str) -> Option<String> {
    if event.is_empty() || is_no_data(event) {
        return Some(String::new());
    }
    match without_prefix(event) {
        "[DONE]" => Some(String::new()),
        "" if api == Api::Generate => Some(String::new()),
        data => extract::literal(api, &serde_json::from_str(data).ok()?),
    }
}

/// As [`text_of`] for the generate endpoint, but without a word for the end mark.
fn generated(event: &str) -> Option<String> {
    if without_prefix(event) == "[DONE]" { None } else { text_of(Api::Generate, event) }
}

fn is_no_data(event: &str) -> bool {
    [":", "event:", "id:", "retry:"].iter().any(|field| event.starts_with(field))
}

fn without_prefix(event: &str) -> &str {
    strip(event.strip_prefix("data:").unwrap_or(event))
}

/// White space by Python's idea of it.
fn strip(text: &str) -> &str {
    text.trim_matches(|character: char| character.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&character))
}
