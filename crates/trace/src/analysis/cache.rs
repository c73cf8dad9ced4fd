//! Prefix caches that hold whole blocks.

use rustc_hash::{FxHashMap, FxHashSet};

/// A cache of blocks of which the leading ones of a prompt can be reused.
pub(super) trait Cache {
    /// How many leading blocks are there.
    fn hits(&self, blocks: &[u64]) -> usize;
    /// Keeps the blocks of a prompt and its answer.
    fn keep(&mut self, blocks: &[u64]);
}

/// A cache that forgets nothing.
#[derive(Debug, Default)]
pub(super) struct Unlimited(FxHashSet<u64>);

impl Unlimited {
    /// Blocks that are kept.
    pub(super) fn blocks(&self) -> u64 {
        self.0.len() as u64
    }
}

impl Cache for Unlimited {
    fn hits(&self, blocks: &[u64]) -> usize {
        blocks.iter().take_while(|block| self.0.contains(block)).count()
    }

    fn keep(&mut self, blocks: &[u64]) {
        self.0.extend(blocks);
    }
}

/// No neighbour in the order of use.
const NONE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
struct Node {
    block: u64,
    newer: u32,
    older: u32,
}

/// A cache of so many blocks that forgets the one that was used least recently.
#[derive(Debug)]
pub(super) struct Lru {
    capacity: u32,
    places: FxHashMap<u64, u32>,
    nodes: Vec<Node>,
    newest: u32,
    oldest: u32,
}

impl Lru {
    /// An empty cache of at least one block.
    pub(super) fn new(capacity: u64) -> Self {
        let capacity = u32::try_from(capacity).unwrap_or(NONE - 1).clamp(1, NONE - 1);
        Self { capacity, places: FxHashMap::default(), nodes: Vec::new(), newest: NONE, oldest: NONE }
    }

    fn touch(&mut self, block: u64) {
        if let Some(&at) = self.places.get(&block) {
            if at != self.newest {
                self.unlink(at);
                self.link(at);
            }
            return;
        }
        let node = Node { block, newer: NONE, older: NONE };
        let at = if self.places.len() < self.capacity as usize {
            self.nodes.push(node);
            // Fits, because the capacity does.
            (self.nodes.len() - 1) as u32
        } else {
            let at = self.oldest;
            self.unlink(at);
            self.places.remove(&self.nodes[at as usize].block);
            self.nodes[at as usize] = node;
            at
        };
        self.places.insert(block, at);
        self.link(at);
    }

    fn unlink(&mut self, at: u32) {
        let Node { newer, older, .. } = self.nodes[at as usize];
        match newer {
            NONE => self.newest = older,
            _ => self.nodes[newer as usize].older = older,
        }
        match older {
            NONE => self.oldest = newer,
            _ => self.nodes[older as usize].newer = newer,
        }
    }

    fn link(&mut self, at: u32) {
        let before = self.newest;
        self.nodes[at as usize].newer = NONE;
        self.nodes[at as usize].older = before;
        match before {
            NONE => self.oldest = at,
            _ => self.nodes[before as usize].newer = at,
        }
        self.newest = at;
    }
}

impl Cache for Lru {
    fn hits(&self, blocks: &[u64]) -> usize {
        blocks.iter().take_while(|block| self.places.contains_key(block)).count()
    }

    /// The last block first, so that of a prompt the end is forgotten before the beginning: blocks without those
    /// before them are of no use.
    fn keep(&mut self, blocks: &[u64]) {
        let fitting = blocks.len().min(self.capacity as usize);
        blocks[..fitting].iter().rev().for_each(|&block| self.touch(block));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_block_used_least_recently_is_forgotten() {
        let mut cache = Lru::new(3);
        cache.keep(&[1, 2, 3]);
        cache.keep(&[1]);
        cache.keep(&[4]);
        assert_eq!([1, 2, 3, 4].map(|block| cache.hits(&[block])), [1, 1, 0, 1]);
    }

    #[test]
    fn of_a_prompt_that_does_not_fit_the_beginning_is_kept() {
        let mut cache = Lru::new(2);
        cache.keep(&[1, 2, 3]);
        assert_eq!(cache.hits(&[1, 2, 3]), 2);
    }

    proptest! {
        #[test]
        fn it_does_what_a_plain_list_does(
            capacity in 1usize..6,
            prompts in prop::collection::vec(prop::collection::vec(0u64..9, 0..8), 0..40),
        ) {
            let mut cache = Lru::new(capacity as u64);
            let mut list: Vec<u64> = Vec::new();
            for prompt in prompts {
                prop_assert_eq!(cache.hits(&prompt), prompt.iter().take_while(|block| list.contains(block)).count());
                cache.keep(&prompt);
                for block in prompt.iter().take(capacity).rev() {
                    list.retain(|kept| kept != block);
                    list.push(*block);
                    if list.len() > capacity {
                        list.remove(0);
                    }
                }
            }
        }
    }
}
