//! `POST /v1/embeddings` of a NIM, which takes texts, images and pairs of both.

use bytes::Bytes;
use serde_json::Value;
use tokamark_plan::EndpointKind;
use tokamark_wire::{Answer, EventInfo, openai};

use crate::message::texts_of;
use crate::{BodyOptions, Dialect, Request, body, messages_of, read_openai_event};

/// A list of inputs in, a list of vectors out. As many texts as images are pairs: a text, a space, and its image's URL.
#[derive(Debug)]
pub(crate) struct NimEmbeddings;

impl Dialect for NimEmbeddings {
    fn kind(&self) -> EndpointKind {
        EndpointKind::NimEmbeddings
    }

    fn body(&self, request: Request<'_>, options: &BodyOptions) -> Bytes {
        let turn = request.turn;
        if let Some(given) = body::given(turn) {
            return given;
        }
        let messages = messages_of(turn);
        let texts: Vec<&str> = texts_of(&messages).collect();
        let images = turn.images.iter().map(|image| &*image.uri);
        let input: Vec<Value> = if texts.len() == images.len() {
            texts.into_iter().zip(images).map(|(text, image)| format!("{text} {image}").into()).collect()
        } else {
            texts.into_iter().chain(images).map(Value::from).collect()
        };
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
