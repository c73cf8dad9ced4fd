//! Cutting by likelihood: the sequence of pieces with the highest sum of scores (Viterbi).

use rustc_hash::FxHashMap;

use super::normalize::character_length;
use super::vocabulary::Pieces;

/// How much worse an unknown character is than the worst piece.
const UNKNOWN_PENALTY: f32 = 10.0;

/// Pieces by their bytes, one byte at a time.
pub(super) struct Trie {
    /// From a node and a byte to the next node.
    edges: FxHashMap<(u32, u8), u32>,
    /// The piece that ends at a node.
    ends: Vec<Option<u32>>,
}

impl Trie {
    pub(super) fn new<'a>(pieces: impl IntoIterator<Item = (&'a str, u32)>) -> Self {
        let mut trie = Self { edges: FxHashMap::default(), ends: vec![None] };
        for (piece, id) in pieces {
            let mut node = 0;
            for byte in piece.bytes() {
                let next = trie.ends.len() as u32;
                node = *trie.edges.entry((node, byte)).or_insert(next);
                if node == next {
                    trie.ends.push(None);
                }
            }
            trie.ends[node as usize] = Some(id);
        }
        trie
    }
}

/// The best way to a place in the text.
#[derive(Clone, Copy)]
struct Best {
    score: f32,
    /// Where its last piece begins; the piece is unknown where it has no number.
    last: Option<(u32, Option<u32>)>,
}

/// Hands over the pieces of a normalized text in order, each with its number if it has one.
pub(super) fn cut<'a>(text: &'a [u8], pieces: &Pieces, trie: &Trie, mut piece: impl FnMut(&'a [u8], Option<u32>)) {
    let text = &text[..text.len().min(u32::MAX as usize - 1)];
    let unknown_score = pieces.lowest_score - UNKNOWN_PENALTY;
    let mut best = vec![Best { score: 0.0, last: None }; text.len() + 1];
    let mut start = 0;
    while start < text.len() {
        let so_far = best[start].score;
        let single = character_length(&text[start..]);
        let mut has_single = false;
        let mut node = 0;
        for (at, &byte) in text.iter().enumerate().skip(start) {
            let Some(&next) = trie.edges.get(&(node, byte)) else { break };
            node = next;
            let Some(id) = trie.ends[node as usize].filter(|&id| !pieces.is_unused(id)) else { continue };
            let length = at + 1 - start;
            // A user-defined symbol is better than whatever it could be cut into.
            let score = if pieces.is_user_defined(id) {
                (f64::from(length as f32 * pieces.highest_score) - 0.1) as f32
            } else {
                pieces.score(id)
            };
            improve(&mut best[at + 1], so_far + score, start, Some(id));
            has_single |= length == single;
        }
        if !has_single {
            improve(&mut best[start + single], so_far + unknown_score, start, None);
        }
        start += single;
    }
    let mut path = Vec::new();
    let mut end = text.len();
    while let Some((start, id)) = best[end].last {
        path.push((start as usize, end, id));
        end = start as usize;
    }
    for &(start, end, id) in path.iter().rev() {
        piece(&text[start..end], id);
    }
}

fn improve(best: &mut Best, score: f32, start: usize, id: Option<u32>) {
    if best.last.is_none() || score > best.score {
        *best = Best { score, last: Some((start as u32, id)) };
    }
}
