//! How a trace is changed before it is replayed.

use tokamark_plan::SynthesisPlan;

use crate::row::{MOST_TOKENS, Row};
use crate::sharing::SharedIds;
use crate::timing::divided;

/// The largest multiplier; what is asked for beyond it is a slip.
const MOST_TIMES: f64 = 1e6;

/// Names from here on are those of blocks that the transform adds.
const FRESH: u64 = 1 << 62;

/// Why a trace cannot be changed as asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TransformError {
    /// A ratio or multiplier is negative, not a number, or too large.
    #[error("{flag} must be a number from 0 to 1e6")]
    Ratio {
        /// The flag that says it.
        flag: &'static str,
    },
    /// No root or too many.
    #[error("--synthesis-prefix-root-multiplier must be a whole number from 1 to 1000000")]
    Roots,
    /// Rows of no tokens.
    #[error("--synthesis-max-isl must be at least 1")]
    MaxIsl,
    /// There are not enough names for blocks.
    #[error(
        "{blocks} distinct blocks times the prefix multipliers are more than can be named; use smaller multipliers"
    )]
    TooManyBlocks {
        /// Distinct blocks in the trace.
        blocks: u64,
    },
}

/// Changes the rows of a trace one by one, in the second pass over it.
///
/// In this order: rows longer than `max_isl` are left out; the shared prefix (the leading blocks that the trace has at
/// least twice) is stretched or cut; the rest of the prompt is scaled; rows are spread over disjoint families of
/// prefixes; times and delays are divided by the speed-up; the answer is scaled and cut at `max_osl`; the prompt is
/// cut at `max_isl`, its blocks with it. Lengths and blocks agree at the end if they did before.
#[derive(Clone, Debug)]
pub struct Transform {
    plan: SynthesisPlan,
    shared: SharedIds,
    /// Names that a stretched block has.
    names_per_block: u64,
    /// Blocks that were added.
    fresh: u64,
    /// Rows without a session that were kept.
    rows: u64,
}

impl Transform {
    /// A change of the trace whose blocks are given.
    ///
    /// # Errors
    /// If a number of the plan is out of its bounds.
    pub fn new(plan: SynthesisPlan, shared: SharedIds) -> Result<Self, TransformError> {
        let ratios = [
            ("--synthesis-speedup-ratio", plan.speedup_ratio),
            ("--synthesis-prefix-len-multiplier", plan.prefix_len_multiplier),
            ("--synthesis-prompt-len-multiplier", plan.prompt_len_multiplier),
            ("--synthesis-output-len-multiplier", plan.output_len_multiplier),
        ];
        if let Some((flag, _)) = ratios.into_iter().find(|(_, ratio)| !(0.0..=MOST_TIMES).contains(ratio)) {
            return Err(TransformError::Ratio { flag });
        }
        if !(1..=1_000_000).contains(&plan.prefix_root_multiplier) {
            return Err(TransformError::Roots);
        }
        if plan.max_isl == Some(0) {
            return Err(TransformError::MaxIsl);
        }
        let names_per_block = whole(plan.prefix_len_multiplier.ceil()).max(1);
        let blocks = shared.distinct();
        let names =
            blocks.checked_mul(names_per_block).and_then(|names| names.checked_mul(plan.prefix_root_multiplier));
        if names.is_none_or(|names| names >= FRESH) {
            return Err(TransformError::TooManyBlocks { blocks });
        }
        Ok(Self { plan, shared, names_per_block, fresh: 0, rows: 0 })
    }

    /// The row as it is to be sent; none if it is left out.
    pub fn row(&mut self, mut row: Row) -> Option<Row> {
        if self.plan.max_isl.is_some_and(|most| row.input_tokens > most) {
            return None;
        }
        if Self::needs_blocks(&self.plan) && row.block_size > 0 {
            self.prompt(&mut row);
        } else {
            let scaled = scaled(row.input_tokens, self.plan.prompt_len_multiplier);
            row.input_tokens = scaled.clamp(1, self.longest());
        }
        row.timestamp_ms = row.timestamp_ms.map(|ms| self.time(ms));
        row.delay_ms = row.delay_ms.map(|ms| self.time(ms));
        row.output_tokens = row.output_tokens.map(|tokens| self.output_tokens(tokens));
        Some(row)
    }

    /// A time or a delay, divided by the speed-up.
    #[must_use]
    pub fn time(&self, ms: f64) -> f64 {
        divided(ms, self.plan.speedup_ratio)
    }

    /// Tokens to ask for. What was at least one token stays at least one.
    #[must_use]
    pub fn output_tokens(&self, tokens: u64) -> u64 {
        let least = tokens.min(1);
        let scaled = scaled(tokens, self.plan.output_len_multiplier).max(least);
        scaled.min(self.plan.max_osl.unwrap_or(u64::MAX))
    }

    /// Whether a change of this plan depends on the blocks of the whole trace. Else the first pass may be left out.
    #[must_use]
    #[expect(clippy::float_cmp, reason = "1 is what is written when nothing is asked for")]
    pub fn needs_blocks(plan: &SynthesisPlan) -> bool {
        plan.prefix_len_multiplier != 1.0 || plan.prompt_len_multiplier != 1.0 || plan.prefix_root_multiplier != 1
    }

    fn longest(&self) -> u64 {
        self.plan.max_isl.unwrap_or(u64::MAX).min(MOST_TOKENS)
    }

    fn prompt(&mut self, row: &mut Row) {
        let size = u64::from(row.block_size);
        let root = self.root(row.session.as_deref());
        let shared = self.shared.prefix(&row.hash_ids);
        let (prefix, own) = row.hash_ids.split_at(shared);
        let prefix_tokens = (prefix.len() as u64).saturating_mul(size).min(row.input_tokens);
        let own_tokens = row.input_tokens - prefix_tokens;

        let (mut ids, new_prefix_tokens) = self.prefix(prefix, prefix_tokens, size, root);
        let wanted = scaled(own_tokens, self.plan.prompt_len_multiplier);
        let new_own_tokens = wanted.max(u64::from(new_prefix_tokens == 0)).min(self.longest() - new_prefix_tokens);

        let covered = (own.len() as u64).saturating_mul(size);
        let blocks = if own.is_empty() {
            0
        } else if covered >= own_tokens {
            new_own_tokens.div_ceil(size)
        } else {
            scaled(own.len() as u64, self.plan.prompt_len_multiplier).min(new_own_tokens / size)
        };
        for at in 0..blocks {
            let name = usize::try_from(at).ok().and_then(|at| own.get(at)).map(|&id| self.name(id, 0, root));
            ids.push(name.unwrap_or_else(|| {
                self.fresh += 1;
                FRESH + self.fresh
            }));
        }
        row.hash_ids = ids;
        row.input_tokens = new_prefix_tokens + new_own_tokens;
    }

    /// The blocks and tokens of a shared prefix after its multiplier. Block number i of a stretched prefix becomes
    /// ⌈(i+1)·m⌉ − ⌈i·m⌉ blocks: this depends on its place alone, so that what two rows shared they still share.
    fn prefix(&self, blocks: &[u64], tokens: u64, size: u64, root: u64) -> (Vec<u64>, u64) {
        let times = self.plan.prefix_len_multiplier;
        let longest = self.longest();
        let most_blocks = longest.div_ceil(size);
        let count = blocks.len() as u64;
        let is_whole = tokens == count * size;
        let (mut ids, tokens) = if times > 1.0 {
            let mut ids = Vec::new();
            for (at, &id) in (0u64..).zip(blocks) {
                let copies = stretched(at + 1, times) - stretched(at, times);
                ids.extend((0..copies).map(|copy| self.name(id, copy, root)));
                if ids.len() as u64 >= most_blocks {
                    break;
                }
            }
            let tokens = if is_whole { stretched(count, times).saturating_mul(size) } else { stretched(tokens, times) };
            (ids, tokens)
        } else {
            let kept = scaled(count, times).max(1).min(count);
            let ids = blocks.iter().take(usize::try_from(kept).unwrap_or(usize::MAX));
            (ids.map(|&id| self.name(id, 0, root)).collect(), tokens.min(kept * size))
        };
        let tokens = tokens.min(longest);
        ids.truncate(usize::try_from(tokens.div_ceil(size)).unwrap_or(usize::MAX));
        (ids, tokens)
    }

    /// The name of a copy of a block within a family of prefixes. A block that the first pass did not see keeps away
    /// from all that it saw.
    fn name(&self, id: u64, copy: u64, root: u64) -> u64 {
        match self.shared.number(id) {
            Some(number) => (number * self.names_per_block + copy) * self.plan.prefix_root_multiplier + root,
            None => id | (1 << 63),
        }
    }

    /// The family of prefixes of the next row: all rows of a session have the same, the others take turns.
    fn root(&mut self, session: Option<&str>) -> u64 {
        let number = session.map_or_else(
            || {
                self.rows += 1;
                self.rows - 1
            },
            hashed,
        );
        number % self.plan.prefix_root_multiplier
    }
}

/// FNV-1a with a last mixing, the same on every machine.
fn hashed(text: &str) -> u64 {
    let hash = text
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    (hash ^ (hash >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 16
}

/// Rounded to the nearest.
fn scaled(count: u64, times: f64) -> u64 {
    whole((count as f64 * times).round())
}

/// Rounded up; a product that is whole but for the error of its computation counts as whole.
fn stretched(count: u64, times: f64) -> u64 {
    whole((count as f64 * times * (1.0 - 1e-12)).ceil())
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the cast saturates, and NaN becomes 0")]
fn whole(number: f64) -> u64 {
    number as u64
}
