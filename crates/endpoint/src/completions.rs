//! `POST /v1/completions`.

use bytes::Bytes;
use tokamark_plan::EndpointKind;
use tokamark_wire::{Answer, EventInfo, openai};

use crate::message::texts_of;
use crate::{BodyOptions, Dialect, Request, body, messages_of, read_openai_event};

/// The (text) completions dialect. Several texts are a batch of prompts.
#[derive(Debug)]
pub(crate) struct Completions;

impl Dialect for Completions {
    fn kind(&self) -> EndpointKind {
        EndpointKind::Completions
    }

    fn body(&self, request: Request<'_>, options: &BodyOptions) -> Bytes {
        let turn = request.turn;
        if let Some(given) = body::given(turn) {
            return given;
        }
        let own = messages_of(turn);
        let prompt = if request.past.is_empty() {
            body::text_or_list(texts_of(&own).collect())
        } else {
            // There are no roles here: what was said before is simply the text that goes before.
            texts_of(request.past).chain(texts_of(&own)).collect::<Vec<_>>().join("\n\n").into()
        };
        let mut fields = body::with_model(turn, options);
        fields.insert("prompt".to_owned(), prompt);
        body::add_stream(&mut fields, turn, options);
        body::add_limit(&mut fields, "max_tokens", turn);
        body::finish(fields, turn, options)
    }

    fn read_event(&self, name: &[u8], data: &[u8], answer: &mut Answer) -> EventInfo {
        read_openai_event(name, data, answer)
    }

    fn read_body(&self, body: &[u8], answer: &mut Answer) -> Result<EventInfo, String> {
        openai::read_body(body, answer)
    }
}
