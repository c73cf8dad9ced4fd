//! The tokens and their ranks, read in place from what the build script wrote.

use super::format::{RANK_BITS, SLOT_BITS, fingerprint, first_slot, hash};

static INDEX: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/o200k_index.bin"));
static ENDS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/o200k_ends.bin"));
static BYTES: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/o200k_bytes.bin"));

/// The longest token of the vocabulary has so many bytes.
const LONGEST: usize = 128;

/// The rank of the token of exactly these bytes.
#[inline]
pub(crate) fn rank_of(bytes: &[u8]) -> Option<u32> {
    if bytes.len() > LONGEST {
        return None;
    }
    let hash = hash(bytes);
    let wanted = fingerprint(hash);
    let mut slot = first_slot(hash);
    loop {
        let entry = word(INDEX, slot)?;
        if entry == 0 {
            return None;
        }
        if entry >> RANK_BITS == wanted {
            let rank = (entry & ((1 << RANK_BITS) - 1)) - 1;
            if bytes_of(rank) == Some(bytes) {
                return Some(rank);
            }
        }
        slot = (slot + 1) & ((1 << SLOT_BITS) - 1);
    }
}

/// The bytes of a token.
#[inline]
pub(super) fn bytes_of(rank: u32) -> Option<&'static [u8]> {
    let rank = usize::try_from(rank).ok()?;
    let end = word(ENDS, rank)? as usize;
    let start = if rank == 0 { 0 } else { word(ENDS, rank - 1)? as usize };
    BYTES.get(start..end)
}

#[inline]
fn word(table: &[u8], number: usize) -> Option<u32> {
    let bytes = table.get(number * 4..)?.first_chunk::<4>()?;
    Some(u32::from_le_bytes(*bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_token_is_found_by_its_bytes() {
        let mut count = 0;
        while let Some(bytes) = bytes_of(count) {
            assert!(bytes.len() <= LONGEST);
            assert_eq!(rank_of(bytes), Some(count));
            count += 1;
        }
        assert_eq!(count, 199_998);
        assert_eq!(rank_of(b"qqzzxx"), None);
    }
}
