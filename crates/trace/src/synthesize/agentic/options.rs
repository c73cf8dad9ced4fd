//! What sessions of coding agents are made from.

use serde::{Deserialize, Serialize};

use crate::synthesize::SynthesizeError;

/// A lognormal distribution: μ = ln median, σ = √(2·ln(mean/median)).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Skewed {
    /// Mean.
    pub mean: f64,
    /// Median, at most the mean.
    pub median: f64,
}

impl Skewed {
    const fn new(mean: f64, median: f64) -> Self {
        Self { mean, median }
    }

    fn check(self, option: &'static str) -> Result<(), SynthesizeError> {
        if self.median > 0.0 && self.median <= self.mean && self.mean <= 1e9 {
            return Ok(());
        }
        Err(SynthesizeError::option(option, "a median above 0 and a mean from the median to 1e9"))
    }
}

/// The time between an answer and the next turn: the agent's own, or a human's. Both shrink to a fifth as the context
/// fills: they are multiplied by max(0.2, 1 − 0.8·context/limit).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Delays {
    /// Share of turns that the agent takes by itself.
    pub agentic_share: f64,
    /// Milliseconds before a turn that the agent takes by itself.
    pub agentic_ms: Skewed,
    /// Milliseconds before a turn that a human takes.
    pub human_ms: Skewed,
}

impl Default for Delays {
    fn default() -> Self {
        Self {
            agentic_share: 0.7,
            agentic_ms: Skewed::new(2_500.0, 1_800.0),
            human_ms: Skewed::new(40_000.0, 25_000.0),
        }
    }
}

/// How likely a session ends after a turn: base·(1 + (scaling − 1)·context/limit).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Resets {
    /// The probability with an empty context.
    pub base: f64,
    /// How many times as likely it is with a full one.
    pub context_scaling: f64,
}

impl Default for Resets {
    fn default() -> Self {
        Self { base: 0.02, context_scaling: 2.0 }
    }
}

/// Turns of each session, lognormal within bounds. They rule instead of resets.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TurnCounts {
    /// Mean.
    pub mean: f64,
    /// Median, at most the mean.
    pub median: f64,
    /// The fewest.
    #[serde(default = "one")]
    pub min: u32,
    /// The most.
    #[serde(default = "many")]
    pub max: u32,
    /// A session whose context is full has fewer turns; else it is made anew.
    #[serde(default)]
    pub allow_truncation: bool,
    /// How often a session is made anew.
    #[serde(default = "attempts")]
    pub max_session_attempts: u32,
}

fn one() -> u32 {
    1
}

fn many() -> u32 {
    100_000
}

fn attempts() -> u32 {
    100
}

/// Sessions that break off and begin again with all that they know in one prompt.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Restarts {
    /// The probability for the first session; it falls in a straight line.
    pub probability: f64,
    /// The share of sessions at which it has come to 0.
    pub until_share: f64,
}

impl Default for Restarts {
    fn default() -> Self {
        Self { probability: 0.1, until_share: 0.75 }
    }
}

/// What sessions of coding agents are made from.
///
/// A session's first prompt is a layer that all sessions share, one that its group shares, and one of its own. Each
/// later turn adds new tokens; its request repeats all prompts and answers before it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AgenticCode {
    /// Sessions.
    pub sessions: u64,
    /// Seed.
    pub seed: u64,
    /// Tokens of a block.
    pub block_size: u32,
    /// A session ends before a request of so many tokens.
    pub max_isl: u64,
    /// No answer is longer.
    pub max_osl: Option<u64>,
    /// Sessions that begin each second, independently of each other.
    pub sessions_per_s: f64,
    /// Groups of sessions.
    pub groups: u32,
    /// Zipf's exponent of the groups' popularity.
    pub group_alpha: f64,
    /// Tokens that all sessions share; rounded to whole blocks.
    pub global_tokens: u64,
    /// Tokens that a group shares; rounded to whole blocks.
    pub group_tokens: u64,
    /// Tokens of the first prompt that are the session's own.
    pub own_tokens: Skewed,
    /// Tokens that each later turn adds.
    pub new_tokens: Skewed,
    /// Tokens of answers.
    pub output_tokens: Skewed,
    /// The shortest answer.
    pub min_output_tokens: u64,
    /// The time between turns.
    pub delays: Delays,
    /// How sessions end.
    pub resets: Resets,
    /// Turns of each session, if they are not left to resets.
    pub turns: Option<TurnCounts>,
    /// Sessions that begin again.
    pub restarts: Option<Restarts>,
}

impl Default for AgenticCode {
    fn default() -> Self {
        Self {
            sessions: 1_000,
            seed: 42,
            block_size: 512,
            max_isl: 200_000,
            max_osl: None,
            sessions_per_s: 1.0,
            groups: 50,
            group_alpha: 1.2,
            global_tokens: 32_000,
            group_tokens: 20_000,
            own_tokens: Skewed::new(10_000.0, 5_000.0),
            new_tokens: Skewed::new(3_500.0, 1_800.0),
            output_tokens: Skewed::new(500.0, 300.0),
            min_output_tokens: 30,
            delays: Delays::default(),
            resets: Resets::default(),
            turns: None,
            restarts: None,
        }
    }
}

impl AgenticCode {
    /// Blocks of so many tokens, rounded to whole ones.
    pub(super) fn rounded_blocks(&self, tokens: u64) -> u64 {
        let size = u64::from(self.block_size);
        (tokens + size / 2) / size
    }

    /// Tokens of the first prompt that others share.
    pub(super) fn shared_tokens(&self) -> u64 {
        let blocks = self.rounded_blocks(self.global_tokens) + self.rounded_blocks(self.group_tokens);
        blocks * u64::from(self.block_size)
    }

    pub(super) fn check(&self) -> Result<(), SynthesizeError> {
        let wrong = |option, must: &str| SynthesizeError::option(option, must);
        let is_share = |share: f64| (0.0..=1.0).contains(&share);
        if self.block_size == 0 {
            return Err(wrong("block_size", "at least 1"));
        }
        if self.max_isl > 1_000_000_000 || self.global_tokens.max(self.group_tokens) > 1_000_000_000 {
            return Err(wrong("max_isl", "like global_tokens and group_tokens, at most 1000000000"));
        }
        if self.max_isl <= self.shared_tokens() + 1 {
            let must = format!("more than the {} shared tokens and one", self.shared_tokens());
            return Err(SynthesizeError::option("max_isl", must));
        }
        if self.max_osl == Some(0) {
            return Err(wrong("max_osl", "at least 1"));
        }
        if !(self.sessions_per_s > 0.0 && self.sessions_per_s <= 1e9) {
            return Err(wrong("sessions_per_s", "a number above 0 and up to 1e9"));
        }
        if !(1..=1_000_000).contains(&self.groups) || !(0.0..=10.0).contains(&self.group_alpha) {
            return Err(wrong("groups", "from 1 to 1000000, and group_alpha from 0 to 10"));
        }
        self.own_tokens.check("own_tokens")?;
        self.new_tokens.check("new_tokens")?;
        self.output_tokens.check("output_tokens")?;
        self.delays.agentic_ms.check("delays.agentic_ms")?;
        self.delays.human_ms.check("delays.human_ms")?;
        if !is_share(self.delays.agentic_share) {
            return Err(wrong("delays.agentic_share", "a number from 0 to 1"));
        }
        if !is_share(self.resets.base) || !(0.0..=1e6).contains(&self.resets.context_scaling) {
            return Err(wrong("resets.base", "a number from 0 to 1, and context_scaling from 0 to 1e6"));
        }
        if let Some(turns) = self.turns {
            Skewed::new(turns.mean, turns.median).check("turns")?;
            if turns.min == 0 || turns.min > turns.max || turns.max_session_attempts == 0 {
                return Err(wrong("turns.min", "from 1 to turns.max, with at least 1 of max_session_attempts"));
            }
        }
        match self.restarts {
            Some(restarts) if !is_share(restarts.probability) || !is_share(restarts.until_share) => {
                Err(wrong("restarts.probability", "like restarts.until_share, a number from 0 to 1"))
            }
            _ => Ok(()),
        }
    }
}
