//! The server and the way to it.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// API dialects that can be measured. What is known of each is in `endpoint_facts`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EndpointKind {
    /// OpenAI chat completions.
    #[serde(alias = "multimodal", alias = "vision")]
    Chat,
    /// OpenAI (text) completions.
    Completions,
    /// OpenAI responses.
    Responses,
    /// Anthropic messages.
    Messages,
    /// Triton's generate extension.
    Generate,
    /// Triton over gRPC, with the inputs of TensorRT-LLM's ensemble.
    #[serde(alias = "kserve")]
    KserveTensorrtllm,
    /// Triton over gRPC, with the inputs of vLLM's backend.
    KserveVllm,
    /// Hugging Face text-generation-inference.
    HuggingfaceGenerate,
    /// OpenAI embeddings.
    Embeddings,
    /// Embeddings of chat messages, as vLLM makes them.
    ChatEmbeddings,
    /// Embeddings of texts, images and pairs of both by a NIM.
    NimEmbeddings,
    /// Embeddings of texts and images side by side, as NV-CLIP makes them.
    Nvclip,
    /// Ranking of passages by a NIM.
    #[serde(alias = "rankings")]
    NimRankings,
    /// Ranking of documents in Cohere's API.
    CohereRankings,
    /// Ranking of texts by Hugging Face's text-embeddings-inference.
    HfTeiRankings,
    /// Finding objects in images by a NIM.
    ImageRetrieval,
    /// Solido's retrieval-augmented generation.
    SolidoRag,
    /// Bodies that the dataset gives whole, and answers of any known form.
    Raw,
    /// Bodies from a template, and answers of any known form.
    Template,
}

/// How several models are given to requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ModelSelection {
    /// Request `i` gets model `i mod n`.
    #[default]
    RoundRobin,
    /// Drawn with the seed.
    Random,
}

/// When connections are opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ConnectMode {
    /// Before the load starts, so that set-up is not mixed into TTFT.
    #[default]
    Ahead,
    /// When first needed.
    Lazy,
    /// Anew for each request.
    PerRequest,
}

/// Whether connections are kept between requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reuse {
    /// Any idle connection serves the next request.
    #[default]
    Pooled,
    /// One connection for each request.
    Never,
    /// One connection for each conversation.
    StickyUserSessions,
}

/// A value that must not appear in any file or message.
#[derive(Clone, PartialEq, Eq, Deserialize)]
pub struct Secret(pub String);

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("<redacted>")
    }
}

impl Serialize for Secret {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str("<redacted>")
    }
}

/// TLS settings.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TlsPlan {
    /// PEM file with certificates to trust beside the system's.
    pub ca_file: Option<PathBuf>,
    /// PEM file with the client's certificate chain.
    pub certificate_file: Option<PathBuf>,
    /// PEM file with the client's key.
    pub key_file: Option<PathBuf>,
    /// Accept any certificate.
    pub insecure: bool,
}

/// What is measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TargetPlan {
    /// Full URLs of the endpoint (base, path and query joined), one for each server; requests take turns.
    pub urls: Vec<String>,
    /// The dialect.
    pub endpoint: EndpointKind,
    /// Names of the models.
    pub models: Vec<String>,
    /// How several models are used.
    pub model_selection: ModelSelection,
    /// Ask for streams.
    pub streaming: bool,
    /// Sent as `Authorization: Bearer …`.
    pub api_key: Option<Secret>,
    /// Further headers, in order. Values may be secret and are written to no file.
    pub headers: Vec<(String, Secret)>,
    /// Fields merged into each body.
    pub extra_inputs: Map<String, Value>,
    /// Whole-request time limit in seconds.
    pub request_timeout_s: f64,
    /// Take token counts from the server alone.
    pub use_server_token_count: bool,
    /// `max_tokens` in place of `max_completion_tokens`.
    pub legacy_max_tokens: bool,
    /// When connections are opened.
    pub connect: ConnectMode,
    /// Whether they are kept.
    pub reuse: Reuse,
    /// Seconds to wait for the model to be ready before the run; 0 asks nothing.
    pub wait_for_model_s: f64,
    /// TLS settings.
    pub tls: TlsPlan,
    /// Proxies by scheme and exceptions, as read from the environment.
    pub proxy: ProxyPlan,
}

/// Proxies: `HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY` and `NO_PROXY`, resolved once.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProxyPlan {
    /// For `http` URLs.
    pub http: Option<Secret>,
    /// For `https` URLs.
    pub https: Option<Secret>,
    /// Hosts, domains or `*` that are reached directly.
    pub exceptions: Vec<String>,
}
