//! Prompts made from the seed.

use serde::{Deserialize, Serialize};

use super::lengths::{LengthDistribution, LengthPair};

/// What synthetic text is made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Corpus {
    /// Words of the vocabulary, no two prompts with a common beginning.
    #[default]
    Words,
    /// Running prose: windows of the built-in corpus, or of the given one.
    Prose,
    /// Source code, logs and tool output, made from templates.
    Coding,
    /// Ids of the vocabulary as the random datasets of vLLM and SGLang draw them.
    Random,
}

/// Whose rules the random corpus follows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RandomStyle {
    /// vLLM's random dataset.
    #[default]
    Vllm,
    /// SGLang's.
    Sglang,
}

/// Windows of lengths about the mean (`--random-range-ratio`), in 0..1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct RangeRatio {
    /// Of the prompt.
    pub input: f64,
    /// Of the answer.
    pub output: f64,
}

/// Turns of synthetic conversations and the think time between them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TurnsPlan {
    /// Turns; at least 1.
    pub mean: f64,
    /// Their standard deviation.
    pub stddev: f64,
    /// Think time before each turn but the first, milliseconds.
    pub delay_mean_ms: f64,
    /// Its standard deviation.
    pub delay_stddev_ms: f64,
    /// What every think time is multiplied by, recorded ones too.
    pub delay_ratio: f64,
}

impl Default for TurnsPlan {
    fn default() -> Self {
        Self { mean: 1.0, stddev: 0.0, delay_mean_ms: 0.0, delay_stddev_ms: 0.0, delay_ratio: 1.0 }
    }
}

/// A query and its passages (rankings endpoints).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RankingsPlan {
    /// Passages of a request.
    pub passages: LengthDistribution,
    /// Tokens of a passage.
    pub passage_tokens: LengthDistribution,
    /// Tokens of the query.
    pub query_tokens: LengthDistribution,
}

/// Synthetic prompts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SyntheticPlan {
    /// Tokens of each prompt.
    pub input_tokens: LengthDistribution,
    /// Pairs of prompt and answer lengths, in place of the separate distributions if there are any.
    pub pairs: Vec<LengthPair>,
    /// The length is that of the prompt as the server sees it, chat template and BOS included.
    pub counts_template: bool,
    /// What text is made of.
    pub corpus: Corpus,
    /// A text file that takes the place of the built-in prose.
    pub corpus_file: Option<std::path::PathBuf>,
    /// Whose rules the random corpus follows.
    pub random_style: RandomStyle,
    /// Windows about the lengths, in place of a distribution.
    pub range_ratio: Option<RangeRatio>,
    /// Turns of each conversation.
    pub turns: TurnsPlan,
    /// Queries and passages in place of plain texts.
    pub rankings: Option<RankingsPlan>,
    /// Names of the text groups of each request (GenAI-Perf's `synthetic:queries,passages`); none for plain texts.
    pub groups: Vec<String>,
}

impl SyntheticPlan {
    /// Single prompts of a length.
    #[must_use]
    pub fn of(input_tokens: LengthDistribution) -> Self {
        Self {
            input_tokens,
            pairs: Vec::new(),
            counts_template: false,
            corpus: Corpus::default(),
            corpus_file: None,
            random_style: RandomStyle::default(),
            range_ratio: None,
            turns: TurnsPlan::default(),
            rankings: None,
            groups: Vec::new(),
        }
    }
}

/// A system prompt that all conversations have.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SystemPrompt {
    /// This text.
    Text(String),
    /// A made text of so many tokens.
    Tokens(u64),
}

/// What is put before prompts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PrefixPlan {
    /// Prefixes in the pool, of which each conversation's first turn gets one; 0 for none.
    pub pool: u64,
    /// Tokens of each prefix of the pool.
    pub tokens: u64,
    /// Share (0..=1) of synthetic prompt tokens that a prefix cache can find: that part of each prompt comes from the pool (or
    /// from one shared prefix) and the rest is its own. In place of `tokens`.
    pub cache_hit_share: Option<f64>,
    /// System prompts, joined in this order by a blank line.
    pub system: Vec<SystemPrompt>,
    /// Tokens of a text of each conversation's own before its first turn; 0 for none.
    pub user_context_tokens: u64,
}

/// Where a mark of the conversation's own goes, so that nothing behind it is found in the server's prefix cache.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CacheBust {
    /// No mark.
    #[default]
    None,
    /// Before the system prompt.
    SystemPrefix,
    /// Behind the system prompt.
    SystemSuffix,
    /// Before the first turn's text.
    FirstTurnPrefix,
    /// Behind the first turn's text.
    FirstTurnSuffix,
    /// A constant mark before the system prompt of warm-up requests only.
    WarmupIsolationSystem,
    /// A constant mark before the first turn of warm-up requests only.
    WarmupIsolationFirstTurn,
}
