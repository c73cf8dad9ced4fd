//! Media in rows: bytes as data URIs, and how long clips are.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

/// Bytes as a data URI whose type is told by their beginning.
pub(super) fn data_uri(bytes: &[u8]) -> String {
    format!("data:{};base64,{}", kind(bytes), STANDARD.encode(bytes))
}

fn kind(bytes: &[u8]) -> &'static str {
    match bytes {
        [0x89, b'P', b'N', b'G', ..] => "image/png",
        [0xff, 0xd8, 0xff, ..] => "image/jpeg",
        [b'G', b'I', b'F', b'8', ..] => "image/gif",
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => "image/webp",
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'A', b'V', b'E', ..] => "audio/wav",
        [b'I', b'D', b'3', ..] | [0xff, 0xe2..=0xe7 | 0xf2..=0xf7 | 0xfa | 0xfb, ..] => "audio/mpeg",
        [b'f', b'L', b'a', b'C', ..] => "audio/flac",
        [b'O', b'g', b'g', b'S', ..] => "audio/ogg",
        [_, _, _, _, b'f', b't', b'y', b'p', ..] => "video/mp4",
        [0x1a, 0x45, 0xdf, 0xa3, ..] => "video/webm",
        _ => "application/octet-stream",
    }
}

/// Seconds of a clip in a data URI, for formats that say it at their beginning (WAV and FLAC).
pub(super) fn seconds(uri: &str) -> Option<f64> {
    let data = uri.split_once(";base64,")?.1;
    // Enough for the heads, and a multiple of four.
    let head = STANDARD.decode(data.get(..data.len().min(4096) / 4 * 4)?).ok()?;
    let total = (data.len() / 4 * 3) as u64;
    if head.starts_with(b"fLaC") { flac_seconds(&head) } else { wav_seconds(&head, total) }
}

/// From the stream's information, which is the first block: rate (20 bits) and samples (36 bits) from byte 18 on.
fn flac_seconds(head: &[u8]) -> Option<f64> {
    let bytes: [u8; 8] = head.get(18..26)?.try_into().ok()?;
    let bits = u64::from_be_bytes(bytes);
    let (rate, samples) = (bits >> 44, bits & 0xf_ffff_ffff);
    (rate > 0 && samples > 0).then(|| samples as f64 / rate as f64)
}

fn wav_seconds(head: &[u8], total: u64) -> Option<f64> {
    let word = |at: usize| Some(u32::from_le_bytes(head.get(at..at + 4)?.try_into().ok()?));
    if head.get(..4)? != b"RIFF" || head.get(8..12)? != b"WAVE" {
        return None;
    }
    let (mut at, mut rate) = (12, None);
    loop {
        let (name, length) = (head.get(at..at + 4)?, word(at + 4)?);
        match name {
            b"fmt " => rate = word(at + 16).filter(|&rate| rate > 0),
            b"data" => {
                // A stream whose end was not known says too much.
                let length = u64::from(length).min(total.saturating_sub(at as u64 + 8));
                return Some(length as f64 / f64::from(rate?));
            }
            _ => {}
        }
        at = at.checked_add(8)?.checked_add(length as usize)?.checked_add((length % 2) as usize)?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wav(rate: u32, seconds: u32) -> Vec<u8> {
        let length = rate * 2 * seconds;
        let mut bytes = b"RIFF\0\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0".to_vec();
        bytes.extend(rate.to_le_bytes());
        bytes.extend((rate * 2).to_le_bytes());
        bytes.extend(b"\x02\0\x10\0data");
        bytes.extend(length.to_le_bytes());
        bytes.resize(bytes.len() + length as usize, 0);
        bytes
    }

    #[test]
    fn clips_say_how_long_they_are() {
        let uri = data_uri(&wav(8000, 3));
        assert!(uri.starts_with("data:audio/wav;base64,"));
        assert_eq!(seconds(&uri), Some(3.0));
        let mut flac = b"fLaC\0\0\0\x22\x10\0\x10\0\0\0\0\0\0\0".to_vec();
        flac.extend(((16_000u64 << 44) | 40_000).to_be_bytes());
        flac.resize(60, 0);
        assert_eq!(seconds(&data_uri(&flac)), Some(2.5));
        assert_eq!(seconds("data:audio/mpeg;base64,SUQz"), None);
        assert_eq!(seconds("clip.wav"), None);
    }

    #[test]
    fn kinds_are_told_by_the_first_bytes() {
        for (bytes, kind) in [
            (&b"\x89PNG\r\n"[..], "image/png"),
            (b"\xff\xd8\xff\xe0", "image/jpeg"),
            (b"RIFF\0\0\0\0WEBPVP8 ", "image/webp"),
            (b"\xff\xfb\x90\x64", "audio/mpeg"),
            (b"\0\0\0\x20ftypisom", "video/mp4"),
            (b"hello", "application/octet-stream"),
            (b"", "application/octet-stream"),
        ] {
            assert_eq!(
                data_uri(bytes).split_once(";base64,").map(|(head, _)| head.to_owned()),
                Some(format!("data:{kind}"))
            );
        }
    }
}
