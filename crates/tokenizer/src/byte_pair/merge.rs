//! Byte-pair merging of one piece: the adjacent pair of the lowest rank is merged, the leftmost among equals, until no
//! pair is a token.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// No pair begins here, or the pair is no token.
const NO_RANK: u32 = u32::MAX;

/// Bytes from which on a heap beats searching for the lowest rank each time.
const LONG: usize = 128;

/// Appends the tokens of a piece that is not itself a token. `rank_of` gives the rank of the token of exactly these bytes.
pub(crate) fn merge(piece: &[u8], rank_of: impl Fn(&[u8]) -> Option<u32>, tokens: &mut Vec<u32>) {
    let ends =
        if piece.len() < LONG { merged_ends_of_short(piece, &rank_of) } else { merged_ends_of_long(piece, &rank_of) };
    let mut start = 0;
    for end in ends {
        // Each part is a byte or came from a merge, so that it has a rank.
        tokens.extend(rank_of(&piece[start..end]));
        start = end;
    }
}

fn pair_rank(piece: &[u8], rank_of: impl Fn(&[u8]) -> Option<u32>, start: usize, end: Option<usize>) -> u32 {
    end.and_then(|end| rank_of(&piece[start..end])).unwrap_or(NO_RANK)
}

/// Quadratic, without bookkeeping.
fn merged_ends_of_short(piece: &[u8], rank_of: &impl Fn(&[u8]) -> Option<u32>) -> Vec<usize> {
    // Start of each part, and the rank of the pair that it makes with the next.
    let mut parts: Vec<(usize, u32)> = (0..piece.len())
        .map(|at| (at, pair_rank(piece, rank_of, at, (at + 2 <= piece.len()).then_some(at + 2))))
        .collect();
    let end_of = |parts: &[(usize, u32)], part: usize| {
        (part < parts.len()).then(|| parts.get(part + 1).map_or(piece.len(), |next| next.0))
    };
    while let Some((lowest, rank)) =
        parts.iter().enumerate().map(|(part, &(_, rank))| (part, rank)).min_by_key(|&(part, rank)| (rank, part))
        && rank != NO_RANK
    {
        parts.remove(lowest + 1);
        parts[lowest].1 = pair_rank(piece, rank_of, parts[lowest].0, end_of(&parts, lowest + 1));
        if lowest > 0 {
            parts[lowest - 1].1 = pair_rank(piece, rank_of, parts[lowest - 1].0, end_of(&parts, lowest));
        }
    }
    (0..parts.len()).filter_map(|part| end_of(&parts, part)).collect()
}

/// A part that begins at a byte, as a link of a list.
#[derive(Clone, Copy)]
struct Part {
    end: usize,
    previous: usize,
    /// Rank of the pair that it makes with the next part; `NO_RANK` once it was merged into another.
    rank: u32,
}

/// Linearithmic.
fn merged_ends_of_long(piece: &[u8], rank_of: &impl Fn(&[u8]) -> Option<u32>) -> Vec<usize> {
    let length = piece.len();
    let mut parts: Vec<Part> = (0..length)
        .map(|at| Part {
            end: at + 1,
            previous: at.wrapping_sub(1),
            rank: pair_rank(piece, rank_of, at, (at + 2 <= length).then_some(at + 2)),
        })
        .collect();
    let mut queue: BinaryHeap<_> = parts
        .iter()
        .enumerate()
        .filter(|(_, part)| part.rank != NO_RANK)
        .map(|(at, part)| Reverse((part.rank, at)))
        .collect();
    while let Some(Reverse((rank, at))) = queue.pop() {
        // A rank is that of one string of bytes, so a rank that still stands belongs to a pair that still stands.
        if parts[at].rank != rank {
            continue;
        }
        let absorbed = parts[at].end;
        parts[absorbed].rank = NO_RANK;
        parts[at].end = parts[absorbed].end;
        let next = parts[at].end;
        if let Some(next) = parts.get_mut(next) {
            next.previous = at;
        }
        for changed in [Some(at), (at > 0).then_some(parts[at].previous)].into_iter().flatten() {
            let pair_end = parts.get(parts[changed].end).map(|next| next.end);
            let rank = pair_rank(piece, rank_of, changed, pair_end);
            parts[changed].rank = rank;
            if rank != NO_RANK {
                queue.push(Reverse((rank, changed)));
            }
        }
    }
    let mut ends = Vec::new();
    let mut at = 0;
    while let Some(part) = parts.get(at) {
        ends.push(part.end);
        at = part.end;
    }
    ends
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::builtin::rank_of;

    proptest! {
        #[test]
        fn both_ways_of_merging_agree(piece in "[a-d ]{1,300}|\\PC{1,120}") {
            let piece = piece.as_bytes();
            prop_assert_eq!(merged_ends_of_short(piece, &rank_of), merged_ends_of_long(piece, &rank_of));
        }
    }
}
