//! Why there is no workload.

use std::path::PathBuf;

use tokamark_dataset::DatasetError;
use tokamark_media::MediaError;
use tokamark_tokenizer::{TemplateError, TokenizerError};

use crate::lengths::LengthError;

/// Why there is no workload, or no conversation of it.
#[derive(Debug, thiserror::Error)]
pub enum WorkloadError {
    /// The tokenizer is not to be had.
    #[error(transparent)]
    Tokenizer(#[from] TokenizerError),
    /// The dataset cannot be used.
    #[error(transparent)]
    Dataset(#[from] DatasetError),
    /// A piece of media is not to be had.
    #[error(transparent)]
    Media(#[from] MediaError),
    /// The chat template, whose tokens are to be counted, does not take the messages.
    #[error(transparent)]
    Template(#[from] TemplateError),
    /// The public dataset is not known.
    #[error("the public dataset `{0}` is not known; download it and give the file with --input-file")]
    Public(String),
    /// The lengths of the prompts cannot be drawn.
    #[error("the input length is not usable: {0}")]
    InputLength(LengthError),
    /// The lengths of the answers cannot be drawn.
    #[error("the output length is not usable: {0}")]
    OutputLength(LengthError),
    /// The number of turns cannot be drawn.
    #[error("the number of turns is not usable: {0}")]
    Turns(LengthError),
    /// The lengths of queries and passages cannot be drawn.
    #[error("the lengths of queries and passages are not usable: {0}")]
    Rankings(LengthError),
    /// The text that prompts are to be windows of cannot be used.
    #[error("the corpus `{}` cannot be used: {reason}; give a UTF-8 text with some words", path.display())]
    Corpus {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A window of lengths cannot be drawn from.
    #[error("the range ratio {ratio} is not usable: {reason}")]
    RangeRatio {
        /// The ratio.
        ratio: f64,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// A share is none.
    #[error("a cache hit share of {0} is no share; give a number from 0 to 1")]
    HitShare(f64),
}
