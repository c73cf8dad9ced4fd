//! The OpenAI API as the server speaks it: bodies in, bodies and events out. No I/O.

mod embedding;
mod error;
mod event;
mod request;
mod usage;

pub(crate) use embedding::embedding_body;
pub(crate) use error::{ApiError, error_body};
pub(crate) use event::{EventTemplate, EventWriter};
pub(crate) use request::{Job, Kind, read_job};
pub(crate) use usage::Usage;

use crate::http::Reply;

/// Text as a JSON string, with its quotes.
pub(crate) fn json_string(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// The list of models.
pub(crate) fn models_reply(models: &[String], created: u64, longest: u64) -> Reply {
    let default = ["sim".to_owned()];
    let models = if models.is_empty() { &default } else { models };
    let entries: Vec<_> = models
        .iter()
        .map(|model| {
            format!(
                r#"{{"id":{0},"object":"model","created":{created},"owned_by":"tokamark","root":{0},"parent":null,"max_model_len":{longest}}}"#,
                json_string(model)
            )
        })
        .collect();
    Reply::json(200, format!(r#"{{"object":"list","data":[{}]}}"#, entries.join(",")))
}
