//! Lengths in tokens and how they are drawn.

use serde::{Deserialize, Serialize};

/// The shape of a distribution of lengths, in tokens.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "type")]
pub enum LengthShape {
    /// The same each time.
    Fixed {
        /// The length.
        value: f64,
    },
    /// The bell curve.
    Normal {
        /// Mean.
        mean: f64,
        /// Standard deviation.
        stddev: f64,
    },
    /// The logarithm is normal: μ = ln median, σ = √(2·ln(mean/median)).
    Lognormal {
        /// Mean.
        mean: f64,
        /// Median, at most the mean.
        median: f64,
    },
    /// Whole numbers, each as likely.
    Uniform {
        /// The shortest.
        min: u64,
        /// The longest.
        max: u64,
    },
    /// Given lengths with given weights.
    Empirical {
        /// Length and weight.
        points: Vec<(u64, f64)>,
    },
    /// Several shapes, of which one is drawn by weight.
    Multimodal {
        /// Shape and weight.
        modes: Vec<(LengthShape, f64)>,
    },
}

/// Bounds that a drawn length must keep; draws beyond them are drawn again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LengthBounds {
    /// The shortest; 1 if absent.
    pub min: Option<u64>,
    /// The longest.
    pub max: Option<u64>,
}

/// A length in tokens, drawn from a shape within bounds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LengthDistribution {
    /// The shape.
    pub shape: LengthShape,
    /// Its bounds.
    #[serde(default)]
    pub bounds: LengthBounds,
}

impl LengthDistribution {
    /// The same length each time.
    #[must_use]
    pub fn fixed(value: f64) -> Self {
        Self { shape: LengthShape::Fixed { value }, bounds: LengthBounds::default() }
    }

    /// A normal distribution that is cut at 1; without a deviation the mean each time.
    #[must_use]
    pub fn normal(mean: f64, stddev: f64) -> Self {
        let shape =
            if stddev > 0.0 { LengthShape::Normal { mean, stddev } } else { LengthShape::Fixed { value: mean } };
        Self { shape, bounds: LengthBounds::default() }
    }
}

/// Lengths of prompt and answer that belong together (`--sequence-distribution`).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LengthPair {
    /// Tokens of the prompt.
    pub input: LengthDistribution,
    /// Tokens of the answer.
    pub output: LengthDistribution,
    /// How often this pair is drawn; the weights are relative.
    pub weight: f64,
}
