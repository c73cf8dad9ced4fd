//! KServe's second protocol over gRPC, as Triton speaks it: its messages, tensors as JSON and back, the framing of gRPC, its
//! status. No I/O.
//!
//! Streams are read by `tokamark-wire`, which needs no messages for that; everything that happens once per request or less is
//! here.

mod framing;
mod layout;
pub mod messages;
mod status;
mod tensor;

pub use framing::{FRAME_HEAD, frame, read};
pub use layout::{Layout, ModelInputs, TensorError, infer_request, inputs_of};
pub use status::{GrpcStatus, code_name};
pub use tensor::{Datatype, TensorValues, values_of};

/// The service that all methods belong to.
pub const SERVICE: &str = "inference.GRPCInferenceService";
/// Both ways a stream of messages: requests in, answers of decoupled models out.
pub const MODEL_STREAM_INFER: &str = "/inference.GRPCInferenceService/ModelStreamInfer";
/// One request, one answer.
pub const MODEL_INFER: &str = "/inference.GRPCInferenceService/ModelInfer";
/// What inputs and outputs a model has.
pub const MODEL_METADATA: &str = "/inference.GRPCInferenceService/ModelMetadata";
/// A request's parameter that asks for a last message, empty if need be, which says that it is the last.
pub const ENABLE_EMPTY_FINAL_RESPONSE: &str = "triton_enable_empty_final_response";
/// The parameter of a response that says whether it is the last.
pub const FINAL_RESPONSE: &str = "triton_final_response";
