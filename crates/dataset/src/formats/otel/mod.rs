//! `otel_spans`: spans of OpenTelemetry with the attributes of generative AI, as the file exporter writes them or one
//! span per line. Each call of a model is sent again, complete in itself.

mod attributes;
mod messages;

use std::collections::BTreeMap;

use serde_json::Value;
use tokamark_conversation::{Conversation, History, Prompt, Turn};
use tokamark_trace::SharedIds;

use super::recorded::Recorded;
use super::times;
use crate::DatasetError;
use crate::fault::Place;
use crate::fields::{Fields, whole};
use crate::input::{Input, InputFile, whole as whole_file};
use crate::reader::Reader;
use crate::sink::Sink;
use attributes::attributes;

/// Operations in which a model answers. Agents and tools have spans of their own around them.
const OPERATIONS: [&str; 3] = ["chat", "text_completion", "generate_content"];
/// Tokens of a block of a prompt that is made; such prompts share none.
const BLOCK: u32 = 512;

/// Attributes by their names.
type Attributes = BTreeMap<String, Value>;

/// Reads the format.
#[derive(Debug)]
pub(super) struct OtelSpans;

impl Reader for OtelSpans {
    fn read(&mut self, input: &Input, sink: &mut Sink<'_>) -> Result<(), DatasetError> {
        sink.start_at_zero();
        for file in input.files() {
            if is_one_document(file)? {
                match whole_file(file)?.and_then(|text| serde_json::from_str(&text).map_err(|error| error.to_string()))
                {
                    Ok(document) => take(file, Place::Whole, document, None, sink)?,
                    Err(reason) => sink.bad(file, Place::Whole, None, format!("is not JSON ({reason})")),
                }
                continue;
            }
            let mut lines = file.lines()?;
            while let Some(line) = lines.next()? {
                let place = Place::Line(line.number);
                match line.text.and_then(|text| serde_json::from_str(text).map_err(|error| error.to_string())) {
                    Ok(value) => take(file, place, value, None, sink)?,
                    Err(reason) => sink.bad(file, place, None, format!("is not JSON ({reason})")),
                }
            }
        }
        Ok(())
    }
}

/// Whether the first line is no whole value, so that the file is one document over several lines.
fn is_one_document(file: &InputFile) -> Result<bool, DatasetError> {
    let mut lines = file.lines()?;
    let first = lines.next()?.and_then(|line| line.text.ok());
    Ok(first.is_some_and(|text| serde_json::from_str::<serde::de::IgnoredAny>(text).is_err_and(|error| error.is_eof())))
}

/// Takes a span, a list of them, or an export with spans somewhere within. The outer name is that of the session of spans
/// that name none.
pub(crate) fn take(
    file: &InputFile,
    place: Place,
    value: Value,
    outer: Option<&str>,
    sink: &mut Sink<'_>,
) -> Result<(), DatasetError> {
    match value {
        Value::Array(items) => items.into_iter().try_for_each(|item| take(file, place, item, outer, sink)),
        Value::Object(mut object) => {
            // A table of sessions has the spans of each in a row.
            let session = object.get("session_id").and_then(Value::as_str).map(str::to_owned);
            for key in ["resourceSpans", "scopeSpans", "spans", "data"] {
                if let Some(inner) = object.remove(key) {
                    return take(file, place, inner, session.as_deref().or(outer), sink);
                }
            }
            span(file, Fields::new(place, object), outer, sink)
        }
        _ => {
            sink.bad(file, place, None, "is not a span");
            Ok(())
        }
    }
}

fn span(file: &InputFile, mut fields: Fields, outer: Option<&str>, sink: &mut Sink<'_>) -> Result<(), DatasetError> {
    let attributes = attributes(&mut fields);
    if !is_call(&attributes) {
        return Ok(());
    }
    let (start_ms, input_tokens) = (start_ms(&mut fields), tokens(&attributes, ["input", "prompt"]));
    let mut turn = Turn {
        timestamp_ms: start_ms,
        output_tokens: tokens(&attributes, ["output", "completion"]).filter(|&tokens| tokens > 0),
        tools: messages::tools(&attributes),
        ..Turn::default()
    };
    match (messages::of_attributes(&attributes), input_tokens) {
        (Some(messages), _) => turn.prompt = Prompt::Messages(messages),
        (None, Some(tokens @ 1..)) => {
            turn.prompt = Prompt::Made { tokens, blocks: Vec::new(), block_size: BLOCK };
        }
        (None, _) => fields.fault("gen_ai.usage.input_tokens", "is missing, and so are the messages"),
    }
    // Spans say much that is no part of the request.
    fields.take_rest();
    if !sink.close(file, fields) {
        return Ok(());
    }
    turn.row = sink.row();
    let id = attributes.get("gen_ai.conversation.id").and_then(Value::as_str).or(outer).unwrap_or_default().to_owned();
    if !recorded(file, sink)?.change(&mut turn, &id, input_tokens) {
        return Ok(());
    }
    // Spans are exported when they end, in any order.
    let order = start_ms.map_or(0, |ms| (ms * 1e3) as i64);
    sink.push_at(Conversation { history: History::None, ..Conversation::single(id, turn) }, order)
}

/// The changes of the plan. Prompts share no blocks, so they depend on nothing that came before.
fn recorded(file: &InputFile, sink: &Sink<'_>) -> Result<Recorded, DatasetError> {
    Recorded::new(file.path(), sink.plan, SharedIds::default())
}

/// Whether a span is one call of a model.
fn is_call(attributes: &Attributes) -> bool {
    match attributes.get("gen_ai.operation.name").and_then(Value::as_str) {
        Some(operation) => OPERATIONS.contains(&operation),
        None => {
            attributes.keys().any(|name| name.starts_with("gen_ai.usage.") || name.starts_with("gen_ai.prompt"))
                || attributes.contains_key("gen_ai.input.messages")
        }
    }
}

/// `gen_ai.usage.…_tokens`, by its name of today or the one before.
fn tokens(attributes: &Attributes, names: [&str; 2]) -> Option<u64> {
    names.iter().find_map(|name| {
        let value = attributes.get(&format!("gen_ai.usage.{name}_tokens"))?;
        whole(value).or_else(|| value.as_str()?.parse().ok())
    })
}

/// When the span began: nanoseconds since 1970, or a time of ISO 8601.
fn start_ms(fields: &mut Fields) -> Option<f64> {
    for name in ["startTimeUnixNano", "start_time_unix_nano", "start_time", "startTime"] {
        let Some(value) = fields.take(name) else { continue };
        let nanoseconds = value.as_f64().or_else(|| value.as_str()?.parse().ok());
        let start = match nanoseconds {
            Some(nanoseconds) => Some(nanoseconds * 1e-6).filter(|ms: &f64| ms.is_finite() && *ms >= 0.0),
            None => value.as_str().and_then(times::of_text),
        };
        if start.is_none() {
            fields.fault(name, "is not a time");
        }
        return start;
    }
    None
}
