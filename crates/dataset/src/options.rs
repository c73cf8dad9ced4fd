//! What opening a dataset depends on besides its own plan.

use std::fmt;

/// Items of one request that are drawn from a pool (`random_pool`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Batch {
    /// Texts.
    pub texts: u32,
    /// Images.
    pub images: u32,
    /// Audio clips.
    pub audios: u32,
    /// Videos.
    pub videos: u32,
}

impl Default for Batch {
    fn default() -> Self {
        Self { texts: 1, images: 1, audios: 1, videos: 1 }
    }
}

/// What opening a dataset depends on besides its own plan.
#[derive(Clone, Copy)]
pub struct Options<'a> {
    /// Seed of everything that is drawn.
    pub seed: u64,
    /// No more conversations than this; of pools, exactly so many.
    pub entries: Option<u64>,
    /// Items of one request that are drawn from a pool.
    pub batch: Batch,
    /// Tokens of a text by the workload's tokenizer, for formats that are filtered by length.
    pub count: &'a dyn Fn(&str) -> u64,
}

impl fmt::Debug for Options<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Options")
            .field("seed", &self.seed)
            .field("entries", &self.entries)
            .field("batch", &self.batch)
            .finish_non_exhaustive()
    }
}
