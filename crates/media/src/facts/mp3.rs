//! The duration of MP3 files: the samples of their frames, less those that the encoder says it has added.

use super::Facts;

/// Bit rates in kbit/s by index, for MPEG-1 and for MPEG-2 and 2.5.
const BIT_RATES: [[u32; 15]; 2] = [
    [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
    [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
];

/// Sample rates in Hz of MPEG-1 by index; MPEG-2 has half of them, MPEG-2.5 a quarter.
const SAMPLE_RATES: [u32; 3] = [44_100, 48_000, 32_000];

/// A frame, by its header.
struct Frame {
    rate: u32,
    samples: u32,
    /// Bytes, with the header.
    length: usize,
    /// Where the content begins after the header and the side information.
    content: usize,
}

impl Frame {
    /// The frame that some bytes start with, if they do.
    fn read(bytes: &[u8]) -> Option<Self> {
        let [0xff, second, third, fourth, ..] = *bytes else { return None };
        let version = (second >> 3) & 3;
        if second >> 5 != 7 || version == 1 || (second >> 1) & 3 != 1 {
            return None;
        }
        let first_version = version == 3;
        let kbps = *BIT_RATES[usize::from(!first_version)].get(usize::from(third >> 4)).filter(|&&kbps| kbps > 0)?;
        let divisor = [4, 1, 2, 1][usize::from(version)];
        let rate = SAMPLE_RATES.get(usize::from((third >> 2) & 3))? / divisor;
        let samples = if first_version { 1_152 } else { 576 };
        let length = samples / 8 * kbps * 1_000 / rate + u32::from((third >> 1) & 1);
        let mono = fourth >> 6 == 3;
        let side_information = match (first_version, mono) {
            (true, false) => 32,
            (false, true) => 9,
            _ => 17,
        };
        Some(Self { rate, samples, length: length as usize, content: 4 + side_information })
    }
}

/// The duration of an MP3 file; unknown if it does not begin with a frame.
pub(super) fn mp3_duration(bytes: &[u8]) -> Facts {
    let mut rest = after_tag(bytes);
    let Some(first) = Frame::read(rest) else { return Facts::default() };
    let mut added = 0;
    if let Some(samples) = information(rest, &first) {
        // This frame holds no sound.
        added = samples;
        rest = rest.get(first.length..).unwrap_or_default();
    }
    let mut samples = 0u64;
    while let Some(frame) = Frame::read(rest) {
        samples += u64::from(frame.samples);
        rest = rest.get(frame.length..).unwrap_or_default();
    }
    Facts::of_duration(samples.saturating_sub(added) as f64 / f64::from(first.rate))
}

/// What follows an ID3v2 tag, whose length has 7 bits a byte.
fn after_tag(bytes: &[u8]) -> &[u8] {
    let [b'I', b'D', b'3', _, _, _, a, b, c, d, ..] = *bytes else { return bytes };
    let length = [a, b, c, d].iter().fold(0, |length, &byte| length << 7 | usize::from(byte & 0x7f));
    bytes.get(10 + length..).unwrap_or_default()
}

/// The number of added samples, if a frame is one of information about the others (`Xing` or `Info`).
fn information(bytes: &[u8], frame: &Frame) -> Option<u64> {
    let content = bytes.get(frame.content..frame.length)?;
    if !content.starts_with(b"Xing") && !content.starts_with(b"Info") {
        return None;
    }
    // Frames, bytes, table and quality, as far as the flags say that they are there.
    let flags = *content.get(7)?;
    let fields: usize =
        [(1, 4), (2, 4), (4, 100), (8, 4)].iter().filter(|(flag, _)| flags & flag != 0).map(|f| f.1).sum();
    // Then the encoder's name in 9 bytes and others; two numbers of 12 bits are the samples before and after.
    let encoder = content.get(8 + fields..).filter(|text| text.first().is_some_and(u8::is_ascii_alphabetic));
    let added = encoder.and_then(|encoder| encoder.get(21..24));
    Some(added.map_or(0, |added| {
        let [first, second, third] = [added[0], added[1], added[2]].map(u64::from);
        (first << 4 | second >> 4) + ((second & 15) << 8 | third)
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A frame of MPEG-1 at 128 kbit/s and 44.1 kHz: 417 bytes.
    fn frame() -> Vec<u8> {
        let mut frame = vec![0xff, 0xfb, 0x90, 0x00];
        frame.resize(417, 0);
        frame
    }

    #[test]
    fn the_frames_are_counted() {
        let ten = frame().repeat(10);
        assert_eq!(mp3_duration(&ten), Facts::of_duration(11_520.0 / 44_100.0));
        let tagged = [b"ID3\x04\0\0\0\0\x01\x02".as_slice(), &[0; 130], &ten, b"TAG"].concat();
        assert_eq!(mp3_duration(&tagged), Facts::of_duration(11_520.0 / 44_100.0));
        // MPEG-2 at 64 kbit/s and 16 kHz with padding: 289 bytes of 576 samples.
        let mut second = vec![0xff, 0xf3, 0x8a, 0xc0];
        second.resize(289, 0);
        assert_eq!(mp3_duration(&second.repeat(5)), Facts::of_duration(2_880.0 / 16_000.0));
        for none in [b"".as_slice(), b"ID3", b"ID3\x04\0\0\0\0\x01\x02", b"RIFF"] {
            assert_eq!(mp3_duration(none), Facts::default());
        }
    }

    #[test]
    fn added_samples_do_not_count() {
        let mut first = frame();
        first[36..40].copy_from_slice(b"Info");
        let plain = [first.clone(), frame(), frame()].concat();
        assert_eq!(mp3_duration(&plain), Facts::of_duration(2_304.0 / 44_100.0));
        first[43] = 3;
        first[52..61].copy_from_slice(b"LAME3.100");
        first[73..76].copy_from_slice(&[0x24, 0x04, 0x80]);
        let exact = [first, frame(), frame()].concat();
        assert_eq!(mp3_duration(&exact), Facts::of_duration((2_304.0 - 576.0 - 1_152.0) / 44_100.0));
    }

    #[test]
    fn information_may_fill_its_frame() {
        // MPEG-2 at 8 kbit/s and 24 kHz with padding: 25 bytes, of which 12 are left for the information.
        let mut first = vec![0xff, 0xf3, 0x16, 0xc0];
        first.resize(25, 0);
        first[13..17].copy_from_slice(b"Xing");
        first[20] = 1;
        assert_eq!(mp3_duration(&first), Facts::of_duration(0.0));
    }
}
