//! The format of a row by its fields.

use serde_json::{Map, Value};
use tokamark_plan::DatasetFormat;

use super::Found;

type Row = Map<String, Value>;

/// Fields with what is said or shown.
const CONTENT: [&str; 9] = ["text", "texts", "image", "images", "image_uuids", "audio", "audios", "video", "videos"];
/// Fields that only a row of a trace has.
const TRACE: [&str; 6] = ["timestamp", "delay", "session_id", "output_length", "input_length", "hash_ids"];

/// The format of a row, or those that it may have.
pub(super) fn of_row(row: &Row) -> Result<Found, Vec<DatasetFormat>> {
    if let Some(Value::String(name)) = row.get("type")
        && let Some(format) = DatasetFormat::ALL.into_iter().find(|format| format.name() == name)
    {
        return Ok(Found::new(format, format!("its first row has the type {name}")));
    }
    let by = |format, fields: &str| Ok(Found::new(format, format!("its first row has {fields}")));
    let has = |name: &str| row.get(name).is_some_and(|value| !value.is_null());
    // Fields of one format only.
    for (format, fields) in [
        (DatasetFormat::SagemakerDataCapture, ["captureData", "eventMetadata"]),
        (DatasetFormat::OpenaiBatch, ["custom_id", "body"]),
        (DatasetFormat::BailianTrace, ["chat_id", "parent_chat_id"]),
        (DatasetFormat::Tracelab, ["round_index", "input_tokens_total"]),
        (DatasetFormat::SpeedBench, ["question_id", "category"]),
        (DatasetFormat::WekaTrace, ["requests", "block_size"]),
        (DatasetFormat::WekaTrace, ["requests", "hash_id_scope"]),
    ] {
        if fields.iter().all(|field| has(field)) {
            return by(format, &format!("`{}` and `{}`", fields[0], fields[1]));
        }
    }
    if row.get("data").is_some_and(Value::is_array) {
        return Ok(Found::new(DatasetFormat::InputsJson, "it has a list in `data`"));
    }
    if has("resourceSpans") || (has("attributes") && is_span(row)) {
        return by(DatasetFormat::OtelSpans, "spans");
    }
    if let Some(Value::Array(said)) = row.get("conversations").or_else(|| row.get("conversation"))
        && said.iter().all(|one| one.get("from").is_some() || one.get("role").is_some())
    {
        return by(DatasetFormat::Sharegpt, "a list of messages in `conversations`");
    }
    if let Some(found) = of_turns(row) {
        return Ok(found);
    }
    of_request(row, &has)
}

fn is_span(row: &Row) -> bool {
    ["traceId", "trace_id", "spanId", "span_id", "context", "startTimeUnixNano", "start_time_unix_nano", "start_time"]
        .iter()
        .any(|name| row.contains_key(*name))
}

/// Formats in which a row is a conversation.
fn of_turns(row: &Row) -> Option<Found> {
    for field in ["orchestrator", "rounds", "pre_session_spawns", "context_mode", "spawns"] {
        if row.contains_key(field) {
            return Some(Found::new(DatasetFormat::DagJsonl, format!("its first row has `{field}`")));
        }
    }
    let turns = row.get("turns")?.as_array()?;
    for field in ["messages", "forks", "spawns"] {
        if turns.iter().any(|turn| turn.get(field).is_some()) {
            return Some(Found::new(DatasetFormat::DagJsonl, format!("its first row has turns with `{field}`")));
        }
    }
    Some(Found::new(DatasetFormat::MultiTurn, "its first row has `turns`"))
}

/// Formats in which a row is a request.
fn of_request(row: &Row, has: &dyn Fn(&str) -> bool) -> Result<Found, Vec<DatasetFormat>> {
    let by = |format, field: &str| Ok(Found::new(format, format!("its first row has `{field}`")));
    let content = CONTENT.iter().find(|name| has(name));
    let timing = TRACE.iter().find(|name| has(name));
    if has("messages") {
        let is_body = row.keys().any(|name| name != "messages" && name != "tools" && !TRACE.contains(&name.as_str()));
        return match (timing, is_body) {
            (Some(field), false) => by(DatasetFormat::MooncakeTrace, field),
            (None, true) => by(DatasetFormat::RawPayload, "messages"),
            _ => Err(vec![DatasetFormat::MooncakeTrace, DatasetFormat::RawPayload]),
        };
    }
    if has("payload") {
        return by(DatasetFormat::MooncakeTrace, "payload");
    }
    match content {
        Some(_) if has("input_length") || has("hash_ids") => by(DatasetFormat::GenaiPerfPayload, "input_length"),
        Some(field) if !has("text_input") || *field != "text" => by(DatasetFormat::SingleTurn, field),
        Some(_) => Err(vec![DatasetFormat::SingleTurn, DatasetFormat::GenaiPerfPayload]),
        None if has("input_length") => by(DatasetFormat::MooncakeTrace, "input_length"),
        None if has("text_input") => match timing {
            Some(_) => by(DatasetFormat::MooncakeTrace, "text_input"),
            None => by(DatasetFormat::SingleTurn, "text_input"),
        },
        None => Err(Vec::new()),
    }
}
