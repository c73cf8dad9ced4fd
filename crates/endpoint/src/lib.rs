//! The API dialects: the body that each sends and how its answers are read. One file for each.

mod anthropic;
mod body;
mod chat;
mod chat_embeddings;
mod cohere_rankings;
mod completions;
mod embeddings;
mod generate;
mod hf_tei_rankings;
mod huggingface_generate;
mod image_retrieval;
mod kserve;
mod message;
mod messages;
mod nim_embeddings;
mod nim_rankings;
mod nvclip;
mod passages;
mod raw;
mod response_field;
mod response_items;
mod responses;
mod solido_rag;
mod template;
mod verdict;

use bytes::Bytes;
use serde_json::{Map, Value};
use tokamark_conversation::Turn;
use tokamark_plan::EndpointKind;
use tokamark_wire::{Answer, EventInfo, openai};

pub use kserve::tensor_layout;
pub use message::{message, messages_of};
pub use response_field::{RESPONSE_FIELD, ResponseFieldError, check_response_field, dialect_for};
pub use template::{PAYLOAD_TEMPLATE, TemplateError, check_template};
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
    /// `--extra-inputs`: fields that are merged over the body's own. `template` finds its template among them
    /// ([`PAYLOAD_TEMPLATE`]).
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
    /// Whose dialect it is.
    fn kind(&self) -> EndpointKind;
    /// Whether answers can be streamed.
    fn can_stream(&self) -> bool {
        self.kind().can_stream()
    }
    /// Whether answers consist of tokens (embeddings do not).
    fn generates_tokens(&self) -> bool {
        self.kind().generates_tokens()
    }
    /// Whether a whole stream says that it has ended. Where none does, the end of the body is the end.
    fn marks_end(&self) -> bool {
        true
    }
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

/// The dialect of an endpoint; see [`dialect_for`] for one that knows the extra inputs.
#[must_use]
pub fn dialect(kind: EndpointKind) -> &'static dyn Dialect {
    match kind {
        EndpointKind::Chat => &chat::Chat,
        EndpointKind::Completions => &completions::Completions,
        EndpointKind::Responses => &responses::Responses,
        EndpointKind::Messages => &messages::Messages,
        EndpointKind::Generate => &generate::Generate,
        EndpointKind::KserveTensorrtllm => &kserve::TENSORRTLLM,
        EndpointKind::KserveVllm => &kserve::VLLM,
        EndpointKind::HuggingfaceGenerate => &huggingface_generate::HuggingfaceGenerate,
        EndpointKind::Embeddings => &embeddings::Embeddings,
        EndpointKind::ChatEmbeddings => &chat_embeddings::ChatEmbeddings,
        EndpointKind::NimEmbeddings => &nim_embeddings::NimEmbeddings,
        EndpointKind::Nvclip => &nvclip::Nvclip,
        EndpointKind::NimRankings => &nim_rankings::NimRankings,
        EndpointKind::CohereRankings => &cohere_rankings::CohereRankings,
        EndpointKind::HfTeiRankings => &hf_tei_rankings::HfTeiRankings,
        EndpointKind::ImageRetrieval => &image_retrieval::ImageRetrieval,
        EndpointKind::SolidoRag => &solido_rag::SolidoRag,
        EndpointKind::Raw => &raw::Raw,
        EndpointKind::Template => &template::Template,
    }
}

/// Reads an event by a reader, unless it is named `error`: then it is one whatever it holds.
fn read_unless_error(
    name: &[u8],
    data: &[u8],
    answer: &mut Answer,
    read: impl FnOnce(&[u8], &mut Answer) -> EventInfo,
) -> EventInfo {
    if name == b"error" { openai::read_error_event(data, answer) } else { read(data, answer) }
}

/// Reads an event of an OpenAI-style stream.
fn read_openai_event(name: &[u8], data: &[u8], answer: &mut Answer) -> EventInfo {
    read_unless_error(name, data, answer, openai::read_event)
}
