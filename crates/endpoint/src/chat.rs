//! `POST /v1/chat/completions`.

use bytes::Bytes;
use serde_json::Value;
use tokamark_plan::EndpointKind;
use tokamark_wire::{Answer, EventInfo, openai};

use crate::body::LongField;
use crate::{BodyOptions, Dialect, Request, body, messages_of, read_openai_event};

/// The chat completions dialect of OpenAI and of all who speak it.
#[derive(Debug)]
pub(crate) struct Chat;

impl Dialect for Chat {
    fn kind(&self) -> EndpointKind {
        EndpointKind::Chat
    }

    fn body(&self, request: Request<'_>, options: &BodyOptions) -> Bytes {
        let turn = request.turn;
        if let Some(given) = body::given(turn) {
            return given;
        }
        let now = messages_of(turn);
        let mut fields = body::with_model(turn, options);
        fields.insert("messages".to_owned(), Value::Null);
        if let Some(tools) = turn.tools.as_ref().or(request.tools) {
            fields.insert("tools".to_owned(), tools.clone());
        }
        body::add_stream(&mut fields, turn, options);
        let limit = if options.legacy_max_tokens { "max_tokens" } else { "max_completion_tokens" };
        body::add_limit(&mut fields, limit, turn);
        let messages = LongField { name: "messages", past: request.past, now: &now };
        body::finish_long(fields, Some(messages), turn, options)
    }

    fn read_event(&self, name: &[u8], data: &[u8], answer: &mut Answer) -> EventInfo {
        read_openai_event(name, data, answer)
    }

    fn read_body(&self, body: &[u8], answer: &mut Answer) -> Result<EventInfo, String> {
        openai::read_body(body, answer)
    }
}
