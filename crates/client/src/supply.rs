//! Where requests come from.

use bytes::Bytes;
use tokamark_record::Phase;

/// A request whose bytes are ready, so that nothing is left to build when it is due.
#[derive(Clone, Debug, Default)]
pub struct Prepared {
    /// The body.
    pub body: Bytes,
    /// Row of the dataset.
    pub dataset_row: u64,
    /// Which of the plan's models.
    pub model_index: u16,
    /// Tokens of the prompt by the client's tokenizer.
    pub input_tokens: Option<u64>,
    /// Output tokens that it asks for.
    pub output_tokens: Option<u64>,
}

/// Gives the requests of a phase by number. Called from any thread.
pub trait Supply: Send + Sync {
    /// Request `seq` of `phase`; the same for the same number.
    fn prepare(&self, phase: Phase, seq: u64) -> Prepared;
}
