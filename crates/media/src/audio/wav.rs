//! The WAV format: RIFF with a `fmt ` chunk of 16 bytes for integer samples, and one `data` chunk.

/// The bytes of a WAV file of samples in `[-1, 1]`, those of the channels taking turns. Samples of 8 bits are
/// unsigned with 128 for silence, all others signed and little-endian.
pub(crate) fn wav(samples: &[f32], rate: u32, channels: u8, depth: u8) -> Vec<u8> {
    let width = usize::from(depth / 8);
    let frame = u32::from(channels) * u32::from(depth / 8);
    let length = samples.len() * width;
    // A chunk of odd length is followed by a byte that its length does not count.
    let padding = length % 2;
    let mut bytes = Vec::with_capacity(44 + length + padding);
    bytes.extend(b"RIFF");
    bytes.extend(((36 + length + padding) as u32).to_le_bytes());
    bytes.extend(b"WAVEfmt ");
    bytes.extend(16u32.to_le_bytes());
    bytes.extend(1u16.to_le_bytes());
    bytes.extend(u16::from(channels).to_le_bytes());
    bytes.extend(rate.to_le_bytes());
    bytes.extend((rate * frame).to_le_bytes());
    bytes.extend((frame as u16).to_le_bytes());
    bytes.extend(u16::from(depth).to_le_bytes());
    bytes.extend(b"data");
    bytes.extend((length as u32).to_le_bytes());
    let full_scale = f64::from(u32::MAX >> (33 - u32::from(depth)));
    for &sample in samples {
        let value = (f64::from(sample) * full_scale).round() as i32;
        match depth {
            8 => bytes.push((value + 128) as u8),
            _ => bytes.extend(&value.to_le_bytes()[..width]),
        }
    }
    bytes.resize(44 + length + padding, 0);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bytes_are_those_of_the_format() {
        let expected = [
            b"RIFF".as_slice(),
            &[40, 0, 0, 0],
            b"WAVEfmt ",
            &[16, 0, 0, 0, 1, 0, 1, 0],
            &[0x40, 0x1f, 0, 0, 0x40, 0x1f, 0, 0, 1, 0, 8, 0],
            b"data",
            &[3, 0, 0, 0, 1, 128, 255, 0],
        ];
        assert_eq!(wav(&[-1.0, 0.0, 1.0], 8_000, 1, 8), expected.concat());
        let stereo = wav(&[-1.0, 1.0], 44_100, 2, 24);
        assert_eq!(stereo[22..36], [2, 0, 0x44, 0xac, 0, 0, 0x98, 0x09, 0x04, 0, 6, 0, 24, 0]);
        assert_eq!(stereo[40..], [6, 0, 0, 0, 0x01, 0, 0x80, 0xff, 0xff, 0x7f]);
        assert_eq!(wav(&[-1.0, 1.0], 8_000, 1, 16)[44..], [0x01, 0x80, 0xff, 0x7f]);
        assert_eq!(wav(&[-1.0, 1.0], 8_000, 1, 32)[44..], [0x01, 0, 0, 0x80, 0xff, 0xff, 0xff, 0x7f]);
    }
}
