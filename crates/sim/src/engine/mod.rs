//! The simulated engine: which sequence gets which tokens when. Pure state machines on a clock that is passed in.
//!
//! A caller submits sequences under keys of its own, asks for the next deadline, and advances the engine to the present;
//! what became due on the way comes out as [`Emission`]s, each with the instant at which it was due.

mod batch;
mod paced;

use crate::config::{Pace, SimConfig};

pub use batch::BatchEngine;
pub use paced::PacedEngine;

/// A sequence to generate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NewSequence {
    /// The caller's name for it, not in use at present; small numbers, since they index a table.
    pub key: usize,
    /// Tokens of the prompt.
    pub prompt_tokens: u64,
    /// Those of them that need not be read, since a cache has them; fewer than `prompt_tokens`.
    pub cached_tokens: u64,
    /// Tokens to generate; 0 for a request that only reads its prompt.
    pub output_tokens: u64,
}

/// Tokens that have become due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Emission {
    /// The sequence.
    pub key: usize,
    /// How many tokens.
    pub tokens: u64,
    /// The last ones of the sequence, whose key is free again.
    pub is_last: bool,
    /// When they were due, in monotonic nanoseconds.
    pub due_ns: u64,
}

/// An engine of either kind.
#[derive(Debug)]
pub enum Engine {
    /// Continuous batching with a cost model.
    Batch(BatchEngine),
    /// Streams that tick on their own.
    Paced(PacedEngine),
}

impl Engine {
    /// The engine that a configuration asks for.
    #[must_use]
    pub fn new(config: &SimConfig) -> Self {
        match config.pace {
            Pace::Batch => Self::Batch(BatchEngine::new(config)),
            Pace::PerStream { gap_ns } => Self::Paced(PacedEngine::new(config, Some(gap_ns))),
            Pace::Unpaced => Self::Paced(PacedEngine::new(config, None)),
        }
    }

    /// Takes a sequence whose request arrived at `arrival_ns`.
    pub fn submit(&mut self, arrival_ns: u64, sequence: NewSequence) {
        match self {
            Self::Batch(engine) => engine.submit(arrival_ns, sequence),
            Self::Paced(engine) => engine.submit(arrival_ns, sequence),
        }
    }

    /// Drops a sequence; nothing more comes out for it. What is not there is ignored.
    pub fn cancel(&mut self, key: usize) {
        match self {
            Self::Batch(engine) => engine.cancel(key),
            Self::Paced(engine) => engine.cancel(key),
        }
    }

    /// When [`advance`](Self::advance) has something to do.
    #[must_use]
    pub fn next_deadline(&self) -> Option<u64> {
        match self {
            Self::Batch(engine) => engine.next_deadline(),
            Self::Paced(engine) => engine.next_deadline(),
        }
    }

    /// Moves on to `now_ns` and appends all that has become due, in order.
    pub fn advance(&mut self, now_ns: u64, out: &mut Vec<Emission>) {
        match self {
            Self::Batch(engine) => engine.advance(now_ns, out),
            Self::Paced(engine) => engine.advance(now_ns, out),
        }
    }

    /// Sequences that are being worked on.
    #[must_use]
    pub fn running(&self) -> usize {
        match self {
            Self::Batch(engine) => engine.running(),
            Self::Paced(engine) => engine.running(),
        }
    }

    /// Sequences that wait to be admitted.
    #[must_use]
    pub fn waiting(&self) -> usize {
        match self {
            Self::Batch(engine) => engine.waiting(),
            Self::Paced(_) => 0,
        }
    }

    /// Tokens that take up the KV cache.
    #[must_use]
    pub fn kv_used(&self) -> u64 {
        match self {
            Self::Batch(engine) => engine.kv_used(),
            Self::Paced(engine) => engine.kv_used(),
        }
    }
}
