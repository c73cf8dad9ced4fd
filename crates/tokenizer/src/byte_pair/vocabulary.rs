//! Byte strings and their numbers, in two flat tables: nothing is allocated for the single token.

use crate::builtin::format::hash;

/// Tokens by bytes and by number.
#[derive(Default)]
pub(crate) struct Vocabulary {
    bytes: Vec<u8>,
    /// Where the token of each number begins and ends in `bytes`; a gap in the numbers is empty.
    spans: Vec<(u32, u32)>,
    /// Hash table of numbers + 1; 0 marks an empty slot.
    index: Vec<u32>,
    count: usize,
    longest: usize,
}

/// A vocabulary cannot have numbers beyond this one: real ones have a few hundred thousand.
const LARGEST_ID: u32 = 1 << 24;

impl Vocabulary {
    /// Empty tokens are gaps. Where two numbers have the same bytes, the first stands for them.
    ///
    /// # Errors
    /// A number is too large, or used twice.
    pub(crate) fn new<B: AsRef<[u8]>>(tokens: impl IntoIterator<Item = (B, u32)>) -> Result<Self, String> {
        let mut vocabulary = Self::default();
        for (token, id) in tokens {
            let token = token.as_ref();
            if id > LARGEST_ID {
                return Err(format!("the token number {id} is too large"));
            }
            let at = id as usize;
            if at >= vocabulary.spans.len() {
                vocabulary.spans.resize(at + 1, (0, 0));
            }
            let start = vocabulary.bytes.len();
            vocabulary.bytes.extend_from_slice(token);
            let span = u32::try_from(start).and_then(|start| Ok((start, u32::try_from(vocabulary.bytes.len())?)));
            let span = span.map_err(|_| "it has more than 4 GiB of tokens".to_owned())?;
            if span_is_used(vocabulary.spans[at]) {
                return Err(format!("two tokens have the number {id}"));
            }
            vocabulary.spans[at] = span;
            vocabulary.longest = vocabulary.longest.max(token.len());
            vocabulary.count += usize::from(!token.is_empty());
        }
        vocabulary.build_index();
        Ok(vocabulary)
    }

    fn build_index(&mut self) {
        let slots = (self.count * 2 + 1).next_power_of_two();
        let mut index = vec![0u32; slots];
        for id in self.ids() {
            let Some(token) = self.bytes_of(id) else { continue };
            let mut slot = hash(token) as usize & (slots - 1);
            while index[slot] != 0 {
                if self.bytes_of(index[slot] - 1) == Some(token) {
                    break;
                }
                slot = (slot + 1) & (slots - 1);
            }
            if index[slot] == 0 {
                index[slot] = id + 1;
            }
        }
        self.index = index;
    }

    /// The number of the token of exactly these bytes.
    #[inline]
    pub(crate) fn id_of(&self, token: &[u8]) -> Option<u32> {
        if token.is_empty() || token.len() > self.longest {
            return None;
        }
        let mask = self.index.len() - 1;
        let mut slot = hash(token) as usize & mask;
        loop {
            let id = self.index[slot].checked_sub(1)?;
            if self.bytes_of(id) == Some(token) {
                return Some(id);
            }
            slot = (slot + 1) & mask;
        }
    }

    /// The bytes of a token.
    #[inline]
    pub(crate) fn bytes_of(&self, id: u32) -> Option<&[u8]> {
        let &(start, end) = self.spans.get(id as usize)?;
        Some(&self.bytes[start as usize..end as usize]).filter(|bytes| !bytes.is_empty())
    }

    /// The numbers in use, rising.
    pub(crate) fn ids(&self) -> impl Iterator<Item = u32> {
        self.spans.iter().enumerate().filter(|&(_, &span)| span_is_used(span)).map(|(id, _)| id as u32)
    }

    /// How many tokens there are.
    pub(crate) fn len(&self) -> usize {
        self.count
    }

    /// The first byte that is no token: a vocabulary without it cannot encode every text.
    pub(crate) fn missing_byte(&self) -> Option<u8> {
        (0..=u8::MAX).find(|&byte| self.id_of(&[byte]).is_none())
    }
}

fn span_is_used((start, end): (u32, u32)) -> bool {
    end > start
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_found_both_ways() {
        let vocabulary = Vocabulary::new([("b", 3), ("", 1), ("ab", 0), ("b", 5)]).unwrap();
        assert_eq!(
            (vocabulary.id_of(b"b"), vocabulary.id_of(b"ab"), vocabulary.id_of(b"abc")),
            (Some(3), Some(0), None)
        );
        assert_eq!(
            (vocabulary.bytes_of(5), vocabulary.bytes_of(1), vocabulary.bytes_of(9)),
            (Some(&b"b"[..]), None, None)
        );
        assert_eq!(vocabulary.ids().collect::<Vec<_>>(), [0, 3, 5]);
        assert_eq!((vocabulary.len(), vocabulary.missing_byte()), (3, Some(0)));
    }

    #[test]
    fn numbers_that_cannot_be_are_refused() {
        assert_eq!(Vocabulary::new([("a", 0), ("b", 0)]).err().unwrap(), "two tokens have the number 0");
        assert!(Vocabulary::new([("a", u32::MAX)]).is_err());
        assert_eq!(Vocabulary::default().id_of(b""), None);
        assert_eq!(Vocabulary::new::<&str>([]).unwrap().id_of(b"a"), None);
    }
}
