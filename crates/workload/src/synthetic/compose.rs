//! A text of exactly so many tokens.

use std::cmp::Ordering;

use super::pool::{Pool, Unit};
use super::random::Stream;
use tokamark_tokenizer::Tokenizer;

/// Rounds of appending and removing by estimate before the end is tried out sign by sign.
const ROUNDS: u32 = 12;

/// A text and the tokens that it has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Composed {
    pub(super) text: String,
    pub(super) tokens: u64,
}

/// A text of `wanted` tokens that begins with the words `head` (as far as they fit) and goes on at random. What
/// counts is the tokenizer's verdict on the whole text; estimates only lead there. If no text of that length is
/// found, the one that came nearest.
pub(super) fn compose(
    tokenizer: &Tokenizer,
    pool: &Pool,
    wanted: u64,
    head: [u32; 2],
    stream: &mut Stream,
) -> Composed {
    let mut draft = Draft::default();
    let mut head = head.into_iter();
    let mut best: Option<Composed> = None;
    let mut missing = wanted;
    for _ in 0..ROUNDS {
        while missing > 0 {
            let index = head.next().unwrap_or_else(|| stream.below(pool.words.len() as u32));
            let Some(unit) = fitting(pool, index, missing, stream) else { break };
            draft.push(unit);
            missing = missing.saturating_sub(unit.cost);
        }
        let tokens = tokenizer.count(&draft.text) as u64;
        if keep_better(&mut best, &draft.text, tokens, wanted) {
            break;
        }
        if tokens > wanted {
            missing = draft.pop(tokens - wanted);
        } else {
            missing = wanted - tokens;
        }
    }
    match best {
        Some(best) if best.tokens == wanted => best,
        _ => finish(tokenizer, pool, wanted, draft, best),
    }
}

/// The word, or if it is too long for the tokens that are missing, a filler that is not.
fn fitting(pool: &Pool, index: u32, missing: u64, stream: &mut Stream) -> Option<Unit> {
    let word = pool.words.get(index as usize).copied();
    word.filter(|word| word.cost <= missing).or_else(|| {
        let fit = pool.fillers.partition_point(|filler| filler.cost <= missing);
        // If nothing fits, the cheapest is too long by least.
        pool.fillers.get(stream.below(fit as u32) as usize).copied()
    })
}

/// Shortens the draft below the length that is wanted, then appends whatever signs lengthen it, each by the least.
fn finish(tokenizer: &Tokenizer, pool: &Pool, wanted: u64, mut draft: Draft, mut best: Option<Composed>) -> Composed {
    let mut tokens = tokenizer.count(&draft.text) as u64;
    while tokens > wanted && !draft.text.is_empty() {
        draft.pop(1);
        tokens = tokenizer.count(&draft.text) as u64;
    }
    while !keep_better(&mut best, &draft.text, tokens, wanted) {
        let longer = |unit: &Unit| {
            let mut tried = draft.clone();
            tried.push(*unit);
            let reached = tokenizer.count(&tried.text) as u64;
            (reached > tokens && reached <= wanted).then_some((reached, tried))
        };
        // The first that adds one token will do; else the one that adds the least.
        let mut next: Option<(u64, Draft)> = None;
        for found in pool.fillers.iter().filter_map(longer) {
            let is_one_more = found.0 == tokens + 1;
            if next.as_ref().is_none_or(|next| found.0 < next.0) {
                next = Some(found);
            }
            if is_one_more {
                break;
            }
        }
        let Some((reached, tried)) = next else { break };
        tokens = reached;
        draft = tried;
    }
    best.unwrap_or_default()
}

/// Keeps a text if it is nearer to the wanted length than the best so far; true if it is there. An empty text is no prompt.
fn keep_better(best: &mut Option<Composed>, text: &str, tokens: u64, wanted: u64) -> bool {
    let is_better = best.as_ref().is_none_or(|best| tokens.abs_diff(wanted) < best.tokens.abs_diff(wanted));
    if is_better && !text.is_empty() {
        *best = Some(Composed { text: text.to_owned(), tokens });
    }
    tokens.cmp(&wanted) == Ordering::Equal
}

impl Default for Composed {
    fn default() -> Self {
        Self { text: "a".to_owned(), tokens: 1 }
    }
}

/// A text in the making, and where its units begin.
#[derive(Clone, Debug, Default)]
struct Draft {
    text: String,
    units: Vec<(usize, u64)>,
}

impl Draft {
    fn push(&mut self, unit: Unit) {
        self.units.push((self.text.len(), unit.cost));
        if unit.is_word && !self.text.is_empty() {
            self.text.push(' ');
        }
        self.text.push_str(unit.text);
    }

    /// Removes units of at least so many tokens by estimate; returns by how many it went too far.
    fn pop(&mut self, tokens: u64) -> u64 {
        let mut removed = 0;
        while removed < tokens
            && let Some((start, cost)) = self.units.pop()
        {
            self.text.truncate(start);
            removed += cost;
        }
        removed.saturating_sub(tokens)
    }
}
