//! The duration of FLAC files.

use super::Facts;

/// The duration of a FLAC file, from its first block: 20 bits of rate at bit 144, 36 bits of samples at bit 172.
pub(super) fn flac_duration(bytes: &[u8]) -> Facts {
    let field = bytes.get(18..26).and_then(|field| Some(u64::from_be_bytes(field.try_into().ok()?)));
    let Some(field) = field else { return Facts::default() };
    let (rate, samples) = (field >> 44, field & 0xf_ffff_ffff);
    // A stream of unknown length says 0.
    if rate == 0 || samples == 0 { Facts::default() } else { Facts::of_duration(samples as f64 / rate as f64) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_duration_of_a_flac_is_in_its_first_block() {
        let mut flac = b"fLaC\0\0\0\x22".to_vec();
        flac.extend([0; 10]);
        flac.extend((44_100u64 << 44 | 1 << 41 | 15 << 36 | 88_200).to_be_bytes());
        assert_eq!(flac_duration(&flac), Facts::of_duration(2.0));
        assert_eq!(flac_duration(&flac[..20]), Facts::default());
    }
}
