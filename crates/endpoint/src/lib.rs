//! The API dialects: the body that each sends and how its answers are read. One file for each.

mod body;
mod chat;
mod completions;
mod embeddings;
mod verdict;

use bytes::Bytes;
use serde_json::{Map, Value};
use tokamark_plan::EndpointKind;
use tokamark_wire::{Answer, EventInfo, openai};
use tokamark_workload::Turn;

pub use verdict::{Ending, Verdict, VerdictKind, http_error, judge};

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

/// The dialect of an endpoint.
#[must_use]
pub fn dialect(kind: EndpointKind) -> &'static dyn Dialect {
    match kind {
        EndpointKind::Chat => &chat::Chat,
        EndpointKind::Completions => &completions::Completions,
        EndpointKind::Embeddings => &embeddings::Embeddings,
    }
}

/// Reads an event of an OpenAI-style stream: one that is named `error` is an error whatever it holds.
fn read_openai_event(name: &[u8], data: &[u8], answer: &mut Answer) -> EventInfo {
    if name == b"error" { openai::read_error_event(data, answer) } else { openai::read_event(data, answer) }
}
