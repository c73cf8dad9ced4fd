//! What is known of each API dialect without speaking it.

use crate::EndpointKind;
use crate::EndpointKind::{
    Chat, ChatEmbeddings, CohereRankings, Completions, Embeddings, Generate, HfTeiRankings, HuggingfaceGenerate,
    ImageRetrieval, KserveTensorrtllm, KserveVllm, Messages, NimEmbeddings, NimRankings, Nvclip, Raw, Responses,
    SolidoRag, Template,
};

/// Stands for the first model's name in a default path.
const MODEL: &str = "{MODEL}";

impl EndpointKind {
    /// Every kind.
    pub const ALL: [Self; 19] = [
        Chat,
        Completions,
        Responses,
        Messages,
        Generate,
        KserveTensorrtllm,
        KserveVllm,
        HuggingfaceGenerate,
        Embeddings,
        ChatEmbeddings,
        NimEmbeddings,
        Nvclip,
        NimRankings,
        CohereRankings,
        HfTeiRankings,
        ImageRetrieval,
        SolidoRag,
        Raw,
        Template,
    ];

    /// The name, as on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Chat => "chat",
            Completions => "completions",
            Responses => "responses",
            Messages => "messages",
            Generate => "generate",
            KserveTensorrtllm => "kserve_tensorrtllm",
            KserveVllm => "kserve_vllm",
            HuggingfaceGenerate => "huggingface_generate",
            Embeddings => "embeddings",
            ChatEmbeddings => "chat_embeddings",
            NimEmbeddings => "nim_embeddings",
            Nvclip => "nvclip",
            NimRankings => "nim_rankings",
            CohereRankings => "cohere_rankings",
            HfTeiRankings => "hf_tei_rankings",
            ImageRetrieval => "image_retrieval",
            SolidoRag => "solido_rag",
            Raw => "raw",
            Template => "template",
        }
    }

    /// Other names for it.
    #[must_use]
    pub const fn aliases(self) -> &'static [&'static str] {
        match self {
            Chat => &["multimodal", "vision"],
            NimRankings => &["rankings"],
            KserveTensorrtllm => &["kserve"],
            _ => &[],
        }
    }

    /// The path under a bare server URL for the first model's name. `/` where a URL is used as it is.
    #[must_use]
    pub fn path(self, model: &str, streaming: bool) -> String {
        let streaming = streaming && self.can_stream();
        let path = match self {
            Chat => "/v1/chat/completions",
            Completions => "/v1/completions",
            Responses => "/v1/responses",
            Messages => "/v1/messages",
            Generate if streaming => "/v2/models/{MODEL}/generate_stream",
            Generate => "/v2/models/{MODEL}/generate",
            KserveTensorrtllm | KserveVllm => "/inference.GRPCInferenceService/ModelStreamInfer",
            HuggingfaceGenerate if streaming => "/generate_stream",
            HuggingfaceGenerate => "/generate",
            Embeddings | ChatEmbeddings | NimEmbeddings | Nvclip => "/v1/embeddings",
            NimRankings => "/v1/ranking",
            CohereRankings => "/v2/rerank",
            HfTeiRankings => "/rerank",
            ImageRetrieval => "/v1/infer",
            SolidoRag => "/rag/api/prompt",
            Raw | Template => "/",
        };
        path.replace(MODEL, model)
    }

    /// Whether answers can be streamed.
    #[must_use]
    pub const fn can_stream(self) -> bool {
        self.generates_tokens()
    }

    /// Whether answers consist of tokens. Vectors, ranks and boxes do not.
    #[must_use]
    pub const fn generates_tokens(self) -> bool {
        matches!(
            self,
            Chat | Completions
                | Responses
                | Messages
                | Generate
                | KserveTensorrtllm
                | KserveVllm
                | HuggingfaceGenerate
                | SolidoRag
                | Raw
                | Template
        )
    }

    /// Whether it is spoken over gRPC, and its bodies are tensors.
    #[must_use]
    pub const fn speaks_grpc(self) -> bool {
        matches!(self, KserveTensorrtllm | KserveVllm)
    }

    /// Whether requests consist of tokens. Images alone do not.
    #[must_use]
    pub const fn reads_tokens(self) -> bool {
        !matches!(self, ImageRetrieval)
    }

    /// Whether a request holds chat messages: a system message, roles, tools, what was said before.
    #[must_use]
    pub const fn takes_messages(self) -> bool {
        matches!(self, Chat | Responses | Messages | ChatEmbeddings | Template)
    }

    /// Whether a request holds a query and the passages to rank.
    #[must_use]
    pub const fn ranks_passages(self) -> bool {
        matches!(self, NimRankings | CohereRankings | HfTeiRankings)
    }

    /// Whether a request may hold several texts, each with an answer of its own.
    #[must_use]
    pub const fn takes_batches(self) -> bool {
        matches!(
            self,
            Completions | Generate | Embeddings | NimEmbeddings | Nvclip | ImageRetrieval | SolidoRag | Template
        ) || self.ranks_passages()
    }

    /// Whether a request may hold images.
    #[must_use]
    pub const fn takes_images(self) -> bool {
        matches!(
            self,
            Chat | Responses | Messages | ChatEmbeddings | NimEmbeddings | Nvclip | ImageRetrieval | Template
        )
    }

    /// Whether a request may hold audio.
    #[must_use]
    pub const fn takes_audio(self) -> bool {
        matches!(self, Chat | Responses | Template)
    }

    /// Whether a request may hold videos.
    #[must_use]
    pub const fn takes_videos(self) -> bool {
        matches!(self, Chat | Template)
    }

    /// Headers that the API asks for beside the usual ones; the user's own go before them.
    #[must_use]
    pub const fn headers(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Messages => &[("anthropic-version", "2023-06-01")],
            _ => &[],
        }
    }

    /// The header that carries the API key as it is; none for `Authorization: Bearer`.
    #[must_use]
    pub const fn key_header(self) -> Option<&'static str> {
        match self {
            Messages => Some("x-api-key"),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_one_kinds_alone_and_is_read_from_files() {
        let mut names: Vec<&str> =
            EndpointKind::ALL.iter().flat_map(|kind| kind.aliases().iter().copied().chain([kind.name()])).collect();
        for kind in EndpointKind::ALL {
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.name());
            for name in kind.aliases() {
                assert_eq!(serde_json::from_value::<EndpointKind>((*name).into()).unwrap(), kind);
            }
        }
        let all = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all);
    }

    #[test]
    fn paths_may_depend_on_the_model_and_on_streaming() {
        let paths = |streaming| EndpointKind::ALL.map(|kind| kind.path("m", streaming));
        let whole = paths(false);
        assert_eq!(
            whole.each_ref().map(String::as_str),
            [
                "/v1/chat/completions",
                "/v1/completions",
                "/v1/responses",
                "/v1/messages",
                "/v2/models/m/generate",
                "/inference.GRPCInferenceService/ModelStreamInfer",
                "/inference.GRPCInferenceService/ModelStreamInfer",
                "/generate",
                "/v1/embeddings",
                "/v1/embeddings",
                "/v1/embeddings",
                "/v1/embeddings",
                "/v1/ranking",
                "/v2/rerank",
                "/rerank",
                "/v1/infer",
                "/rag/api/prompt",
                "/",
                "/",
            ]
        );
        for ((kind, whole), streamed) in EndpointKind::ALL.into_iter().zip(whole).zip(paths(true)) {
            let expected = match kind {
                Generate | HuggingfaceGenerate => format!("{whole}_stream"),
                _ => whole,
            };
            assert_eq!(streamed, expected);
        }
    }

    #[test]
    fn what_each_kind_is() {
        let of = |is: fn(EndpointKind) -> bool| {
            let names: Vec<_> =
                EndpointKind::ALL.into_iter().filter(|kind| is(*kind)).map(EndpointKind::name).collect();
            names.join(" ")
        };
        let generating = "chat completions responses messages generate kserve_tensorrtllm kserve_vllm \
             huggingface_generate solido_rag raw template";
        assert_eq!(of(EndpointKind::speaks_grpc), "kserve_tensorrtllm kserve_vllm");
        assert_eq!(of(EndpointKind::can_stream), generating);
        assert_eq!(of(EndpointKind::generates_tokens), generating);
        assert_eq!(of(|kind| !kind.reads_tokens()), "image_retrieval");
        assert_eq!(of(EndpointKind::ranks_passages), "nim_rankings cohere_rankings hf_tei_rankings");
        assert_eq!(
            of(EndpointKind::takes_batches),
            "completions generate embeddings nim_embeddings nvclip nim_rankings cohere_rankings hf_tei_rankings \
             image_retrieval solido_rag template"
        );
        assert_eq!(of(EndpointKind::takes_messages), "chat responses messages chat_embeddings template");
        assert_eq!(
            of(EndpointKind::takes_images),
            "chat responses messages chat_embeddings nim_embeddings nvclip image_retrieval template"
        );
        assert_eq!(of(EndpointKind::takes_audio), "chat responses template");
        assert_eq!(of(EndpointKind::takes_videos), "chat template");
        assert_eq!(of(|kind| kind.key_header().is_some()), "messages");
        assert_eq!(Messages.headers(), [("anthropic-version", "2023-06-01")]);
    }
}
