//! What servers say on the wire: incremental decoding of event streams and classification of their events.
//!
//! Nothing here does I/O or reads a clock. [`sse`] turns bytes into events whatever the packets' borders;
//! [`openai`] says what each event of an OpenAI-style stream is without building a JSON tree.

mod answer;
mod flags;
pub mod openai;
pub mod sse;

pub use answer::{Answer, EventInfo, ServerError, Usage};
pub use flags::EventFlags;
