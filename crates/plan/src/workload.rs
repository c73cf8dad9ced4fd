//! What requests ask.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// A length in tokens, drawn from a normal distribution that is cut at 1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct LengthDistribution {
    /// Mean.
    pub mean: f64,
    /// Standard deviation; 0 gives the mean each time.
    pub stddev: f64,
}

/// Where prompts come from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Source {
    /// Made from the seed.
    Synthetic {
        /// Length of the prompt text.
        input_tokens: LengthDistribution,
    },
    /// One JSON object per line, each a single turn.
    SingleTurn {
        /// The file.
        path: PathBuf,
    },
}

/// Which tokenizer counts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TokenizerPlan {
    /// `builtin`, a file, a folder, or a Hugging Face name that is in the local cache. Absent: the model's own if it is to be
    /// had, else `builtin` with a warning.
    pub name: Option<String>,
    /// Revision in the cache.
    pub revision: String,
}

/// The workload.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WorkloadPlan {
    /// Where prompts come from.
    pub source: Source,
    /// Output tokens to ask for; the server decides if absent.
    pub output_tokens: Option<LengthDistribution>,
    /// Distinct synthetic prompts; as many as are needed if absent.
    pub entries: Option<u64>,
    /// Texts for each request (embeddings).
    pub batch_size: u32,
    /// Which tokenizer counts.
    pub tokenizer: TokenizerPlan,
}
