//! `POST /v1/responses`.

use bytes::Bytes;
use serde_json::Map;
use tokamark_plan::EndpointKind;
use tokamark_wire::{Answer, EventInfo, responses};

use crate::{BodyOptions, Dialect, Request, body, messages_of, read_unless_error, response_items};

/// The responses dialect of OpenAI. Token counts come with the last event without being asked for.
#[derive(Debug)]
pub(crate) struct Responses;

impl Dialect for Responses {
    fn kind(&self) -> EndpointKind {
        EndpointKind::Responses
    }

    fn body(&self, request: Request<'_>, options: &BodyOptions) -> Bytes {
        let turn = request.turn;
        if let Some(given) = body::given(turn) {
            return given;
        }
        let now = messages_of(turn);
        let (instructions, items) = response_items::items(request.past.iter().chain(&now));
        let mut fields = Map::new();
        fields.insert("input".to_owned(), items.into());
        fields.insert("model".to_owned(), body::model(turn, options).into());
        fields.insert("stream".to_owned(), options.streaming.into());
        if let Some(instructions) = instructions {
            fields.insert("instructions".to_owned(), instructions.into());
        }
        body::add_limit(&mut fields, "max_output_tokens", turn);
        if let Some(tools) = turn.tools.as_ref().or(request.tools) {
            fields.insert("tools".to_owned(), response_items::tools(tools));
        }
        body::finish(fields, turn, options)
    }

    fn read_event(&self, name: &[u8], data: &[u8], answer: &mut Answer) -> EventInfo {
        read_unless_error(name, data, answer, |data, answer| responses::read_event(name, data, answer))
    }

    fn read_body(&self, body: &[u8], answer: &mut Answer) -> Result<EventInfo, String> {
        responses::read_body(body, answer)
    }
}
