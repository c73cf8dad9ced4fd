//! Units that are words of the pool, drawn at random.

use super::compose::Units;
use super::pool::Pool;
use super::unit::Unit;
use crate::random::Stream;

/// Some given words first, then any.
#[derive(Debug)]
pub(super) struct Words<'a> {
    pub(super) pool: &'a Pool,
    pub(super) head: std::vec::IntoIter<u32>,
}

impl<'a> Units<'a> for Words<'a> {
    fn next(&mut self, missing: u64, _: bool, stream: &mut Stream) -> Option<Unit<'a>> {
        let words = &self.pool.words;
        let index = self.head.next().unwrap_or_else(|| stream.below(words.len() as u32));
        words.get(index as usize).copied().filter(|word| word.cost <= missing)
    }
}
