//! A Mooncake-style trace of single requests that share prefixes in a tree.

use std::io::Write;

use serde::{Deserialize, Serialize};
use tokamark_plan::{LengthBounds, LengthDistribution, LengthShape};

use super::SynthesizeError;
use super::lengths::Lengths;
use super::line::{self, Labels, to_microseconds};
use crate::random::{Random, zipf};
use crate::row::Row;

/// The most blocks that a tree may have.
const MOST_BLOCKS: u64 = 1 << 40;

/// When rows are sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Arrivals {
    /// Independently of each other.
    #[default]
    Poisson,
    /// In equal steps.
    Constant,
}

/// Prefixes that rows share: a forest in which each node adds blocks to the prefix of the one above it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PrefixTree {
    /// Trees.
    pub roots: u32,
    /// Children of each node.
    pub branching: u32,
    /// Levels; a shared prefix goes through all of them.
    pub depth: u32,
    /// Blocks of each node.
    pub level_blocks: u32,
    /// Share of rows with a shared prefix, 0 to 1.
    pub share: f64,
    /// Zipf's exponent of the popularity of trees and children; 0 makes all as popular.
    pub alpha: f64,
}

impl Default for PrefixTree {
    fn default() -> Self {
        Self { roots: 8, branching: 4, depth: 2, level_blocks: 2, share: 0.5, alpha: 1.0 }
    }
}

/// What a Mooncake-style trace is made from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct MooncakeTrace {
    /// Rows.
    pub rows: u64,
    /// Seed.
    pub seed: u64,
    /// Rows per second.
    pub rate_per_s: f64,
    /// When rows are sent.
    pub arrivals: Arrivals,
    /// Tokens of a block.
    pub block_size: u32,
    /// Tokens of prompts, shared prefixes included.
    pub input: LengthDistribution,
    /// Tokens of answers.
    pub output: LengthDistribution,
    /// Shared prefixes.
    pub prefix: PrefixTree,
}

impl Default for MooncakeTrace {
    fn default() -> Self {
        let lognormal = |mean, median| LengthDistribution {
            shape: LengthShape::Lognormal { mean, median },
            bounds: LengthBounds::default(),
        };
        Self {
            rows: 10_000,
            seed: 42,
            rate_per_s: 10.0,
            arrivals: Arrivals::default(),
            block_size: 512,
            input: lognormal(4_000.0, 2_500.0),
            output: lognormal(300.0, 200.0),
            prefix: PrefixTree::default(),
        }
    }
}

impl MooncakeTrace {
    /// The options in a JSON text; what it does not say keeps its default.
    ///
    /// # Errors
    /// If the text is no such JSON.
    pub fn from_json(text: &str) -> Result<Self, SynthesizeError> {
        serde_json::from_str(text).map_err(SynthesizeError::Config)
    }

    /// Each row of the trace in the order of time.
    ///
    /// # Errors
    /// If an option has an impossible value.
    pub fn rows(&self) -> Result<impl Iterator<Item = Row>, SynthesizeError> {
        if !(self.rate_per_s > 0.0 && self.rate_per_s <= 1e9) {
            return Err(SynthesizeError::option("rate_per_s", "a number above 0 and up to 1e9"));
        }
        if self.block_size == 0 {
            return Err(SynthesizeError::option("block_size", "at least 1"));
        }
        let tree = Tree::new(self.prefix)?;
        let input = Lengths::new("input", &self.input)?;
        let output = Lengths::new("output", &self.output)?;
        let (seed, block_size, arrivals) = (self.seed, self.block_size, self.arrivals);
        let step_ms = 1e3 / self.rate_per_s;
        let mut time_ms = 0.0;
        let mut fresh = tree.blocks;
        Ok((0..self.rows).map(move |number| {
            let random = &mut Random::new(seed, "mooncake", number);
            if number > 0 {
                time_ms += match arrivals {
                    Arrivals::Poisson => step_ms * random.exponential(),
                    Arrivals::Constant => step_ms,
                };
            }
            let input_tokens = input.draw(random).max(1);
            let output_tokens = output.draw(random).max(1);
            // The last token at least is the row's own: a prompt that is cached as a whole is no request.
            let room = (input_tokens - 1) / u64::from(block_size);
            let mut hash_ids = tree.prefix(room, random);
            let own = input_tokens.div_ceil(u64::from(block_size)) - hash_ids.len() as u64;
            hash_ids.extend(fresh..fresh + own);
            fresh += own;
            Row {
                line: number + 1,
                timestamp_ms: Some(to_microseconds(time_ms)),
                input_tokens,
                output_tokens: Some(output_tokens),
                hash_ids,
                block_size,
                ..Row::default()
            }
        }))
    }

    /// Writes the trace, one JSON object per line.
    ///
    /// # Errors
    /// If an option has an impossible value or a row cannot be written.
    pub fn write(&self, out: &mut impl Write) -> Result<(), SynthesizeError> {
        for row in self.rows()? {
            line::write(&row, Labels::default(), out)?;
        }
        Ok(())
    }
}

/// A tree that has been checked.
#[derive(Clone, Debug)]
struct Tree {
    plan: PrefixTree,
    roots: Vec<f64>,
    children: Vec<f64>,
    /// Blocks of all nodes.
    blocks: u64,
}

impl Tree {
    fn new(plan: PrefixTree) -> Result<Self, SynthesizeError> {
        let wrong = SynthesizeError::option;
        if !(0.0..=1.0).contains(&plan.share) {
            return Err(wrong("prefix.share", "a number from 0 to 1"));
        }
        if !(0.0..=10.0).contains(&plan.alpha) {
            return Err(wrong("prefix.alpha", "a number from 0 to 10"));
        }
        if plan.roots == 0 || plan.branching == 0 || plan.roots.max(plan.branching) > 1_000_000 {
            return Err(wrong("prefix.roots", "like prefix.branching, from 1 to 1000000"));
        }
        if plan.level_blocks == 0 {
            return Err(wrong("prefix.level_blocks", "at least 1"));
        }
        let mut nodes = u64::from(plan.roots);
        let mut blocks = 0u64;
        for _ in 0..plan.depth {
            blocks = blocks.saturating_add(nodes.saturating_mul(plan.level_blocks.into()));
            if blocks > MOST_BLOCKS || plan.depth > 1_000 {
                return Err(wrong("prefix.depth", "so small that the tree has at most 2^40 blocks and 1000 levels"));
            }
            nodes = nodes.saturating_mul(plan.branching.into());
        }
        let (roots, children) = (zipf(plan.roots, plan.alpha), zipf(plan.branching, plan.alpha));
        Ok(Self { plan, roots, children, blocks })
    }

    /// The blocks of a path from a root to a leaf, at most `room`; none if the row shares nothing.
    fn prefix(&self, room: u64, random: &mut Random) -> Vec<u64> {
        let PrefixTree { roots, branching, depth, level_blocks, share, .. } = self.plan;
        let mut ids = Vec::new();
        if !random.happens(share) {
            return ids;
        }
        let per_node = u64::from(level_blocks);
        let (mut node, mut nodes, mut level_start) = (0, u64::from(roots), 0);
        for level in 0..depth {
            let weights = if level == 0 { &self.roots } else { &self.children };
            node = node * u64::from(branching) + random.pick(weights) as u64;
            let first = level_start + node * per_node;
            ids.extend((first..first + per_node).take(usize::try_from(room).unwrap_or(usize::MAX) - ids.len()));
            level_start += nodes * per_node;
            nodes *= u64::from(branching);
        }
        ids
    }
}
