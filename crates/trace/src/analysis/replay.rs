//! Plays a trace against a prefix cache.

use rustc_hash::FxHashMap;

use super::cache::Cache;

/// What is kept of a row.
#[derive(Clone, Copy, Debug)]
pub(super) struct Facts {
    /// The trace says when it was sent.
    pub(super) has_timestamp: bool,
    /// When it was sent, as far as is known.
    pub(super) time_ms: f64,
    /// Number of its session, if its request repeats what that said before.
    pub(super) session: Option<u32>,
    /// Tokens of its own prompt.
    pub(super) input_tokens: u64,
    /// Tokens of its answer.
    pub(super) output_tokens: Option<u64>,
    /// Tokens of its session before it that its request repeats.
    pub(super) history_tokens: u64,
    /// Tokens of a block.
    pub(super) block_size: u32,
    /// Where its named blocks begin.
    pub(super) first_block: usize,
    /// How many they are.
    pub(super) blocks: usize,
}

impl Facts {
    /// Tokens of the whole request.
    pub(super) fn context_tokens(&self) -> u64 {
        self.history_tokens.saturating_add(self.input_tokens)
    }
}

/// All rows, with the names of their blocks. Each name stands for the block and all before it.
#[derive(Clone, Debug, Default)]
pub(super) struct Rows {
    pub(super) facts: Vec<Facts>,
    pub(super) blocks: Vec<u64>,
}

impl Rows {
    /// The named blocks of a row.
    pub(super) fn named(&self, row: &Facts) -> &[u64] {
        self.blocks.get(row.first_block..row.first_block + row.blocks).unwrap_or_default()
    }

    /// The rows in the order of time; those of the same time in the order of the file.
    pub(super) fn in_time(&self) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.facts.len()).collect();
        order.sort_by(|&a, &b| self.facts[a].time_ms.total_cmp(&self.facts[b].time_ms));
        order
    }

    /// The tokens of each row that the cache holds when the row comes.
    ///
    /// Of a session that goes on, the first row's whole blocks keep their names; all behind them, answers too, are the
    /// session's own. Answers of single rows are not kept: nothing asks for them again.
    pub(super) fn replayed(&self, order: &[usize], cache: &mut impl Cache) -> Vec<u64> {
        let mut hits = vec![0; self.facts.len()];
        let mut beginnings: FxHashMap<u32, usize> = FxHashMap::default();
        let mut blocks = Vec::new();
        for &at in order {
            let row = &self.facts[at];
            let size = u64::from(row.block_size);
            blocks.clear();
            match row.session {
                Some(session) if row.history_tokens > 0 => {
                    let first = beginnings.get(&session).map_or(row, |&first| &self.facts[first]);
                    let whole = usize::try_from(first.input_tokens / size).unwrap_or(usize::MAX);
                    let named = self.named(first);
                    blocks.extend_from_slice(&named[..named.len().min(whole)]);
                    extend(&mut blocks, session, row.context_tokens() / size);
                }
                _ => blocks.extend_from_slice(self.named(row)),
            }
            let found = cache.hits(&blocks) as u64;
            hits[at] = found.saturating_mul(size).min(row.context_tokens());
            if let Some(session) = row.session {
                beginnings.entry(session).or_insert(at);
                let answered = row.context_tokens().saturating_add(row.output_tokens.unwrap_or(0)) / size;
                if row.history_tokens == 0
                    && !row.input_tokens.is_multiple_of(size)
                    && blocks.len() as u64 * size > row.input_tokens
                {
                    // The answer fills the block that the prompt left open, so that it has another name from now on.
                    cache.keep(&blocks);
                    blocks.pop();
                }
                extend(&mut blocks, session, answered);
            }
            cache.keep(&blocks);
        }
        hits
    }
}

/// Adds blocks of the session's own up to so many.
fn extend(blocks: &mut Vec<u64>, session: u32, until: u64) {
    blocks.extend((blocks.len() as u64..until).map(|at| private(session, at)));
}

/// The name of a block of a session's own.
pub(super) fn private(session: u32, at: u64) -> u64 {
    chained(chained(0x5e55_1011, session.into()), at)
}

/// The name of a block behind another one (the finaliser of SplitMix64 over both).
pub(super) fn chained(before: u64, id: u64) -> u64 {
    let mut mixed = before.rotate_left(23).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ id.wrapping_add(0x2545_f491_4f6c_dd1d);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}
