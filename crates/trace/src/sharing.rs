//! Which blocks a trace has more than once.

use rustc_hash::FxHashMap;

/// The blocks of a whole trace: how many distinct ones there are, and which are seen at least twice. 16 bytes a
/// distinct block; the first pass over a trace fills it.
#[derive(Clone, Debug, Default)]
pub struct SharedIds {
    /// The number of each block in order of first sight, doubled; plus 1 if it was seen again.
    ids: FxHashMap<u64, u64>,
}

impl SharedIds {
    /// Takes the blocks of a row in.
    pub fn add(&mut self, hash_ids: &[u64]) {
        for &id in hash_ids {
            let next = self.ids.len() as u64 * 2;
            self.ids.entry(id).and_modify(|number| *number |= 1).or_insert(next);
        }
    }

    /// Distinct blocks.
    #[must_use]
    pub fn distinct(&self) -> u64 {
        self.ids.len() as u64
    }

    /// How many blocks at the start of a row are seen at least twice in the trace.
    #[must_use]
    pub fn prefix(&self, hash_ids: &[u64]) -> usize {
        hash_ids.iter().take_while(|id| self.ids.get(id).is_some_and(|number| number & 1 == 1)).count()
    }

    /// The block's number in order of first sight, from 0.
    pub(crate) fn number(&self, id: u64) -> Option<u64> {
        self.ids.get(&id).map(|number| number >> 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prefix_ends_at_the_first_block_seen_once() {
        let mut ids = SharedIds::default();
        ids.add(&[7, 8, 9]);
        ids.add(&[7, 8, 5]);
        ids.add(&[9, 1]);
        assert_eq!(ids.distinct(), 5);
        assert_eq!(
            [ids.prefix(&[7, 8, 9]), ids.prefix(&[7, 8, 5, 9]), ids.prefix(&[1, 7]), ids.prefix(&[])],
            [3, 2, 0, 0]
        );
        assert_eq!([ids.number(7), ids.number(9), ids.number(1), ids.number(2)], [Some(0), Some(2), Some(4), None]);
    }

    #[test]
    fn a_block_twice_in_one_row_counts_as_shared() {
        let mut ids = SharedIds::default();
        ids.add(&[3, 3]);
        assert_eq!(ids.prefix(&[3]), 1);
    }
}
