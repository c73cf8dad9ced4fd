//! Which API the requests of an export speak.

use super::ExportReader;
use super::request::ExportRequest;
use crate::{EndpointType, GenAiPerfError};

/// How prompts and answers of a request are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Api {
    /// OpenAI chat, prompts as text.
    Chat,
    /// OpenAI chat, prompts with images or sound.
    Multimodal,
    /// OpenAI completions.
    Completions,
    /// Triton's HTTP generate endpoint.
    Generate,
    /// Text generation inference of Hugging Face.
    HuggingfaceGenerate,
    /// Text tensors of Triton's language-model backends.
    Triton,
    /// Token ids of an engine in the same process.
    Engine,
    /// Images in, anything out.
    ImageRetrieval,
    /// Nothing but the times counts.
    Opaque,
}

impl Api {
    /// The API of an export, of the type that was named or else of what the file shows, and the type that fits.
    ///
    /// # Errors
    /// The file says too little, or names a service that perf_analyzer does not have.
    pub fn of(export: &ExportReader, named: Option<EndpointType>) -> Result<(Self, EndpointType), GenAiPerfError> {
        let kind = match named {
            Some(kind) => kind,
            None => detect(export)?,
        };
        let api = match kind {
            EndpointType::Kserve => Self::Triton,
            EndpointType::Chat | EndpointType::Multimodal | EndpointType::Vision => {
                if has_media(&export.first) {
                    Self::Multimodal
                } else {
                    Self::Chat
                }
            }
            EndpointType::Completions => Self::Completions,
            EndpointType::Generate => Self::Generate,
            EndpointType::HuggingfaceGenerate => Self::HuggingfaceGenerate,
            EndpointType::ImageRetrieval => Self::ImageRetrieval,
            EndpointType::TensorrtllmEngine => Self::Engine,
            EndpointType::Embeddings
            | EndpointType::Nvclip
            | EndpointType::Rankings
            | EndpointType::Template
            | EndpointType::DynamicGrpc => Self::Opaque,
        };
        Ok((api, kind))
    }
}

fn has_media(request: &ExportRequest) -> bool {
    request.payload().is_some_and(|payload| payload.contains("image_url") || payload.contains("input_audio"))
}

fn detect(export: &ExportReader) -> Result<EndpointType, GenAiPerfError> {
    match export.service_kind.as_str() {
        "openai" => {}
        "triton" if export.first.request_inputs.contains_key("text_input") => return Ok(EndpointType::Kserve),
        "triton" => return Ok(EndpointType::Template),
        "triton_c_api" => return Ok(EndpointType::TensorrtllmEngine),
        "dynamic_grpc" => return Ok(EndpointType::DynamicGrpc),
        kind => {
            return Err(GenAiPerfError::UnknownService { path: export.path().to_owned(), kind: kind.to_owned() });
        }
    }
    let chat = if has_media(&export.first) { EndpointType::Multimodal } else { EndpointType::Chat };
    let endpoint = export.endpoint.as_str();
    Ok(match endpoint {
        "v1/chat/completions" => chat,
        "v1/completions" => EndpointType::Completions,
        "v1/embeddings" => EndpointType::Embeddings,
        "v1/ranking" | "rerank" => EndpointType::Rankings,
        "v1/infer" => EndpointType::ImageRetrieval,
        _ if endpoint.to_lowercase().contains("huggingface/generate") => EndpointType::HuggingfaceGenerate,
        _ => {
            let responses: String =
                export.first.response_outputs.iter().map(|output| String::from_utf8_lossy(output.bytes())).collect();
            let shown = |mark: &str| responses.contains(mark);
            match () {
                () if shown("chat.completion") => chat,
                () if shown("text_completion") => EndpointType::Completions,
                () if shown("embedding") => EndpointType::Embeddings,
                () if shown("ranking") => EndpointType::Rankings,
                () if shown("image_retrieval") => EndpointType::ImageRetrieval,
                () if shown("generated_text") => EndpointType::HuggingfaceGenerate,
                // The first answer may be empty; GenAI-Perf goes by the path alone then.
                () => by_payload(&export.first).ok_or_else(|| GenAiPerfError::UnknownApi {
                    path: export.path().to_owned(),
                    endpoint: endpoint.to_owned(),
                })?,
            }
        }
    })
}

/// The API whose bodies have a member of such a name.
fn by_payload(request: &ExportRequest) -> Option<EndpointType> {
    let payload: serde_json::Value = serde_json::from_str(request.payload()?).ok()?;
    let has = |name: &str| payload.get(name).is_some();
    match () {
        () if has("messages") && has_media(request) => Some(EndpointType::Multimodal),
        () if has("messages") => Some(EndpointType::Chat),
        () if has("text_input") => Some(EndpointType::Generate),
        () if has("prompt") => Some(EndpointType::Completions),
        () if has("inputs") => Some(EndpointType::HuggingfaceGenerate),
        () if has("query") => Some(EndpointType::Rankings),
        () => None,
    }
}
