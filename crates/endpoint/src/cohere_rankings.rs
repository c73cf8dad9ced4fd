//! `POST /v2/rerank` of Cohere and those who speak its API.

use bytes::Bytes;
use tokamark_plan::EndpointKind;
use tokamark_wire::{Answer, EventInfo, rankings};

use crate::passages::Ranking;
use crate::{BodyOptions, Dialect, Request, body, read_openai_event};

/// A query and documents in, a relevance score for each document out.
#[derive(Debug)]
pub(crate) struct CohereRankings;

impl Dialect for CohereRankings {
    fn kind(&self) -> EndpointKind {
        EndpointKind::CohereRankings
    }

    fn body(&self, request: Request<'_>, options: &BodyOptions) -> Bytes {
        let turn = request.turn;
        if let Some(given) = body::given(turn) {
            return given;
        }
        let Ranking { query, passages } = Ranking::of(turn);
        let mut fields = body::with_model(turn, options);
        fields.insert("query".to_owned(), query.into());
        fields.insert("documents".to_owned(), passages.into());
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
