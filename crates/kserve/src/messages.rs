//! The protocol's messages, as far as they are used here; fields that are left out are skipped when they come.

use std::collections::BTreeMap;

use prost::{Message, Oneof};

/// Asks whether the server is alive.
#[derive(Clone, PartialEq, Message)]
pub struct ServerLiveRequest {}

/// Whether the server is alive, or a server or model is ready.
#[derive(Clone, Copy, PartialEq, Message)]
pub struct FlagResponse {
    /// It is.
    #[prost(bool, tag = "1")]
    pub flag: bool,
}

/// What the server is.
#[derive(Clone, PartialEq, Message)]
pub struct ServerMetadataResponse {
    /// Its name.
    #[prost(string, tag = "1")]
    pub name: String,
    /// Its version.
    #[prost(string, tag = "2")]
    pub version: String,
    /// What it has beyond the protocol.
    #[prost(string, repeated, tag = "3")]
    pub extensions: Vec<String>,
}

/// Asks for a model's inputs and outputs; requests for its configuration, its statistics and its state look the same.
#[derive(Clone, PartialEq, Message)]
pub struct ModelMetadataRequest {
    /// The model.
    #[prost(string, tag = "1")]
    pub name: String,
    /// Its version; any if empty.
    #[prost(string, tag = "2")]
    pub version: String,
}

/// A tensor that a model takes or gives.
#[derive(Clone, PartialEq, Message)]
pub struct TensorMetadata {
    /// Its name.
    #[prost(string, tag = "1")]
    pub name: String,
    /// Its datatype, such as `BYTES` or `INT32`.
    #[prost(string, tag = "2")]
    pub datatype: String,
    /// Its shape, with the batch in front if the model has batches; -1 is any size.
    #[prost(int64, repeated, tag = "3")]
    pub shape: Vec<i64>,
}

/// A model's inputs and outputs.
#[derive(Clone, PartialEq, Message)]
pub struct ModelMetadataResponse {
    /// The model.
    #[prost(string, tag = "1")]
    pub name: String,
    /// Its versions.
    #[prost(string, repeated, tag = "2")]
    pub versions: Vec<String>,
    /// What runs it.
    #[prost(string, tag = "3")]
    pub platform: String,
    /// Its inputs.
    #[prost(message, repeated, tag = "4")]
    pub inputs: Vec<TensorMetadata>,
    /// Its outputs.
    #[prost(message, repeated, tag = "5")]
    pub outputs: Vec<TensorMetadata>,
}

/// How a model answers.
#[derive(Clone, Copy, PartialEq, Message)]
pub struct ModelTransactionPolicy {
    /// Any number of responses to a request.
    #[prost(bool, tag = "1")]
    pub decoupled: bool,
}

/// A model's configuration.
#[derive(Clone, PartialEq, Message)]
pub struct ModelConfig {
    /// The model.
    #[prost(string, tag = "1")]
    pub name: String,
    /// The most requests in a batch; 0 for a model without batches.
    #[prost(int32, tag = "4")]
    pub max_batch_size: i32,
    /// How it answers.
    #[prost(message, optional, tag = "19")]
    pub model_transaction_policy: Option<ModelTransactionPolicy>,
}

/// A model's configuration, as an answer.
#[derive(Clone, PartialEq, Message)]
pub struct ModelConfigResponse {
    /// The configuration.
    #[prost(message, optional, tag = "1")]
    pub config: Option<ModelConfig>,
}

/// The value of a parameter.
#[derive(Clone, PartialEq, Message)]
pub struct InferParameter {
    /// Which kind of value.
    #[prost(oneof = "ParameterChoice", tags = "1, 2, 3, 4, 5")]
    pub choice: Option<ParameterChoice>,
}

/// The kinds of values of parameters.
#[derive(Clone, PartialEq, Oneof)]
pub enum ParameterChoice {
    /// A truth value.
    #[prost(bool, tag = "1")]
    Bool(bool),
    /// A whole number.
    #[prost(int64, tag = "2")]
    Int64(i64),
    /// A text.
    #[prost(string, tag = "3")]
    Text(String),
    /// A number.
    #[prost(double, tag = "4")]
    Double(f64),
    /// A whole number that is not negative.
    #[prost(uint64, tag = "5")]
    Uint64(u64),
}

impl InferParameter {
    /// A truth value.
    #[must_use]
    pub const fn bool(value: bool) -> Self {
        Self { choice: Some(ParameterChoice::Bool(value)) }
    }

    /// Whether it is the truth value `true`.
    #[must_use]
    pub fn is_true(&self) -> bool {
        self.choice == Some(ParameterChoice::Bool(true))
    }
}

/// Elements of a tensor, in the field that goes with its datatype.
#[derive(Clone, PartialEq, Message)]
pub struct InferTensorContents {
    /// BOOL.
    #[prost(bool, repeated, tag = "1")]
    pub bools: Vec<bool>,
    /// INT8, INT16, INT32.
    #[prost(int32, repeated, tag = "2")]
    pub ints: Vec<i32>,
    /// INT64.
    #[prost(int64, repeated, tag = "3")]
    pub int64s: Vec<i64>,
    /// UINT8, UINT16, UINT32.
    #[prost(uint32, repeated, tag = "4")]
    pub uints: Vec<u32>,
    /// UINT64.
    #[prost(uint64, repeated, tag = "5")]
    pub uint64s: Vec<u64>,
    /// FP32.
    #[prost(float, repeated, tag = "6")]
    pub floats: Vec<f32>,
    /// FP64.
    #[prost(double, repeated, tag = "7")]
    pub doubles: Vec<f64>,
    /// BYTES.
    #[prost(bytes = "vec", repeated, tag = "8")]
    pub bytes: Vec<Vec<u8>>,
}

/// A tensor of a request or response.
#[derive(Clone, PartialEq, Message)]
pub struct InferTensor {
    /// Its name.
    #[prost(string, tag = "1")]
    pub name: String,
    /// Its datatype.
    #[prost(string, tag = "2")]
    pub datatype: String,
    /// Its shape.
    #[prost(int64, repeated, tag = "3")]
    pub shape: Vec<i64>,
    /// Its elements, if they are not among the raw ones.
    #[prost(message, optional, tag = "5")]
    pub contents: Option<InferTensorContents>,
}

/// An output that a request asks for.
#[derive(Clone, PartialEq, Message)]
pub struct RequestedOutput {
    /// Its name.
    #[prost(string, tag = "1")]
    pub name: String,
}

/// A request to a model.
#[derive(Clone, PartialEq, Message)]
pub struct ModelInferRequest {
    /// The model.
    #[prost(string, tag = "1")]
    pub model_name: String,
    /// Its version; any if empty.
    #[prost(string, tag = "2")]
    pub model_version: String,
    /// The request's id, which its responses repeat.
    #[prost(string, tag = "3")]
    pub id: String,
    /// Its parameters.
    #[prost(btree_map = "string, message", tag = "4")]
    pub parameters: BTreeMap<String, InferParameter>,
    /// Its tensors.
    #[prost(message, repeated, tag = "5")]
    pub inputs: Vec<InferTensor>,
    /// What it asks for; all if empty.
    #[prost(message, repeated, tag = "6")]
    pub outputs: Vec<RequestedOutput>,
    /// The elements of its tensors in their order, as they lie in memory.
    #[prost(bytes = "bytes", repeated, tag = "7")]
    pub raw_input_contents: Vec<bytes::Bytes>,
}

/// A model's response.
#[derive(Clone, PartialEq, Message)]
pub struct ModelInferResponse {
    /// The model.
    #[prost(string, tag = "1")]
    pub model_name: String,
    /// Its version.
    #[prost(string, tag = "2")]
    pub model_version: String,
    /// The request's id.
    #[prost(string, tag = "3")]
    pub id: String,
    /// Its parameters.
    #[prost(btree_map = "string, message", tag = "4")]
    pub parameters: BTreeMap<String, InferParameter>,
    /// Its tensors.
    #[prost(message, repeated, tag = "5")]
    pub outputs: Vec<InferTensor>,
    /// The elements of its tensors in their order, as they lie in memory.
    #[prost(bytes = "bytes", repeated, tag = "6")]
    pub raw_output_contents: Vec<bytes::Bytes>,
}

/// A response on a stream.
#[derive(Clone, PartialEq, Message)]
pub struct ModelStreamInferResponse {
    /// What went wrong with the request; empty if nothing did.
    #[prost(string, tag = "1")]
    pub error_message: String,
    /// The response.
    #[prost(message, optional, tag = "2")]
    pub infer_response: Option<ModelInferResponse>,
}
