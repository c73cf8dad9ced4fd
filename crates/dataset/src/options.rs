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

/// A piece of media by the name that a row gives it: a path, a URL or data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Named<'a> {
    /// An image.
    Image(&'a str),
    /// An audio clip.
    Audio(&'a str),
    /// A video.
    Video(&'a str),
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
    /// Why a piece of media is not to be had; none if it is. Asked while rows are read, so that nothing is sent of a dataset
    /// whose media are not all there.
    pub missing: &'a dyn Fn(Named<'_>) -> Option<String>,
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
