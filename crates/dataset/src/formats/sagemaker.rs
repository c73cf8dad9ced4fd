//! `sagemaker_data_capture`: what Amazon SageMaker captured of an endpoint. Requests are sent again at their times.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value};
use tokamark_conversation::{Conversation, History, Prompt, Turn};
use tokamark_trace::SharedIds;

use super::recorded::Recorded;
use super::times;
use crate::DatasetError;
use crate::fields::{Fields, whole};
use crate::input::Input;
use crate::reader::Reader;
use crate::sink::Sink;

/// Reads the format.
#[derive(Debug)]
pub(super) struct Sagemaker;

impl Reader for Sagemaker {
    fn read(&mut self, input: &Input, sink: &mut Sink<'_>) -> Result<(), DatasetError> {
        let mut recorded = Recorded::new(input.path(), sink.plan, SharedIds::default())?;
        sink.start_at_zero();
        for file in input.files() {
            let mut lines = file.lines()?;
            while let Some(line) = lines.next()? {
                if sink.is_full() {
                    return Ok(());
                }
                let mut fields = Fields::of_line(&line);
                let (mut turn, input_tokens) = turn(&mut fields);
                // Everything else says how it was captured.
                fields.take_rest();
                if sink.close(file, fields) {
                    turn.row = sink.row();
                    if recorded.change(&mut turn, "", input_tokens) {
                        let single = Conversation::single(String::new(), turn);
                        sink.push(Conversation { history: History::None, ..single })?;
                    }
                }
            }
        }
        Ok(())
    }
}

/// The turn and the tokens of its prompt by the server's count.
fn turn(fields: &mut Fields) -> (Turn, Option<u64>) {
    let mut turn = Turn::default();
    if fields.is_no_object() {
        return (turn, None);
    }
    let Some(capture) = inner(fields, "captureData") else { return (turn, None) };
    let mut capture = capture;
    let mut input_tokens = None;
    if let Some(mut request) = captured(&mut capture, "endpointInput") {
        match request.list("messages") {
            Some(messages) if messages.is_empty() => request.fault("messages", "is empty"),
            Some(messages) => turn.prompt = Prompt::Messages(messages),
            None if request.faults() == 0 => request.fault("messages", "is missing"),
            None => {}
        }
        turn.tools = request.list("tools").map(Value::Array);
        turn.output_tokens = request.output_tokens(&["max_completion_tokens", "max_tokens"]);
        // The run says what is asked of which model and how.
        request.take_rest();
        capture.absorb(request);
    }
    // What was answered is no part of the request, so nothing is wrong if it cannot be read.
    if let Some(answer) = capture.take("endpointOutput").and_then(|output| body(&output).ok()) {
        input_tokens = answer.get("usage").and_then(|usage| usage.get("prompt_tokens")).and_then(whole);
    }
    capture.take_rest();
    fields.absorb(capture);
    if let Some(mut event) = inner(fields, "eventMetadata") {
        match event.filled("inferenceTime") {
            Some(time) => match times::of_text(&time) {
                Some(ms) => turn.timestamp_ms = Some(ms),
                None => event.fault("inferenceTime", "is not a time such as 2026-01-31T12:00:00Z"),
            },
            None if event.faults() == 0 => event.fault("inferenceTime", "is missing"),
            None => {}
        }
        event.take_rest();
        fields.absorb(event);
    }
    (turn, input_tokens)
}

fn inner(fields: &mut Fields, name: &str) -> Option<Fields> {
    match fields.take(name) {
        Some(value) => Some(fields.inner(name, value)),
        None => {
            fields.fault(name, "is missing");
            None
        }
    }
}

/// The JSON body that was captured under a name.
fn captured(capture: &mut Fields, name: &str) -> Option<Fields> {
    let Some(part) = capture.take(name) else {
        capture.fault(name, "is missing");
        return None;
    };
    match body(&part) {
        Ok(body) => Some(capture.inner(&format!("{name}.data"), Value::Object(body))),
        Err(reason) => {
            capture.fault(&format!("{name}.data"), reason);
            None
        }
    }
}

fn body(part: &Value) -> Result<Map<String, Value>, &'static str> {
    let data = part.get("data").ok_or("is missing")?;
    if let Value::Object(body) = data {
        return Ok(body.clone());
    }
    let text = data.as_str().ok_or("is not a text")?;
    let encoding = part.get("encoding").and_then(Value::as_str).unwrap_or("JSON");
    let parsed = match encoding.to_ascii_uppercase().as_str() {
        "BASE64" => {
            let bytes = STANDARD.decode(text.trim()).map_err(|_| "is not Base64")?;
            serde_json::from_slice(&bytes)
        }
        "JSON" => serde_json::from_str(text),
        _ => return Err("is neither JSON nor Base64 by its `encoding`"),
    };
    match parsed {
        Ok(Value::Object(body)) => Ok(body),
        _ => Err("is not a JSON object"),
    }
}
