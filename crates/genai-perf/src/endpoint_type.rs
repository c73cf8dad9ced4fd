//! The endpoint types of `--endpoint-type`, and what follows from each.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// An API as GenAI-Perf names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names are those of the option")]
pub enum EndpointType {
    Kserve,
    Chat,
    Completions,
    Multimodal,
    Vision,
    Generate,
    HuggingfaceGenerate,
    Embeddings,
    Nvclip,
    Rankings,
    ImageRetrieval,
    Template,
    TensorrtllmEngine,
    DynamicGrpc,
}

/// Which figures the requests of an endpoint have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Figures {
    /// Latency and throughput alone.
    Base,
    /// Those and tokens.
    Llm,
    /// Those and images.
    Images,
}

impl EndpointType {
    /// Every type.
    pub const ALL: [Self; 14] = [
        Self::Kserve,
        Self::Chat,
        Self::Completions,
        Self::Multimodal,
        Self::Vision,
        Self::Generate,
        Self::HuggingfaceGenerate,
        Self::Embeddings,
        Self::Nvclip,
        Self::Rankings,
        Self::ImageRetrieval,
        Self::Template,
        Self::TensorrtllmEngine,
        Self::DynamicGrpc,
    ];

    /// The name on the command line and in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Kserve => "kserve",
            Self::Chat => "chat",
            Self::Completions => "completions",
            Self::Multimodal => "multimodal",
            Self::Vision => "vision",
            Self::Generate => "generate",
            Self::HuggingfaceGenerate => "huggingface_generate",
            Self::Embeddings => "embeddings",
            Self::Nvclip => "nvclip",
            Self::Rankings => "rankings",
            Self::ImageRetrieval => "image_retrieval",
            Self::Template => "template",
            Self::TensorrtllmEngine => "tensorrtllm_engine",
            Self::DynamicGrpc => "dynamic_grpc",
        }
    }

    /// Which figures its requests have.
    #[must_use]
    pub const fn figures(self) -> Figures {
        match self {
            Self::Embeddings | Self::Nvclip | Self::Rankings | Self::Template | Self::DynamicGrpc => Figures::Base,
            Self::ImageRetrieval => Figures::Images,
            _ => Figures::Llm,
        }
    }

    /// What reports call the service that it belongs to.
    #[must_use]
    pub const fn service_kind(self) -> &'static str {
        match self {
            Self::Kserve | Self::Template => "triton",
            Self::TensorrtllmEngine => "tensorrtllm_engine",
            Self::DynamicGrpc => "dynamic_grpc",
            _ => "openai",
        }
    }

    /// What reports call the layout of its requests. That of Triton is the name of the `backend`.
    #[must_use]
    pub const fn output_format(self, backend: &str) -> &str {
        match self {
            Self::Kserve | Self::Template => backend,
            Self::Chat => "openai_chat_completions",
            Self::Completions => "openai_completions",
            Self::Multimodal | Self::Vision => "openai_multimodal",
            Self::Generate => "triton_generate",
            Self::HuggingfaceGenerate => "huggingface_generate",
            Self::Embeddings => "openai_embeddings",
            Self::Nvclip => "nvclip",
            Self::Rankings => "rankings",
            Self::ImageRetrieval => "image_retrieval",
            Self::TensorrtllmEngine => "tensorrtllm_engine",
            Self::DynamicGrpc => "dynamic_grpc",
        }
    }

    /// The heading of its table.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Embeddings => "Embeddings Metrics",
            Self::Rankings => "Rankings Metrics",
            Self::ImageRetrieval => "Image Retrieval Metrics",
            Self::Multimodal => "Multi-Modal Metrics",
            _ => "LLM Metrics",
        }
    }
}

impl fmt::Display for EndpointType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for EndpointType {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        Self::ALL.into_iter().find(|kind| kind.name() == name).ok_or_else(|| {
            let known: Vec<&str> = Self::ALL.into_iter().map(Self::name).collect();
            format!("`{name}` is no endpoint type; known are {}", known.join(", "))
        })
    }
}
