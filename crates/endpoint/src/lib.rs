//! The API dialects: the body that each sends and how its answers are read. One file for each.

mod body;
mod chat;
mod completions;
mod embeddings;
mod message;
mod verdict;

use bytes::Bytes;
use serde_json::{Map, Value};
use tokamark_conversation::Turn;
use tokamark_plan::EndpointKind;
use tokamark_wire::{Answer, EventInfo, openai};

pub use message::{message, messages_of};
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

/// What a request says.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// What was said before the turn, as OpenAI chat messages: system message, earlier turns and their answers.
    pub past: &'a [Value],
    /// Tools that the conversation offers; the turn's own go before them.
    pub tools: Option<&'a Value>,
    /// The turn.
    pub turn: &'a Turn,
}

impl<'a> From<&'a Turn> for Request<'a> {
    /// A request without a past.
    fn from(turn: &'a Turn) -> Self {
        Self { past: &[], tools: None, turn }
    }
}

/// One API dialect. Stateless: what is learnt of an answer lives in [`Answer`].
pub trait Dialect: Send + Sync + std::fmt::Debug {
    /// Path under the base URL, such as `/v1/chat/completions`.
    fn default_path(&self) -> &'static str;
    /// Whether answers can be streamed.
    fn can_stream(&self) -> bool;
    /// Whether answers consist of tokens (embeddings do not).
    fn generates_tokens(&self) -> bool;
    /// The body of a request.
    fn body(&self, request: Request<'_>, options: &BodyOptions) -> Bytes;
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
