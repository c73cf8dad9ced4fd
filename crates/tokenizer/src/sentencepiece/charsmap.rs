//! The precompiled rules of normalization: a double-array trie (Darts-clone's format) from strings to places in a list of
//! zero-terminated replacements.

/// The rules.
pub(super) struct Charsmap {
    units: Vec<u32>,
    replacements: Vec<u8>,
}

impl Charsmap {
    /// The rules of a `precompiled_charsmap`; none if it is empty.
    ///
    /// # Errors
    /// The sizes within it are wrong.
    pub(super) fn parse(blob: &[u8]) -> Result<Option<Self>, String> {
        if blob.is_empty() {
            return Ok(None);
        }
        let wrong = || "its normalization rules are cut off".to_owned();
        let (size, rest) = blob.split_first_chunk::<4>().ok_or_else(wrong)?;
        let (trie, replacements) = rest.split_at_checked(u32::from_le_bytes(*size) as usize).ok_or_else(wrong)?;
        let (units, _) = trie.as_chunks::<4>();
        let units = units.iter().map(|unit| u32::from_le_bytes(*unit)).collect();
        Ok(Some(Self { units, replacements: replacements.to_vec() }))
    }

    /// The longest beginning of `text` that a rule replaces: its length and what it becomes.
    pub(super) fn longest_match(&self, text: &[u8]) -> Option<(usize, &[u8])> {
        let offset = |unit: u32| ((unit >> 10) << ((unit & (1 << 9)) >> 6)) as usize;
        let mut node = offset(*self.units.first()?);
        let mut longest = None;
        for (at, &byte) in text.iter().enumerate() {
            node ^= usize::from(byte);
            let Some(&unit) = self.units.get(node) else { break };
            if unit & (1 << 31 | 0xff) != u32::from(byte) {
                break;
            }
            node ^= offset(unit);
            if unit >> 8 & 1 == 1 {
                let value = self.units.get(node)? & !(1 << 31);
                longest = Some((at + 1, value as usize));
            }
        }
        let (length, start) = longest?;
        let replacement = self.replacements.get(start..)?;
        let end = replacement.iter().position(|&byte| byte == 0).unwrap_or(replacement.len());
        Some((length, &replacement[..end]))
    }
}
