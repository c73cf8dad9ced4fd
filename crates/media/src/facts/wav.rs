//! The duration of WAV files.

use super::{Facts, little_endian};

/// The duration of a WAV file: bytes of its data over bytes a second.
pub(super) fn wav_duration(bytes: &[u8]) -> Result<Facts, String> {
    let mut rest = bytes.get(12..).unwrap_or_default();
    let mut bytes_per_second = None;
    while let (Some(name), Some(length)) = (rest.get(..4), little_endian(rest, 4, 4)) {
        let content = &rest[8..];
        if name == b"fmt " {
            bytes_per_second = little_endian(content, 8, 4).filter(|&rate| rate > 0);
        } else if name == b"data" {
            let rate = bytes_per_second.ok_or("its data comes without a usable `fmt ` chunk")?;
            // Recorders that stream leave the length open (the largest number, or more than there is).
            let length = (length as usize).min(content.len());
            return Ok(Facts::of_duration(length as f64 / f64::from(rate)));
        }
        // Chunks start at even places.
        let next = (length as usize).saturating_add(length as usize % 2);
        rest = content.get(next..).unwrap_or_default();
    }
    Err("it has no `data` chunk".into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_duration_of_a_wav_is_that_of_its_data() {
        let mut wav = b"RIFF\0\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x40\x1f\0\0\x80\x3e\0\0\x02\0\x10\0".to_vec();
        // A chunk of odd length is padded.
        wav.extend(b"LIST\x03\0\0\0abc\0data\x80\x3e\0\0");
        wav.extend(vec![0; 16_000]);
        assert_eq!(wav_duration(&wav), Ok(Facts::of_duration(1.0)));
        let data = wav.len() - 16_004;
        wav[data..data + 4].copy_from_slice(&[0xff; 4]);
        assert_eq!(wav_duration(&wav), Ok(Facts::of_duration(1.0)));
        assert!(wav_duration(&wav[..data - 4]).unwrap_err().contains("no `data`"));
        assert!(wav_duration(b"RIFF\0\0\0\0WAVEdata\0\0\0\0").unwrap_err().contains("fmt"));
    }
}
