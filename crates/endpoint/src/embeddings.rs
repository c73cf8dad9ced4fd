//! `POST /v1/embeddings`.

use bytes::Bytes;
use tokamark_plan::EndpointKind;
use tokamark_wire::{Answer, EventInfo, openai};

use crate::message::texts_of;
use crate::{BodyOptions, Dialect, Request, body, messages_of, read_openai_event};

/// The embeddings dialect: a list of texts in, a list of vectors out, no stream and no tokens.
#[derive(Debug)]
pub(crate) struct Embeddings;

impl Dialect for Embeddings {
    fn kind(&self) -> EndpointKind {
        EndpointKind::Embeddings
    }

    fn body(&self, request: Request<'_>, options: &BodyOptions) -> Bytes {
        let turn = request.turn;
        if let Some(given) = body::given(turn) {
            return given;
        }
        let mut fields = body::with_model(turn, options);
        fields.insert("input".to_owned(), texts_of(&messages_of(turn)).collect::<Vec<_>>().into());
        body::finish(fields, turn, options)
    }

    fn read_event(&self, name: &[u8], data: &[u8], answer: &mut Answer) -> EventInfo {
        // Not streamed; but an error may come in any dress.
        read_openai_event(name, data, answer)
    }

    fn read_body(&self, body: &[u8], answer: &mut Answer) -> Result<EventInfo, String> {
        openai::read_embeddings_body(body, answer)
    }
}
