//! What requests ask.

mod dataset;
mod length_text;
mod lengths;
mod media;
mod synthetic;
mod tokenizer;
mod trace;

use serde::{Deserialize, Serialize};

pub use dataset::{DatasetFormat, DatasetPlan, PublicPlan, Sampling};
pub use length_text::{LengthTextError, parse_pairs};
pub use lengths::{LengthBounds, LengthDistribution, LengthPair, LengthShape};
pub use media::{
    AudioFormat, AudioPlan, ImageFormat, ImagePlan, ImageSampling, ImageSource, MediaPlan, MediaSpread, VideoFormat,
    VideoPattern, VideoPlan,
};
pub use synthetic::{
    CacheBust, Corpus, PrefixPlan, RandomStyle, RangeRatio, RankingsPlan, SyntheticPlan, SystemPrompt, TurnsPlan,
};
pub use tokenizer::TokenizerPlan;
pub use trace::{OpenLoop, SchedulePlan, SynthesisPlan, TracePlan};

/// Where prompts come from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Source {
    /// Made from the seed.
    Synthetic(SyntheticPlan),
    /// Read from a file or a folder.
    File(DatasetPlan),
    /// A public dataset by name.
    Public(PublicPlan),
}

/// The workload.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WorkloadPlan {
    /// Where prompts come from.
    pub source: Source,
    /// Output tokens to ask for where the source says nothing; the server decides if absent.
    pub output_tokens: Option<LengthDistribution>,
    /// Distinct conversations; as many as are needed (synthetic) or there are (files) if absent.
    pub entries: Option<u64>,
    /// Texts for each request (embeddings).
    pub batch_size: u32,
    /// The order in which conversations are taken.
    pub sampling: Sampling,
    /// System prompts and prefixes put before prompts.
    pub prefix: PrefixPlan,
    /// Marks that keep prompts out of the server's prefix cache.
    pub cache_bust: CacheBust,
    /// Media made for each request.
    pub media: MediaPlan,
    /// Which tokenizer counts.
    pub tokenizer: TokenizerPlan,
}

impl WorkloadPlan {
    /// Single prompts of one length and nothing else; the compiled-in tokenizer counts.
    #[must_use]
    pub fn prompts(input_tokens: LengthDistribution) -> Self {
        Self {
            source: Source::Synthetic(SyntheticPlan::of(input_tokens)),
            output_tokens: None,
            entries: None,
            batch_size: 1,
            sampling: Sampling::default(),
            prefix: PrefixPlan::default(),
            cache_bust: CacheBust::default(),
            media: MediaPlan::default(),
            tokenizer: TokenizerPlan::builtin(),
        }
    }

    /// The conversations of a file, with everything else as in [`Self::prompts`].
    #[must_use]
    pub fn file(dataset: DatasetPlan) -> Self {
        Self { source: Source::File(dataset), ..Self::prompts(LengthDistribution::fixed(1.0)) }
    }
}
