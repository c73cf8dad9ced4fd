//! Requests of our own runs: as figures, and as entries of a profile export.

use serde_json::{Map, Value, json};
use tokamark_record::{Anchor, Event, Outcome, RequestRecord};
use tokamark_wire::EventFlags;

use crate::Fidelity;
use crate::endpoint_type::{EndpointType, Figures};
use crate::export::{ExportRequest, ResponseOutput};
use crate::figures::RequestFigures;
use crate::summary::Accumulator;

/// What is known of a run beside its requests.
#[derive(Clone, Copy, Debug)]
pub struct LiveRun {
    /// Both clocks at the start.
    pub anchor: Anchor,
    /// The API.
    pub endpoint_type: EndpointType,
    /// By which rules answers count.
    pub fidelity: Fidelity,
}

/// What the record of a request does not say of what was sent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sent {
    /// The name of its conversation, if the run is one of conversations.
    pub session: Option<String>,
    /// Its images, for image retrieval.
    pub images: Option<u64>,
}

impl LiveRun {
    /// Adds a request to the figures. Cancelled ones are left out; so should those of the warm-up be by the caller.
    pub fn add(&self, accumulator: &mut Accumulator, record: &RequestRecord, sent: Sent) {
        match &record.outcome {
            Outcome::Failed(failure) => accumulator.add_failed(&failure.message),
            Outcome::Cancelled => {}
            Outcome::Ok => match self.figures(record, sent) {
                Some(mut figures) => {
                    if accumulator.has_plots() && figures.first_ns.is_some() {
                        let counted = record.events.iter().filter(|event| self.counts(event));
                        figures.arrivals = counted.map(|event| self.anchor.wall(event.arrival)).collect();
                    }
                    accumulator.add(&figures);
                }
                None => accumulator.add_empty(),
            },
        }
    }

    /// The figures of an answered request; none if nothing in the answer counts.
    fn figures(&self, record: &RequestRecord, sent: Sent) -> Option<RequestFigures> {
        let sent_ns = self.anchor.wall(start_of(record));
        let usage = record.usage.as_ref();
        if self.endpoint_type.figures() != Figures::Llm {
            let last_ns = self.anchor.wall(record.events.last().map_or(record.times.end, |event| event.arrival));
            return Some(RequestFigures { sent_ns, last_ns, images: sent.images, ..RequestFigures::default() });
        }
        let mut counted =
            record.events.iter().filter(|event| self.counts(event)).map(|event| self.anchor.wall(event.arrival));
        let first_ns = counted.next()?;
        let second_ns = counted.next();
        let last_ns = counted.next_back().or(second_ns).unwrap_or(first_ns);
        let reasoning = match self.fidelity {
            Fidelity::Right => record.local_reasoning_tokens.unwrap_or(0),
            Fidelity::Same => 0,
        };
        let local = record.local_output_tokens.map(|tokens| tokens + reasoning);
        Some(RequestFigures {
            sent_ns,
            first_ns: (self.fidelity == Fidelity::Same || record.streamed).then_some(first_ns),
            second_ns,
            last_ns,
            // GenAI-Perf knows no counts but its own.
            input_tokens: record.local_input_tokens.or(usage.and_then(|usage| usage.prompt)),
            output_tokens: local.or(usage.and_then(|usage| usage.completion)),
            images: None,
            session: sent.session,
            arrivals: Vec::new(),
        })
    }

    fn counts(&self, event: &Event) -> bool {
        match self.fidelity {
            Fidelity::Same => event.content_len > 0,
            Fidelity::Right => event.flags.is_generated(),
        }
    }

    /// The request as perf_analyzer would have recorded it. `payload` is the body that was sent. Our record keeps the
    /// text of events but not their bytes, so the responses are made anew; usage events are left out, since GenAI-Perf
    /// cannot read them.
    #[must_use]
    pub fn export(&self, record: &RequestRecord, payload: &str, session: Option<&str>) -> ExportRequest {
        let mut inputs = match self.endpoint_type {
            EndpointType::Kserve => tensors_of(payload),
            _ => Map::from_iter([("payload".to_owned(), payload.into())]),
        };
        if let Some(session) = session {
            inputs.insert("session_id".to_owned(), session.into());
        }
        let mut request = ExportRequest {
            timestamp: self.anchor.wall(start_of(record)),
            request_inputs: inputs,
            ..ExportRequest::default()
        };
        let mut at = 0;
        for event in &record.events {
            let mut next = |len: u32| {
                let start = at;
                at += len as usize;
                record.text.get(start..at).unwrap_or_default()
            };
            let said = Said {
                reasoning: next(event.reasoning_len),
                content: next(event.content_len),
                tool: next(event.tool_len),
            };
            let output = match self.endpoint_type {
                // The empty last message is a response, too.
                EndpointType::Kserve => Some(ResponseOutput {
                    tensors: Map::from_iter([("text_output".to_owned(), said.content.into())]),
                    ..ResponseOutput::default()
                }),
                _ => self.response(record, event, said).map(|text| ResponseOutput::of_text(&text)),
            };
            if let Some(output) = output {
                request.response_timestamps.push(self.anchor.wall(event.arrival));
                request.response_outputs.push(output);
            }
        }
        if request.response_outputs.is_empty() {
            request.response_timestamps.push(self.anchor.wall(record.times.end));
            request.response_outputs.push(ResponseOutput::of_text("{}"));
        }
        request
    }

    fn response(&self, record: &RequestRecord, event: &Event, said: Said<'_>) -> Option<String> {
        if !record.streamed {
            return Some(self.body(record, said).to_string());
        }
        if event.flags.has(EventFlags::DONE) {
            return Some("data: [DONE]\n\n".to_owned());
        }
        let speaks = event.flags.has(EventFlags::GENERATED | EventFlags::ROLE | EventFlags::EMPTY | EventFlags::FINISH);
        if !speaks {
            return None;
        }
        let finish = record.finish_reason.as_deref().filter(|_| event.flags.has(EventFlags::FINISH));
        let chunk = match self.endpoint_type {
            EndpointType::Completions => json!({"object": "text_completion", "choices": [
                {"index": 0, "text": said.content, "finish_reason": finish}]}),
            EndpointType::Generate => json!({"text_output": said.content}),
            _ => {
                let mut delta = Map::new();
                if event.flags.has(EventFlags::ROLE) {
                    delta.insert("role".to_owned(), "assistant".into());
                }
                said.fill(&mut delta, event.flags.has(EventFlags::ROLE));
                json!({"object": "chat.completion.chunk", "choices": [
                    {"index": 0, "delta": delta, "finish_reason": finish}]})
            }
        };
        Some(format!("data: {chunk}\n\n"))
    }

    fn body(&self, record: &RequestRecord, said: Said<'_>) -> Value {
        let finish = record.finish_reason.as_deref();
        match self.endpoint_type {
            EndpointType::Completions => json!({"object": "text_completion", "choices": [
                {"index": 0, "text": said.content, "finish_reason": finish}]}),
            EndpointType::Generate => json!({"text_output": said.content}),
            EndpointType::HuggingfaceGenerate => json!([{"generated_text": said.content}]),
            EndpointType::Embeddings | EndpointType::Nvclip => {
                json!({"object": "list", "data": [{"object": "embedding"}]})
            }
            EndpointType::Rankings => json!({"rankings": []}),
            EndpointType::ImageRetrieval => json!({"object": "image_retrieval"}),
            _ => {
                let mut message = Map::from_iter([("role".to_owned(), Value::from("assistant"))]);
                said.fill(&mut message, true);
                json!({"object": "chat.completion", "choices": [
                    {"index": 0, "message": message, "finish_reason": finish}]})
            }
        }
    }
}

/// The text that an event brought.
#[derive(Clone, Copy)]
struct Said<'a> {
    reasoning: &'a str,
    content: &'a str,
    tool: &'a str,
}

impl Said<'_> {
    fn fill(&self, message: &mut Map<String, Value>, needs_content: bool) {
        if !self.reasoning.is_empty() {
            message.insert("reasoning_content".to_owned(), self.reasoning.into());
        }
        if !self.content.is_empty() || needs_content {
            message.insert("content".to_owned(), self.content.into());
        }
        if !self.tool.is_empty() {
            message.insert("tool_calls".to_owned(), json!([{"index": 0, "function": {"arguments": self.tool}}]));
        }
    }
}

/// The tensors of a body, an element alone without its list, as perf_analyzer records them: the model is none of them.
fn tensors_of(body: &str) -> Map<String, Value> {
    let Ok(Value::Object(fields)) = serde_json::from_str(body) else { return Map::new() };
    let tensors = fields.into_iter().filter(|(name, _)| name != "model");
    tensors.map(|(name, value)| (name, alone(value))).collect()
}

fn alone(value: Value) -> Value {
    match value {
        Value::Array(mut elements) if elements.len() == 1 => elements.swap_remove(0),
        value => value,
    }
}

/// When it was sent, or should have been.
fn start_of(record: &RequestRecord) -> u64 {
    record.times.send_start.unwrap_or(record.times.scheduled)
}
