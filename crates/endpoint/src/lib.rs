//! The API dialects: the body that each sends and how its answers are read. One file for each.

use bytes::Bytes;
use serde_json::{Map, Value};
use tokamark_wire::{Answer, EventInfo};
use tokamark_workload::Turn;

/// What a body needs beside the turn.
#[derive(Clone, Debug)]
pub struct BodyOptions {
    /// The model's name.
    pub model: String,
    /// Ask for a stream.
    pub streaming: bool,
    /// `max_tokens` in place of `max_completion_tokens`.
    pub legacy_max_tokens: bool,
    /// `--extra-inputs`: fields that are merged over the body's own.
    pub extra: Map<String, Value>,
}

/// One API dialect. Stateless: what is learnt of an answer lives in [`Answer`].
pub trait Dialect: Send + Sync + std::fmt::Debug {
    /// Path under the base URL, such as `/v1/chat/completions`.
    fn default_path(&self) -> &'static str;
    /// Whether answers can be streamed.
    fn can_stream(&self) -> bool;
    /// Whether answers consist of tokens (embeddings do not).
    fn generates_tokens(&self) -> bool;
    /// The request body for a turn.
    fn body(&self, turn: &Turn, options: &BodyOptions) -> Bytes;
    /// Reads the data of one stream event, adds its text to the answer and says what it was.
    fn read_event(&self, name: &[u8], data: &[u8], answer: &mut Answer) -> EventInfo;
    /// Reads a whole body that is not a stream. Sets `answer.error` for an error in any known shape.
    ///
    /// # Errors
    /// What could not be understood, in words.
    fn read_body(&self, body: &[u8], answer: &mut Answer) -> Result<EventInfo, String>;
}
