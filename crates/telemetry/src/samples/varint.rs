//! Whole numbers in as few bytes as they need.

/// Appends a number, seven bits to a byte, the lowest first.
pub(super) fn write(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    bytes.push((number & 0x7f) as u8);
}

/// Takes a number from the front; 0 at the end.
pub(super) fn read(bytes: &mut &[u8]) -> u64 {
    let mut number = 0u64;
    let mut shift = 0;
    while let Some((&byte, rest)) = bytes.split_first() {
        *bytes = rest;
        if shift < 64 {
            number |= u64::from(byte & 0x7f) << shift;
        }
        shift += 7;
        if byte & 0x80 == 0 {
            break;
        }
    }
    number
}

/// Small numbers of either sign as small numbers without one.
pub(super) fn zigzag(number: i64) -> u64 {
    ((number << 1) ^ (number >> 63)).cast_unsigned()
}

/// The way back.
pub(super) fn unzigzag(number: u64) -> i64 {
    (number >> 1).cast_signed() ^ -((number & 1).cast_signed())
}
