//! `POST /v1/embeddings` of NV-CLIP.

use bytes::Bytes;
use tokamark_plan::EndpointKind;
use tokamark_wire::{Answer, EventInfo, openai};

use crate::message::texts_of;
use crate::{BodyOptions, Dialect, Request, body, messages_of, read_openai_event};

/// Texts, then images in, a vector for each out.
#[derive(Debug)]
pub(crate) struct Nvclip;

impl Dialect for Nvclip {
    fn kind(&self) -> EndpointKind {
        EndpointKind::Nvclip
    }

    fn body(&self, request: Request<'_>, options: &BodyOptions) -> Bytes {
        let turn = request.turn;
        if let Some(given) = body::given(turn) {
            return given;
        }
        let messages = messages_of(turn);
        let input: Vec<&str> = texts_of(&messages).chain(turn.images.iter().map(|image| &*image.uri)).collect();
        let mut fields = body::with_model(turn, options);
        fields.insert("input".to_owned(), input.into());
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
