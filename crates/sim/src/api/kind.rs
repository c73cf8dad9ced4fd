//! The endpoints that get an answer from the engine.

/// What an endpoint's API is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Chat,
    Completion,
    /// OpenAI's responses.
    Response,
    /// Anthropic's messages.
    Message,
    /// Triton's generate extension.
    Triton,
    /// Hugging Face's text-generation-inference.
    HuggingFace,
    Embedding,
    NimRanking,
    CohereRanking,
    /// Hugging Face's text-embeddings-inference.
    TeiRanking,
    /// Boxes in images.
    Boxes,
}

impl Kind {
    /// Whether answers consist of tokens. Otherwise the engine only reads the prompts.
    pub(crate) fn generates(self) -> bool {
        matches!(
            self,
            Self::Chat | Self::Completion | Self::Response | Self::Message | Self::Triton | Self::HuggingFace
        )
    }

    /// Whether an answer can begin with reasoning.
    pub(crate) fn reasons(self) -> bool {
        matches!(self, Self::Chat | Self::Response | Self::Message)
    }

    /// Whether a stream ends with `[DONE]`.
    pub(crate) fn says_done(self) -> bool {
        matches!(self, Self::Chat | Self::Completion)
    }

    /// What ids of answers begin with.
    pub(crate) fn id_prefix(self) -> &'static str {
        match self {
            Self::Chat => "chatcmpl",
            Self::Completion => "cmpl",
            Self::Response => "resp",
            Self::Message => "msg",
            Self::Triton | Self::HuggingFace => "gen",
            Self::Embedding => "embd",
            Self::NimRanking | Self::CohereRanking | Self::TeiRanking => "rank",
            Self::Boxes => "box",
        }
    }
}

/// What the path of a request asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Target {
    pub(crate) kind: Kind,
    /// The model, where the path names it.
    pub(crate) model: Option<String>,
    /// Whether the answer is a stream, where the path says so.
    pub(crate) is_stream: Option<bool>,
    /// A whole answer is put into a list.
    pub(crate) in_list: bool,
}

impl Target {
    /// A model of Triton's that is named elsewhere than in a path.
    pub(crate) fn triton(model: String, is_stream: bool) -> Self {
        Self { model: Some(model), is_stream: Some(is_stream), ..Self::of(Kind::Triton) }
    }

    fn of(kind: Kind) -> Self {
        Self { kind, model: None, is_stream: None, in_list: false }
    }

    /// The target of a path.
    pub(crate) fn at(path: &str) -> Option<Self> {
        Some(match path {
            "/v1/chat/completions" => Self::of(Kind::Chat),
            "/v1/completions" => Self::of(Kind::Completion),
            "/v1/responses" => Self::of(Kind::Response),
            "/v1/messages" => Self::of(Kind::Message),
            "/v1/embeddings" => Self::of(Kind::Embedding),
            "/v1/ranking" => Self::of(Kind::NimRanking),
            "/v1/rerank" | "/v2/rerank" => Self::of(Kind::CohereRanking),
            "/rerank" => Self::of(Kind::TeiRanking),
            "/v1/infer" => Self::of(Kind::Boxes),
            "/generate" => Self { is_stream: Some(false), ..Self::of(Kind::HuggingFace) },
            "/generate_stream" => Self { is_stream: Some(true), ..Self::of(Kind::HuggingFace) },
            "/" => Self { in_list: true, ..Self::of(Kind::HuggingFace) },
            _ => return Self::of_triton(path),
        })
    }

    /// `/v2/models/MODEL/generate`, with or without `/versions/VERSION`, and its stream.
    fn of_triton(path: &str) -> Option<Self> {
        let (model, rest) = path.strip_prefix("/v2/models/")?.split_once('/')?;
        let rest = match rest.strip_prefix("versions/") {
            Some(versioned) => versioned.split_once('/')?.1,
            None => rest,
        };
        let is_stream = match rest {
            "generate" => false,
            "generate_stream" => true,
            _ => return None,
        };
        Some(Self { model: Some(model.to_owned()), is_stream: Some(is_stream), ..Self::of(Kind::Triton) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn triton_has_the_model_in_its_path() {
        let at = |path| Target::at(path).map(|target| (target.model.unwrap_or_default(), target.is_stream));
        assert_eq!(at("/v2/models/m/generate"), Some(("m".to_owned(), Some(false))));
        assert_eq!(at("/v2/models/m/versions/2/generate_stream"), Some(("m".to_owned(), Some(true))));
        for path in ["/v2/models/m", "/v2/models/m/infer", "/v2/models/m/versions/2", "/v2/health/ready"] {
            assert_eq!(at(path), None, "{path}");
        }
    }
}
