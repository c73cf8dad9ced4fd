//! Cutting by merges: of all adjacent pairs that are pieces, the one of the best score is merged, the leftmost among
//! equals, until none is left.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use rustc_hash::FxHashMap;

use super::normalize::character_length;
use super::vocabulary::Pieces;

/// No symbol.
const NONE: u32 = u32::MAX;

/// A stretch of the text, as a link of a list.
struct Symbol {
    start: u32,
    /// Empty once it was merged into the one before it.
    length: u32,
    previous: u32,
    next: u32,
    /// A user-defined symbol, which is not merged.
    is_frozen: bool,
}

/// Two adjacent symbols that make a piece.
struct Pair {
    score: f32,
    left: u32,
    right: u32,
    length: u32,
}

impl Ord for Pair {
    fn cmp(&self, other: &Self) -> Ordering {
        self.score.total_cmp(&other.score).then_with(|| other.left.cmp(&self.left))
    }
}

impl PartialOrd for Pair {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Pair {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Pair {}

/// Hands over the pieces of a normalized text in order, each with its number if it has one.
pub(super) fn cut<'a>(text: &'a [u8], pieces: &Pieces, mut piece: impl FnMut(&'a [u8], Option<u32>)) {
    // Longer texts than 4 GiB are not met; what is beyond is left out.
    let text = &text[..text.len().min(u32::MAX as usize - 1)];
    let mut merges =
        Merges { text, pieces, symbols: symbols(text, pieces), queue: BinaryHeap::new(), unused: FxHashMap::default() };
    for right in 1..merges.symbols.len() as u32 {
        merges.consider(right - 1, right);
    }
    while let Some(pair) = merges.queue.pop() {
        merges.merge(&pair);
    }
    let mut at = if merges.symbols.is_empty() { NONE } else { 0 };
    while let Some(symbol) = merges.symbols.get(at as usize) {
        merges.resegment(slice(text, symbol), &mut piece);
        at = symbol.next;
    }
}

fn symbols(text: &[u8], pieces: &Pieces) -> Vec<Symbol> {
    let mut symbols = Vec::with_capacity(text.len() / 2 + 1);
    let mut start = 0;
    while start < text.len() {
        let rest = &text[start..];
        let frozen = pieces.user_defined.longest_match(rest);
        let length = frozen.unwrap_or_else(|| character_length(rest));
        let number = symbols.len() as u32;
        let previous = number.checked_sub(1).unwrap_or(NONE);
        let next = if start + length == text.len() { NONE } else { number + 1 };
        let (start_u32, length_u32) = (start as u32, length as u32);
        symbols.push(Symbol { start: start_u32, length: length_u32, previous, next, is_frozen: frozen.is_some() });
        start += length;
    }
    symbols
}

fn slice<'a>(text: &'a [u8], symbol: &Symbol) -> &'a [u8] {
    &text[symbol.start as usize..(symbol.start + symbol.length) as usize]
}

struct Merges<'a, 'p> {
    text: &'a [u8],
    pieces: &'p Pieces,
    symbols: Vec<Symbol>,
    queue: BinaryHeap<Pair>,
    /// Where pieces that may not be used were made of two: they are taken apart again in the end.
    unused: FxHashMap<&'a [u8], usize>,
}

impl<'a> Merges<'a, '_> {
    /// Queues two adjacent symbols if they make a piece.
    fn consider(&mut self, left: u32, right: u32) {
        let (Some(first), Some(second)) = (self.symbols.get(left as usize), self.symbols.get(right as usize)) else {
            return;
        };
        if first.is_frozen || second.is_frozen {
            return;
        }
        let length = first.length + second.length;
        let joined = &self.text[first.start as usize..(first.start + length) as usize];
        let Some(id) = self.pieces.mergeable(joined) else { return };
        if self.pieces.is_unused(id) {
            self.unused.insert(joined, first.length as usize);
        }
        self.queue.push(Pair { score: self.pieces.score(id), left, right, length });
    }

    fn merge(&mut self, pair: &Pair) {
        let (left, right) = (pair.left as usize, pair.right as usize);
        let (first, second) = (&self.symbols[left], &self.symbols[right]);
        if first.length == 0 || second.length == 0 || first.length + second.length != pair.length {
            return;
        }
        let (before, after) = (first.previous, second.next);
        self.symbols[left].length = pair.length;
        self.symbols[left].next = after;
        if let Some(after) = self.symbols.get_mut(after as usize) {
            after.previous = pair.left;
        }
        self.symbols[right].length = 0;
        self.consider(before, pair.left);
        self.consider(pair.left, after);
    }

    fn resegment(&self, part: &'a [u8], piece: &mut impl FnMut(&'a [u8], Option<u32>)) {
        let id = self.pieces.id_of(part);
        match self.unused.get(part) {
            Some(&left) if id.is_some_and(|id| self.pieces.is_unused(id)) => {
                self.resegment(&part[..left], piece);
                self.resegment(&part[left..], piece);
            }
            _ => piece(part, id),
        }
    }
}
