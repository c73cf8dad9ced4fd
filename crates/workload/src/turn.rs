//! One turn of a conversation.

use serde::Serialize;
use serde_json::{Map, Value};

/// One turn of a conversation, ready to be put into a request body.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Turn {
    /// Row of the dataset.
    pub row: u64,
    /// The user's texts: one, or several for batched endpoints.
    pub texts: Vec<String>,
    /// Tokens of the texts by the workload's tokenizer.
    pub input_tokens: Option<u64>,
    /// Output tokens to ask for.
    pub output_tokens: Option<u64>,
    /// A model of the turn's own.
    pub model: Option<String>,
    /// Fields that the dataset adds to the body.
    pub extra: Map<String, Value>,
}
