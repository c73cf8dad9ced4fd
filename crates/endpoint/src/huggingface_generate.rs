//! `POST /generate` and `/generate_stream` of Hugging Face's text-generation-inference.

use bytes::Bytes;
use serde_json::{Map, Value, json};
use tokamark_plan::EndpointKind;
use tokamark_wire::{Answer, EventInfo, huggingface};

use crate::message::texts_of;
use crate::{BodyOptions, Dialect, Request, body, messages_of, read_unless_error};

/// Fields of the user's that stand beside `parameters`; all others are parameters. The root path, which decides on a stream by
/// the body, needs `stream`; GenAI-Perf sends `model` too.
const BESIDE: [&str; 3] = ["inputs", "model", "stream"];

/// One text in, one text out.
#[derive(Debug)]
pub(crate) struct HuggingfaceGenerate;

impl Dialect for HuggingfaceGenerate {
    fn kind(&self) -> EndpointKind {
        EndpointKind::HuggingfaceGenerate
    }

    fn body(&self, request: Request<'_>, options: &BodyOptions) -> Bytes {
        let turn = request.turn;
        if let Some(given) = body::given(turn) {
            return given;
        }
        let own = messages_of(turn);
        let inputs = texts_of(request.past).chain(texts_of(&own)).collect::<Vec<_>>().join(" ");
        let mut parameters = Map::new();
        body::add_limit(&mut parameters, "max_new_tokens", turn);
        let mut beside = Map::new();
        for (key, value) in options.extra.iter().chain(&turn.extra) {
            match (key.as_str(), value) {
                ("parameters", Value::Object(more)) => parameters.extend(more.clone()),
                (name, value) if BESIDE.contains(&name) => {
                    beside.insert(name.to_owned(), value.clone());
                }
                (name, value) => {
                    parameters.insert(name.to_owned(), value.clone());
                }
            }
        }
        let mut fields = Map::new();
        fields.insert("inputs".to_owned(), inputs.into());
        fields.insert("parameters".to_owned(), json!(parameters));
        fields.extend(beside);
        body::write(&fields)
    }

    fn read_event(&self, name: &[u8], data: &[u8], answer: &mut Answer) -> EventInfo {
        read_unless_error(name, data, answer, huggingface::read_event)
    }

    fn read_body(&self, body: &[u8], answer: &mut Answer) -> Result<EventInfo, String> {
        huggingface::read_body(body, answer)
    }
}
