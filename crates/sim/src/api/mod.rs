//! The APIs as the server speaks them: bodies in, bodies and events out. No I/O.

mod embedding;
mod error;
mod event;
mod frame;
mod kind;
mod ranking;
mod request;
mod usage;
mod whole;

pub(crate) use embedding::embedding_body;
pub(crate) use error::{ApiError, error_body};
pub(crate) use event::{EventTemplate, EventWriter};
pub(crate) use frame::Frame;
pub(crate) use kind::{Kind, Target};
pub(crate) use ranking::{boxes_body, ranking_body};
pub(crate) use request::{Job, read_job};
pub(crate) use usage::Usage;
pub(crate) use whole::{WholeSequence, whole_body};

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
