//! `POST /v1/embeddings` with chat messages, as vLLM's multimodal models take them.

use bytes::Bytes;
use serde_json::Value;
use tokamark_plan::EndpointKind;
use tokamark_wire::{Answer, EventInfo, openai};

use crate::body::LongField;
use crate::{BodyOptions, Dialect, Request, body, messages_of, read_openai_event};

/// Messages in, one vector out.
#[derive(Debug)]
pub(crate) struct ChatEmbeddings;

impl Dialect for ChatEmbeddings {
    fn kind(&self) -> EndpointKind {
        EndpointKind::ChatEmbeddings
    }

    fn body(&self, request: Request<'_>, options: &BodyOptions) -> Bytes {
        let turn = request.turn;
        if let Some(given) = body::given(turn) {
            return given;
        }
        let now = messages_of(turn);
        let mut fields = body::with_model(turn, options);
        fields.insert("messages".to_owned(), Value::Null);
        let messages = LongField { name: "messages", past: request.past, now: &now };
        body::finish_long(fields, Some(messages), turn, options)
    }

    fn read_event(&self, name: &[u8], data: &[u8], answer: &mut Answer) -> EventInfo {
        // Not streamed; but an error may come in any dress.
        read_openai_event(name, data, answer)
    }

    fn read_body(&self, body: &[u8], answer: &mut Answer) -> Result<EventInfo, String> {
        openai::read_embeddings_body(body, answer)
    }
}
