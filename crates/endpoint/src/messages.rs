//! `POST /v1/messages`.

use bytes::Bytes;
use tokamark_plan::EndpointKind;
use tokamark_wire::{Answer, EventInfo, messages};

use crate::{BodyOptions, Dialect, Request, anthropic, body, messages_of, read_unless_error};

/// The API demands a limit; this is AIPerf's where none is given.
const DEFAULT_LIMIT: u64 = 1024;

/// The messages dialect of Anthropic and of those who speak it.
#[derive(Debug)]
pub(crate) struct Messages;

impl Dialect for Messages {
    fn kind(&self) -> EndpointKind {
        EndpointKind::Messages
    }

    fn body(&self, request: Request<'_>, options: &BodyOptions) -> Bytes {
        let turn = request.turn;
        if let Some(given) = body::given(turn) {
            return given;
        }
        let now = messages_of(turn);
        let (system, messages) = anthropic::messages(request.past.iter().chain(&now));
        let mut fields = body::with_model(turn, options);
        fields.insert("messages".to_owned(), messages.into());
        fields.insert("max_tokens".to_owned(), turn.output_tokens.unwrap_or(DEFAULT_LIMIT).into());
        if options.streaming {
            fields.insert("stream".to_owned(), true.into());
        }
        if let Some(system) = system {
            fields.insert("system".to_owned(), system.into());
        }
        if let Some(tools) = turn.tools.as_ref().or(request.tools) {
            fields.insert("tools".to_owned(), anthropic::tools(tools));
        }
        body::finish(fields, turn, options)
    }

    fn read_event(&self, name: &[u8], data: &[u8], answer: &mut Answer) -> EventInfo {
        read_unless_error(name, data, answer, |data, answer| messages::read_event(name, data, answer))
    }

    fn read_body(&self, body: &[u8], answer: &mut Answer) -> Result<EventInfo, String> {
        messages::read_body(body, answer)
    }
}
