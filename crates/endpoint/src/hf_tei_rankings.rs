//! `POST /rerank` of Hugging Face's text-embeddings-inference.

use bytes::Bytes;
use serde_json::Map;
use tokamark_plan::EndpointKind;
use tokamark_wire::{Answer, EventInfo, rankings};

use crate::passages::Ranking;
use crate::{BodyOptions, Dialect, Request, body, read_openai_event};

/// A query and texts in, a score for each text out. The server has one model, which is not named.
#[derive(Debug)]
pub(crate) struct HfTeiRankings;

impl Dialect for HfTeiRankings {
    fn kind(&self) -> EndpointKind {
        EndpointKind::HfTeiRankings
    }

    fn body(&self, request: Request<'_>, options: &BodyOptions) -> Bytes {
        let turn = request.turn;
        if let Some(given) = body::given(turn) {
            return given;
        }
        let Ranking { query, passages } = Ranking::of(turn);
        let mut fields = Map::new();
        fields.insert("query".to_owned(), query.into());
        fields.insert("texts".to_owned(), passages.into());
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
