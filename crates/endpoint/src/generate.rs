//! `POST /v2/models/{MODEL}/generate` and `…/generate_stream`: Triton's generate extension.

use bytes::Bytes;
use serde_json::Map;
use tokamark_plan::EndpointKind;
use tokamark_wire::{Answer, EventInfo, triton};

use crate::message::texts_of;
use crate::{BodyOptions, Dialect, Request, body, messages_of, read_unless_error};

/// The model's inputs as members; the path names the model. Texts are a list, whose length is the batch's.
#[derive(Debug)]
pub(crate) struct Generate;

impl Dialect for Generate {
    fn kind(&self) -> EndpointKind {
        EndpointKind::Generate
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
        let texts: Vec<String> = if request.past.is_empty() {
            texts_of(&own).map(str::to_owned).collect()
        } else {
            // There are no roles here: what was said before is simply the text that goes before.
            vec![texts_of(request.past).chain(texts_of(&own)).collect::<Vec<_>>().join("\n\n")]
        };
        let mut fields = Map::new();
        fields.insert("text_input".to_owned(), texts.into());
        if options.streaming {
            fields.insert("stream".to_owned(), true.into());
        }
        body::add_limit(&mut fields, "max_tokens", turn);
        body::finish(fields, turn, options)
    }

    fn read_event(&self, name: &[u8], data: &[u8], answer: &mut Answer) -> EventInfo {
        read_unless_error(name, data, answer, triton::read_event)
    }

    fn read_body(&self, body: &[u8], answer: &mut Answer) -> Result<EventInfo, String> {
        triton::read_body(body, answer)
    }
}
