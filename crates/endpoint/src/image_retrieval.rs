//! `POST /v1/infer` of a NIM that finds objects in images.

use bytes::Bytes;
use serde_json::{Map, Value, json};
use tokamark_plan::EndpointKind;
use tokamark_wire::{Answer, EventInfo, images};

use crate::{BodyOptions, Dialect, Request, body, read_openai_event};

/// Images in, boxes for each out. Texts are not sent, nor is the name of a model: the server has one.
#[derive(Debug)]
pub(crate) struct ImageRetrieval;

impl Dialect for ImageRetrieval {
    fn kind(&self) -> EndpointKind {
        EndpointKind::ImageRetrieval
    }

    fn body(&self, request: Request<'_>, options: &BodyOptions) -> Bytes {
        let turn = request.turn;
        if let Some(given) = body::given(turn) {
            return given;
        }
        let images: Vec<Value> =
            turn.images.iter().map(|image| json!({"type": "image_url", "url": image.uri})).collect();
        let mut fields = Map::new();
        fields.insert("input".to_owned(), images.into());
        body::finish(fields, turn, options)
    }

    fn read_event(&self, name: &[u8], data: &[u8], answer: &mut Answer) -> EventInfo {
        // Not streamed; but an error may come in any dress.
        read_openai_event(name, data, answer)
    }

    fn read_body(&self, body: &[u8], answer: &mut Answer) -> Result<EventInfo, String> {
        images::read_body(body, answer)
    }
}
