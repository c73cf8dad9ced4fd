//! The prefix cache: which blocks of a prompt have been seen before.
//!
//! A block is 16 token ids; where tokens are only counted, 64 bytes of text stand for them. Its hash covers all before it, so a hit is a common
//! prefix. Blocks leave by least recent use, the later ones of a prompt first.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hasher};

/// Tokens of a block.
pub(crate) const BLOCK_TOKENS: u64 = 16;
const BLOCK_BYTES: usize = 64;

/// Cuts a prompt into blocks and hashes them.
#[derive(Debug, Default)]
pub(crate) struct BlockHasher {
    partial: Vec<u8>,
    chain: u64,
    blocks: Vec<u64>,
}

impl BlockHasher {
    pub(crate) fn update(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let take = bytes.len().min(BLOCK_BYTES - self.partial.len());
            self.partial.extend_from_slice(&bytes[..take]);
            bytes = &bytes[take..];
            if self.partial.len() == BLOCK_BYTES {
                let mut hasher = DefaultHasher::new();
                hasher.write_u64(self.chain);
                hasher.write(&self.partial);
                self.chain = hasher.finish();
                self.blocks.push(self.chain);
                self.partial.clear();
            }
        }
    }

    pub(crate) fn update_ids(&mut self, ids: &[u32]) {
        for id in ids {
            self.update(&id.to_le_bytes());
        }
    }

    /// The whole blocks; a rest is not cached.
    pub(crate) fn finish(self) -> Vec<u64> {
        self.blocks
    }
}

const NONE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
struct Node {
    hash: u64,
    newer: u32,
    older: u32,
}

/// Blocks in the order of their use.
#[derive(Debug)]
pub(crate) struct PrefixCache {
    capacity: usize,
    index: HashMap<u64, u32>,
    nodes: Vec<Node>,
    newest: u32,
    oldest: u32,
}

impl PrefixCache {
    pub(crate) fn new(capacity_tokens: u64) -> Self {
        let capacity = usize::try_from(capacity_tokens / BLOCK_TOKENS).unwrap_or(usize::MAX).min(NONE as usize);
        Self { capacity, index: HashMap::new(), nodes: Vec::new(), newest: NONE, oldest: NONE }
    }

    /// How many of the first blocks are there. All blocks are there afterwards, if they fit.
    pub(crate) fn look_up(&mut self, blocks: &[u64]) -> u64 {
        let hits = blocks.iter().take_while(|hash| self.index.contains_key(hash)).count();
        // From the back, so that the first block is the most recent one and stays the longest.
        for hash in blocks[..blocks.len().min(self.capacity)].iter().rev() {
            self.touch(*hash);
        }
        hits as u64
    }

    pub(crate) fn clear(&mut self) {
        self.index.clear();
        self.nodes.clear();
        (self.newest, self.oldest) = (NONE, NONE);
    }

    fn touch(&mut self, hash: u64) {
        let at = if let Some(&at) = self.index.get(&hash) {
            if self.newest == at {
                return;
            }
            self.unlink(at);
            at
        } else if self.nodes.len() < self.capacity {
            self.nodes.push(Node { hash, newer: NONE, older: NONE });
            (self.nodes.len() - 1) as u32
        } else {
            let at = self.oldest;
            self.unlink(at);
            self.index.remove(&self.nodes[at as usize].hash);
            at
        };
        self.index.insert(hash, at);
        self.nodes[at as usize] = Node { hash, newer: NONE, older: self.newest };
        match self.newest {
            NONE => self.oldest = at,
            newest => self.nodes[newest as usize].newer = at,
        }
        self.newest = at;
    }

    fn unlink(&mut self, at: u32) {
        let Node { newer, older, .. } = self.nodes[at as usize];
        match newer {
            NONE => self.newest = older,
            newer => self.nodes[newer as usize].older = older,
        }
        match older {
            NONE => self.oldest = newer,
            older => self.nodes[older as usize].newer = newer,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocks(text: &str) -> Vec<u64> {
        let mut hasher = BlockHasher::default();
        hasher.update(text.as_bytes());
        hasher.finish()
    }

    #[test]
    fn only_whole_blocks_with_the_same_past_are_equal() {
        let (a, b) = ("a".repeat(64), "b".repeat(64));
        assert_eq!(blocks(&a[..63]).len(), 0);
        assert_eq!(blocks(&format!("{a}{b}xyz")).len(), 2);
        assert_eq!(blocks(&format!("{a}{b}"))[0], blocks(&a)[0]);
        assert_ne!(blocks(&format!("{a}{b}"))[1], blocks(&format!("{b}{b}"))[1]);
        // How the text comes in pieces does not matter.
        let mut pieces = BlockHasher::default();
        for piece in format!("{a}{b}").as_bytes().chunks(7) {
            pieces.update(piece);
        }
        assert_eq!(pieces.finish(), blocks(&format!("{a}{b}")));
    }

    #[test]
    fn hits_are_the_common_prefix() {
        let mut cache = PrefixCache::new(10 * BLOCK_TOKENS);
        assert_eq!(cache.look_up(&[1, 2, 3]), 0);
        assert_eq!(cache.look_up(&[1, 2, 3]), 3);
        assert_eq!(cache.look_up(&[1, 2, 9, 3]), 2);
        assert_eq!(cache.look_up(&[7, 2]), 0);
        cache.clear();
        assert_eq!(cache.look_up(&[1]), 0);
    }

    #[test]
    fn the_least_recent_prompt_leaves_from_its_end() {
        let mut cache = PrefixCache::new(4 * BLOCK_TOKENS);
        cache.look_up(&[1, 2]);
        cache.look_up(&[11, 12]);
        cache.look_up(&[1, 2]);
        // Two blocks too many: 12 leaves, then 11.
        assert_eq!(cache.look_up(&[21]), 0);
        assert_eq!(cache.look_up(&[11, 12]), 1);
        assert_eq!(cache.index.len(), 4);
    }

    #[test]
    fn a_cache_without_room_keeps_nothing() {
        let mut cache = PrefixCache::new(0);
        assert_eq!(cache.look_up(&[1, 2]), 0);
        assert_eq!(cache.look_up(&[1, 2]), 0);
        assert_eq!(cache.look_up(&[]), 0);
    }
}
