//! A text of exactly so many tokens.

use std::cmp::Ordering;

use tokamark_tokenizer::Tokenizer;

use super::Made;
use super::pool::Pool;
use super::unit::{Draft, Unit};
use crate::random::Stream;

/// Rounds of appending and removing by estimate before the end is tried out sign by sign.
const ROUNDS: u32 = 12;

/// What the units of a text come from.
pub(super) trait Units<'a> {
    /// The next unit; none if no other fits into the tokens that are missing.
    fn next(&mut self, missing: u64, at_line_start: bool, stream: &mut Stream) -> Option<Unit<'a>>;
}

/// A text of `wanted` tokens that begins with what is there already and goes on with units and, where none fits, with
/// words of the pool. Where costs are trusted, they are what the text has; else what counts is the tokenizer's verdict
/// on the whole text, and estimates only lead there. If no text of that length is found, the one that came nearest.
pub(super) fn compose<'a>(
    tokenizer: &Tokenizer,
    pool: &'a Pool,
    beginning: &Made,
    wanted: u64,
    units: &mut dyn Units<'a>,
    trusted: bool,
    stream: &mut Stream,
) -> Made {
    let mut missing = wanted.saturating_sub(beginning.tokens);
    let mut draft = Draft::new(&beginning.text, missing);
    let mut best: Option<Made> = None;
    for _ in 0..ROUNDS {
        while missing > 0 {
            let unit = units.next(missing, draft.is_at_line_start(), stream);
            let Some(unit) = unit.or_else(|| filler(pool, missing, trusted, stream)) else { break };
            draft.push(unit);
            missing = missing.saturating_sub(unit.cost);
        }
        if trusted {
            return Made { text: draft.text, tokens: wanted, ends_plain: true };
        }
        let tokens = tokenizer.count(&draft.text) as u64;
        if keep_better(&mut best, &draft, tokens, wanted) {
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

/// A word or sign that is not too long; if nothing fits, the cheapest is too long by least. Signs may become one token with
/// what they stand behind, so where costs are trusted it is a word.
fn filler(pool: &Pool, missing: u64, trusted: bool, stream: &mut Stream) -> Option<Unit<'static>> {
    if trusted {
        return pool.words.get(stream.below(pool.words.len() as u32) as usize).copied();
    }
    let fit = pool.fillers.partition_point(|filler| filler.cost <= missing);
    pool.fillers.get(stream.below(fit as u32) as usize).copied()
}

/// Shortens the draft below the length that is wanted, then appends whatever signs lengthen it, each by the least.
fn finish(tokenizer: &Tokenizer, pool: &Pool, wanted: u64, mut draft: Draft, mut best: Option<Made>) -> Made {
    let mut tokens = tokenizer.count(&draft.text) as u64;
    while tokens > wanted && draft.is_begun() {
        draft.pop(1);
        tokens = tokenizer.count(&draft.text) as u64;
    }
    while !keep_better(&mut best, &draft, tokens, wanted) {
        let longer = |unit: &Unit<'_>| {
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
    best.unwrap_or_else(|| Made { text: "a".to_owned(), tokens: 1, ends_plain: false })
}

/// Brings a text that is there to a length by removing from its end or appending to it, if that is possible.
pub(super) fn adjust(tokenizer: &Tokenizer, pool: &Pool, text: &str, wanted: u64) -> Made {
    let mut low = text.to_owned();
    let mut tokens = tokenizer.count(&low) as u64;
    while tokens > wanted {
        // Tokens have some bytes each, so most of what is too much goes at once.
        let excess = usize::try_from(tokens - wanted).unwrap_or(usize::MAX);
        let mut end = low.len().saturating_sub(excess.min(low.len()).max(1));
        while !low.is_char_boundary(end) {
            end -= 1;
        }
        low.truncate(end);
        tokens = tokenizer.count(&low) as u64;
    }
    let draft = Draft::new(&low, 0);
    finish(tokenizer, pool, wanted, draft, None)
}

/// Keeps a text if it is nearer to the wanted length than the best so far; true if it is there. An empty text is no prompt.
fn keep_better(best: &mut Option<Made>, draft: &Draft, tokens: u64, wanted: u64) -> bool {
    let is_better = best.as_ref().is_none_or(|best| tokens.abs_diff(wanted) < best.tokens.abs_diff(wanted));
    if is_better && !draft.text.is_empty() {
        *best = Some(Made { text: draft.text.clone(), tokens, ends_plain: false });
    }
    tokens.cmp(&wanted) == Ordering::Equal
}
