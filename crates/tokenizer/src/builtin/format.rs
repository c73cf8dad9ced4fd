//! Layout of the compiled-in vocabulary. The build script writes it and the tokenizer reads it, so both compile this file.

/// Bits of an index entry that hold `rank + 1`; 0 marks an empty slot. The bits above hold part of the hash.
pub(crate) const RANK_BITS: u32 = 18;

/// Bits of the index's slot number.
pub(crate) const SLOT_BITS: u32 = 19;

/// Hash of a token's bytes.
#[inline]
pub(crate) fn hash(bytes: &[u8]) -> u64 {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut state = (bytes.len() as u64).wrapping_mul(FACTOR);
    let (words, rest) = bytes.as_chunks::<8>();
    for word in words {
        state = mix(state ^ u64::from_le_bytes(*word), FACTOR);
    }
    if !rest.is_empty() {
        let tail = rest.iter().rev().fold(0u64, |tail, &byte| tail << 8 | u64::from(byte));
        state = mix(state ^ tail, FACTOR);
    }
    state
}

#[inline]
fn mix(state: u64, factor: u64) -> u64 {
    let product = state.wrapping_mul(factor);
    product ^ product >> 29
}

/// The slot where the search for a hash begins.
#[inline]
pub(crate) fn first_slot(hash: u64) -> usize {
    hash as usize & ((1 << SLOT_BITS) - 1)
}

/// The part of the hash that an entry holds.
#[inline]
pub(crate) fn fingerprint(hash: u64) -> u32 {
    (hash >> (64 - (32 - RANK_BITS))) as u32
}

/// Character classes of the splitting pattern, one bit each.
pub(crate) mod class {
    /// Uppercase and titlecase letters.
    pub(crate) const UPPER: u8 = 1;
    /// Lowercase letters.
    pub(crate) const LOWER: u8 = 2;
    /// Letters without case: modifier letters and others.
    pub(crate) const CASELESS: u8 = 4;
    /// Combining marks.
    pub(crate) const MARK: u8 = 8;
    /// Numbers of any kind.
    pub(crate) const NUMBER: u8 = 16;
    /// Carriage return and line feed.
    pub(crate) const NEWLINE: u8 = 32;
    /// Any other white space.
    pub(crate) const SPACE: u8 = 64;
    /// The rest.
    pub(crate) const OTHER: u8 = 128;
}

/// Characters in a block of the class table.
pub(crate) const BLOCK: usize = 128;
