//! Traces made up from a few figures. The same options and seed give the same bytes on every machine.

mod agentic;
mod error;
mod lengths;
mod line;
mod mooncake;

pub use agentic::{AgenticCode, Delays, Ends, Manifest, Quality, Resets, Restarts, Skewed, Target, TurnCounts};
pub use error::SynthesizeError;
pub use mooncake::{Arrivals, MooncakeTrace, PrefixTree};
