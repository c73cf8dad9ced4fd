//! `POST /v1/completions`.

use bytes::Bytes;
use tokamark_wire::{Answer, EventInfo, openai};
use tokamark_workload::Turn;

use crate::{BodyOptions, Dialect, body, read_openai_event};

/// The (text) completions dialect. Several texts are a batch of prompts.
#[derive(Debug)]
pub(crate) struct Completions;

impl Dialect for Completions {
    fn default_path(&self) -> &'static str {
        "/v1/completions"
    }

    fn can_stream(&self) -> bool {
        true
    }

    fn generates_tokens(&self) -> bool {
        true
    }

    fn body(&self, turn: &Turn, options: &BodyOptions) -> Bytes {
        let mut fields = body::with_model(turn, options);
        fields.insert("prompt".to_owned(), body::text_or_list(&turn.texts));
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
