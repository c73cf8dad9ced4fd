//! `POST /v1/chat/completions`.

use bytes::Bytes;
use serde_json::{Value, json};
use tokamark_wire::{Answer, EventInfo, openai};
use tokamark_workload::Turn;

use crate::{BodyOptions, Dialect, body, read_openai_event};

/// The chat completions dialect of OpenAI and of all who speak it.
#[derive(Debug)]
pub(crate) struct Chat;

impl Dialect for Chat {
    fn default_path(&self) -> &'static str {
        "/v1/chat/completions"
    }

    fn can_stream(&self) -> bool {
        true
    }

    fn generates_tokens(&self) -> bool {
        true
    }

    fn body(&self, turn: &Turn, options: &BodyOptions) -> Bytes {
        let content: Value = match turn.texts.as_slice() {
            [text] => text.as_str().into(),
            texts => texts.iter().map(|text| json!({"type": "text", "text": text})).collect(),
        };
        let mut fields = body::with_model(turn, options);
        fields.insert("messages".to_owned(), json!([{"role": "user", "content": content}]));
        body::add_stream(&mut fields, turn, options);
        let limit = if options.legacy_max_tokens { "max_tokens" } else { "max_completion_tokens" };
        body::add_limit(&mut fields, limit, turn);
        body::finish(fields, turn, options)
    }

    fn read_event(&self, name: &[u8], data: &[u8], answer: &mut Answer) -> EventInfo {
        read_openai_event(name, data, answer)
    }

    fn read_body(&self, body: &[u8], answer: &mut Answer) -> Result<EventInfo, String> {
        openai::read_body(body, answer)
    }
}
