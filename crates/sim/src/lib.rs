//! A simulated inference engine behind real HTTP.
//!
//! It serves as a target without a GPU (`tokamark serve`, or a URL that begins with `sim:`) and as the truth that the
//! client is held against: its log says what was sent when, to the microsecond.
//!
//! # What it is
//!
//! [`Server::start`] opens a port and serves these, with the same engine behind all of them:
//!
//! | path | API | streamed |
//! |---|---|---|
//! | `/v1/chat/completions`, `/v1/completions`, `/v1/responses` | OpenAI | if the body says `stream` |
//! | `/v1/messages` | Anthropic | if the body says `stream` |
//! | `/v2/models/MODEL/generate`, `…/generate_stream` | Triton's generate extension | as the path says |
//! | `/generate`, `/generate_stream`, `/` | Hugging Face's text-generation-inference | as the path says; `/`: as the body says |
//! | `/v1/embeddings` | OpenAI, also with chat messages or images | no |
//! | `/v1/ranking`; `/v1/rerank`, `/v2/rerank`; `/rerank` | rankings of a NIM; Cohere; text-embeddings-inference | no |
//! | `/v1/infer` | boxes in images, of a NIM | no |
//!
//! and `/v1/models`, `/health`, `/metrics` (under vLLM's names) and `/reset_prefix_cache`. Rankings read the query with every
//! passage. [`OPTIONS`] lists what can be set, and [`SimConfig`] holds it; `"sim:?decode=50&max_batch=64".parse()` makes one
//! from a URL.
//!
//! Token `n` of an answer is word `n` of a fixed list ([`word`]): one token of o200k each, and no two alike, so that a client's
//! count agrees with the usage and a lost or doubled token shows. Prompts are counted at one token for every four bytes, or by
//! words, or by a tokenizer that is plugged in.
//!
//! ```
//! use tokamark_sim::{Server, SimConfig};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let config: SimConfig = "sim:?per_stream=50&ttft=100ms".parse()?;
//! let server = Server::start(config, "127.0.0.1:0".parse()?)?;
//! assert_ne!(server.addr().port(), 0);
//! server.shutdown()?;
//! # Ok(())
//! # }
//! ```
//!
//! # How time passes
//!
//! By default an engine with continuous batching decides when tokens are due ([`engine::BatchEngine`] has the cost model).
//! With `event-rate`, each stream ticks on its own ([`engine::PacedEngine`]), which makes loads whose every event has a known
//! time. The engines are pure state machines on a clock that is passed in.
//!
//! # How it is built
//!
//! Each server thread has one loop that follows its engine's deadlines with one precise timer, and writes what is due
//! straight to the sockets. Answers are put together from parts that are made once, with no allocation for an event.
//! Connections are tasks that read requests and wait.
//!
//! # The truth log
//!
//! With `log`, each request leaves a line of JSON: a [`TruthRecord`]. Arrivals are the kernel's receive stamps where there
//! are any, mapped to the monotonic clock; every write is there with the time before and after its system call.

mod answer;
mod api;
mod config;
mod connection;
mod dispatch;
mod draw;
pub mod engine;
mod grpc;
mod http;
mod metrics;
mod options;
mod outlet;
mod prefix;
mod routes;
mod server;
mod shared;
mod stamp;
mod tokens;
mod truth;

pub use config::{
    Counting, Faults, Head, OutputLength, Pace, Phase, PromptTokens, SimConfig, TokenCounter, TokenEncoder,
};
pub use options::{OPTIONS, SimOption, SimOptionError, set};
pub use server::{Server, ServerError};
pub use tokens::word;
pub use truth::{End, TruthRecord, TruthWrite};
