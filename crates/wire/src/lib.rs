//! What servers say on the wire: incremental decoding of event streams and classification of their events.
//!
//! Nothing here does I/O or reads a clock. [`sse`] turns bytes into events whatever the packets' borders. Each API has a
//! reader that says what an event or body is:
//!
//! | reader | API |
//! |---|---|
//! | [`openai`] | chat completions, completions, embeddings |
//! | [`responses`] | OpenAI responses |
//! | [`messages`] | Anthropic messages |
//! | [`huggingface`] | text-generation-inference |
//! | [`triton`] | Triton's generate extension |
//! | [`kserve`] | Triton over gRPC, whose messages [`grpc`] cuts out of the stream |
//! | [`rankings`] | ranks of passages: NIM, Cohere, text-embeddings-inference |
//! | [`images`] | what was found in images |
//! | [`any`] | any of these, and any JSON with a text in it |
//!
//! Those of streams read an event in two tiers. The first walks the bytes once, without a JSON tree, and knows only the shapes
//! that make up almost all of a stream; at anything else it gives up without a trace. The second parses the whole event and
//! is the definition of what an event means. Where the first has an answer, the second would have given the same.

mod answer;
pub mod any;
mod error;
mod flags;
pub mod grpc;
pub mod huggingface;
pub mod images;
pub mod kserve;
mod members;
pub mod messages;
pub mod openai;
mod parts;
mod protobuf;
pub mod rankings;
mod repair;
pub mod responses;
mod scan;
pub mod sse;
#[cfg(test)]
mod tier_tests;
pub mod triton;
mod usage;

pub use answer::{Answer, EventInfo, ServerError, Usage};
pub use flags::EventFlags;
