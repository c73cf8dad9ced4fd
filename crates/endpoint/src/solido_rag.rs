//! `POST /rag/api/prompt` of Solido.

use bytes::Bytes;
use serde_json::{Map, json};
use tokamark_plan::EndpointKind;
use tokamark_wire::{Answer, EventInfo, any};

use crate::message::texts_of;
use crate::{BodyOptions, Dialect, Request, body, messages_of};

/// Questions in, an answer with its sources out.
#[derive(Debug)]
pub(crate) struct SolidoRag;

impl Dialect for SolidoRag {
    fn kind(&self) -> EndpointKind {
        EndpointKind::SolidoRag
    }

    fn marks_end(&self) -> bool {
        false
    }

    fn body(&self, request: Request<'_>, options: &BodyOptions) -> Bytes {
        let turn = request.turn;
        if let Some(given) = body::given(turn) {
            return given;
        }
        let own = messages_of(turn);
        let query: Vec<&str> = texts_of(request.past).chain(texts_of(&own)).collect();
        let mut fields = Map::new();
        fields.insert("query".to_owned(), query.into());
        fields.insert("filters".to_owned(), json!({"family": "Solido", "tool": "SDE"}));
        fields.insert("inference_model".to_owned(), body::model(turn, options).into());
        body::finish(fields, turn, options)
    }

    fn read_event(&self, name: &[u8], data: &[u8], answer: &mut Answer) -> EventInfo {
        any::read_event(name, data, answer)
    }

    fn read_body(&self, body: &[u8], answer: &mut Answer) -> Result<EventInfo, String> {
        any::read_body(body, answer)
    }
}
