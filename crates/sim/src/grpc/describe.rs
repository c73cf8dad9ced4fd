//! What the server says of itself and its models.

use bytes::Bytes;
use tokamark_kserve::messages::{
    FlagResponse, ModelConfig, ModelConfigResponse, ModelMetadataRequest, ModelMetadataResponse,
    ModelTransactionPolicy, ServerMetadataResponse, TensorMetadata,
};
use tokamark_kserve::{frame, read};

use super::{Status, code};
use crate::shared::Shared;

/// The inputs of both backends' layouts: the server takes either.
const INPUTS: [(&str, &str); 12] = [
    ("text_input", "BYTES"),
    ("max_tokens", "INT32"),
    ("min_length", "INT32"),
    ("min_tokens", "INT32"),
    ("stream", "BOOL"),
    ("exclude_input_in_output", "BOOL"),
    ("sampling_parameters", "BYTES"),
    ("end_id", "INT32"),
    ("top_k", "INT32"),
    ("top_p", "FP32"),
    ("temperature", "FP32"),
    ("random_seed", "UINT64"),
];

/// Answers a question, as a framed message.
pub(super) fn answer(shared: &Shared, method: &str, message: &[u8]) -> Result<Bytes, Status> {
    match method {
        "ServerLive" | "ServerReady" => Ok(frame(&FlagResponse { flag: true })),
        "ServerMetadata" => Ok(frame(&ServerMetadataResponse {
            name: "tokamark".to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            extensions: Vec::new(),
        })),
        "ModelReady" => Ok(frame(&FlagResponse { flag: model(shared, message).is_ok() })),
        "ModelMetadata" => model(shared, message).map(|name| frame(&metadata(name))),
        "ModelConfig" => model(shared, message).map(|name| frame(&config(name))),
        "" => Err(Status::new(code::UNIMPLEMENTED, "there is no such service")),
        method => Err(Status::new(code::UNIMPLEMENTED, format!("there is no method {method}"))),
    }
}

/// The model that a question names, if it is served.
fn model(shared: &Shared, message: &[u8]) -> Result<String, Status> {
    let Some(ModelMetadataRequest { name, .. }) = read(message) else {
        return Err(Status::new(code::INVALID_ARGUMENT, "the message is none of this method's"));
    };
    let models = &shared.config.models;
    if name.is_empty() || !(models.is_empty() || models.contains(&name)) {
        return Err(Status::new(code::NOT_FOUND, format!("Request for unknown model: '{name}' is not found")));
    }
    Ok(name)
}

fn metadata(name: String) -> ModelMetadataResponse {
    let tensor = |(name, datatype): (&str, &str)| TensorMetadata {
        name: name.to_owned(),
        datatype: datatype.to_owned(),
        shape: vec![1],
    };
    ModelMetadataResponse {
        name,
        versions: vec!["1".to_owned()],
        platform: "simulated".to_owned(),
        inputs: INPUTS.map(tensor).to_vec(),
        outputs: vec![tensor(("text_output", "BYTES"))],
    }
}

fn config(name: String) -> ModelConfigResponse {
    let config = ModelConfig {
        name,
        max_batch_size: 0,
        model_transaction_policy: Some(ModelTransactionPolicy { decoupled: true }),
    };
    ModelConfigResponse { config: Some(config) }
}
