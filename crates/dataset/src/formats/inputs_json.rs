//! `inputs_json`: the requests of an earlier run, as AIPerf, GenAI-Perf and perf_analyzer write them. Bodies are sent
//! again byte for byte.

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use tokamark_conversation::{Conversation, History, Prompt, Turn};

use super::waits::Waits;
use crate::DatasetError;
use crate::fault::Place;
use crate::fields::Fields;
use crate::input::{Input, each_entry};
use crate::raw::{is_object, unindented};
use crate::reader::Reader;
use crate::sink::Sink;

/// Reads the format.
#[derive(Debug, Default)]
pub(super) struct InputsJson {
    waits: Waits,
}

/// The texts of the bodies of an entry.
#[derive(Deserialize)]
struct Bodies<'a> {
    /// AIPerf's.
    #[serde(borrow, default)]
    payloads: Option<&'a RawValue>,
    /// GenAI-Perf's.
    #[serde(borrow, default)]
    payload: Option<&'a RawValue>,
}

impl Reader for InputsJson {
    fn read(&mut self, input: &Input, sink: &mut Sink<'_>) -> Result<(), DatasetError> {
        for file in input.files() {
            let read = each_entry(file, Some("data"), &mut |number, text| {
                let place = Place::Row(number);
                let (conversation, faulty) = if text.starts_with('[') {
                    stream(place, text)
                } else {
                    let mut fields = Fields::of_text(place, text);
                    (self.entry(&mut fields, text), fields)
                };
                if sink.close(file, faulty) {
                    let row = sink.row();
                    let mut conversation = conversation;
                    conversation.turns.iter_mut().for_each(|turn| turn.row = row);
                    sink.push(conversation)?;
                }
                Ok(true)
            })?;
            if let Err(reason) = read {
                sink.bad(file, Place::Whole, None, reason);
            }
        }
        Ok(())
    }
}

/// One of perf_analyzer's streams: a list of entries that are sent one after the other.
fn stream(place: Place, text: &str) -> (Conversation, Fields) {
    let mut fields = Fields::new(place, Map::new());
    let mut whole = Conversation { history: History::None, ..Conversation::default() };
    let mut waits = Waits::default();
    // The text has been taken from a document that is JSON.
    for (index, entry) in serde_json::from_str::<Vec<&RawValue>>(text).unwrap_or_default().into_iter().enumerate() {
        let mut inner = fields.inner(&format!("[{index}]"), serde_json::from_str(entry.get()).unwrap_or_default());
        let mut turns = turns(&mut inner, entry.get());
        times(&mut inner, &mut turns);
        inner.skip(&["session_id"]);
        fields.absorb(inner);
        for turn in &mut turns {
            waits.pass_on("stream", turn);
        }
        whole.turns.append(&mut turns);
    }
    if whole.turns.is_empty() && fields.faults() == 0 {
        fields.fault_of_row("is an empty list");
    }
    (whole, fields)
}

impl InputsJson {
    fn entry(&mut self, fields: &mut Fields, text: &str) -> Conversation {
        let is_genai_perf = fields.has("payload");
        fields.unlist("session_id");
        let id = fields.name("session_id").unwrap_or_default();
        let mut turns = turns(fields, text);
        times(fields, &mut turns);
        let mut history = History::None;
        if is_genai_perf && !id.is_empty() {
            // Its sessions hold what each turn adds.
            for turn in &mut turns {
                if add_only(turn) {
                    history = History::Live;
                }
                self.waits.pass_on(&id, turn);
            }
        }
        Conversation { id, history, turns, ..Conversation::default() }
    }
}

/// The time and the wait of an entry are those of its first turn.
fn times(fields: &mut Fields, turns: &mut [Turn]) {
    fields.unlist("timestamp");
    fields.unlist("delay");
    let (timestamp_ms, delay_ms) = (fields.ms("timestamp"), fields.ms("delay"));
    if let Some(turn) = turns.first_mut() {
        (turn.timestamp_ms, turn.delay_ms) = (timestamp_ms, delay_ms);
    }
}

/// The turns of an entry.
fn turns(fields: &mut Fields, text: &str) -> Vec<Turn> {
    if fields.is_no_object() {
        return Vec::new();
    }
    let Bodies { payloads, payload } = serde_json::from_str(text).unwrap_or(Bodies { payloads: None, payload: None });
    if let Some((name, bodies)) = payloads.map(|all| ("payloads", all)).or(payload.map(|all| ("payload", all))) {
        fields.skip(&["payloads", "payload"]);
        return bodies_of(fields, name, bodies);
    }
    if fields.has("message_generator") {
        fields.fault("message_generator", "is a command that makes gRPC messages, which is not supported");
        return Vec::new();
    }
    if fields.has("text_input") {
        return vec![tensors(fields)];
    }
    if fields.has("input_ids") {
        fields.fault("input_ids", "are tokens of an engine; only entries with texts can be sent");
        return Vec::new();
    }
    // GenAI-Perf writes what templates made without a name around it.
    fields.take_rest();
    vec![body(unindented(text))]
}

fn bodies_of(fields: &mut Fields, name: &str, bodies: &RawValue) -> Vec<Turn> {
    let list = match serde_json::from_str::<Vec<&RawValue>>(bodies.get()) {
        Ok(list) => list,
        Err(_) => vec![bodies],
    };
    if list.is_empty() {
        fields.fault(name, "is empty");
    }
    let mut turns = Vec::with_capacity(list.len());
    for (index, text) in list.into_iter().enumerate() {
        match serde_json::from_str::<String>(text.get()) {
            // A body that is written as a text.
            Ok(text) if serde_json::from_str::<Map<String, Value>>(&text).is_ok() => turns.push(body(text)),
            Err(_) if is_object(text) => turns.push(body(unindented(text.get()))),
            _ => fields.fault(&format!("{name}[{index}]"), "is not an object, so it is no request body"),
        }
    }
    turns
}

fn body(text: String) -> Turn {
    Turn { prompt: Prompt::Body(text), ..Turn::default() }
}

/// Makes a body that has messages what it adds to its session; whether it has some.
fn add_only(turn: &mut Turn) -> bool {
    let Prompt::Body(text) = &turn.prompt else { return false };
    let Ok(Value::Object(body)) = serde_json::from_str(text) else { return false };
    let mut fields = Fields::new(Place::Whole, body);
    let Some(messages) = fields.list("messages") else { return false };
    turn.prompt = Prompt::Messages(messages);
    turn.model = fields.text("model");
    turn.output_tokens = fields.output_tokens(&["max_completion_tokens", "max_tokens"]);
    // The run says whether answers are streamed.
    fields.skip(&["stream"]);
    turn.extra = fields.take_rest();
    true
}

/// Inputs of a Triton model: each field is a list of one value.
fn tensors(fields: &mut Fields) -> Turn {
    // perf_analyzer knows the model from its command line.
    fields.skip(&["model", "stream"]);
    let times = ["session_id", "timestamp", "delay"].map(|field| (field, fields.take(field)));
    let rest = fields.take_rest().into_iter().map(|(field, value)| (field, tensor(value))).collect();
    for (field, time) in times {
        fields.put(field, time);
    }
    let mut inner = Fields::new(fields.place, rest);
    let text = inner.filled("text_input");
    let mut turn = Turn {
        prompt: Prompt::Texts(text.into_iter().collect()),
        output_tokens: inner.output_tokens(&["max_tokens"]),
        ..Turn::default()
    };
    turn.extra = inner.take_rest();
    fields.absorb(inner);
    turn
}

fn tensor(value: Value) -> Value {
    match value {
        Value::Array(mut items) if items.len() == 1 => items.remove(0),
        Value::Object(mut object) if object.contains_key("content") => {
            tensor(object.shift_remove("content").unwrap_or_default())
        }
        other => other,
    }
}
