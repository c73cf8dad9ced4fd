//! `POST /v1/ranking` of a NIM.

use bytes::Bytes;
use serde_json::{Value, json};
use tokamark_plan::EndpointKind;
use tokamark_wire::{Answer, EventInfo, rankings};

use crate::passages::Ranking;
use crate::{BodyOptions, Dialect, Request, body, read_openai_event};

/// A query and passages in, a logit for each passage out.
#[derive(Debug)]
pub(crate) struct NimRankings;

impl Dialect for NimRankings {
    fn kind(&self) -> EndpointKind {
        EndpointKind::NimRankings
    }

    fn body(&self, request: Request<'_>, options: &BodyOptions) -> Bytes {
        let turn = request.turn;
        if let Some(given) = body::given(turn) {
            return given;
        }
        let Ranking { query, passages } = Ranking::of(turn);
        let mut fields = body::with_model(turn, options);
        fields.insert("query".to_owned(), json!({"text": query}));
        let passages: Vec<Value> = passages.into_iter().map(|text| json!({"text": text})).collect();
        fields.insert("passages".to_owned(), passages.into());
        body::finish(fields, turn, options)
    }

    fn read_event(&self, name: &[u8], data: &[u8], answer: &mut Answer) -> EventInfo {
        // Not streamed; but an error may come in any dress.
        read_openai_event(name, data, answer)
    }

    fn read_body(&self, body: &[u8], answer: &mut Answer) -> Result<EventInfo, String> {
        rankings::read_body(body, answer)
    }
}
