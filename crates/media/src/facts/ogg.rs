//! The duration of Ogg files with Vorbis or Opus: the position of the last page over the sample rate.

use super::{Facts, little_endian};

/// The duration of an Ogg file; unknown if it holds something else.
pub(super) fn ogg_duration(bytes: &[u8]) -> Facts {
    let Some(content) = bytes.get(26).and_then(|&segments| bytes.get(27 + usize::from(segments)..)) else {
        return Facts::default();
    };
    let (rate, skipped) = if content.starts_with(b"\x01vorbis") {
        (little_endian(content, 12, 4).unwrap_or(0), 0)
    } else if content.starts_with(b"OpusHead") {
        // Positions count samples at 48 kHz whatever the rate of the sound, with those that decoders throw away.
        (48_000, little_endian(content, 10, 2).unwrap_or(0))
    } else {
        (0, 0)
    };
    let last = bytes.windows(4).rposition(|window| window == b"OggS");
    let position = last.and_then(|at| Some(u64::from_le_bytes(bytes.get(at + 6..at + 14)?.try_into().ok()?)));
    match position.and_then(|position| position.checked_sub(u64::from(skipped))) {
        // All bits set says that no packet ends on the page.
        Some(samples) if rate > 0 && position != Some(u64::MAX) => Facts::of_duration(samples as f64 / f64::from(rate)),
        _ => Facts::default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A page of one segment at a position.
    fn page(position: u64, content: &[u8]) -> Vec<u8> {
        let mut page = b"OggS\0\0".to_vec();
        page.extend(position.to_le_bytes());
        page.extend([0; 12]);
        page.extend([1, content.len() as u8]);
        page.extend(content);
        page
    }

    #[test]
    fn the_last_page_tells_the_duration() {
        let vorbis = page(0, b"\x01vorbis\0\0\0\0\x02\x44\xac\0\0............");
        let file = [vorbis.clone(), page(1_000, b"..."), page(66_150, b"...")].concat();
        assert_eq!(ogg_duration(&file), Facts::of_duration(1.5));
        let opus = [page(0, b"OpusHead\x01\x02\x38\x01\x44\xac\0\0\0\0\0"), page(96_312, b"...")].concat();
        assert_eq!(ogg_duration(&opus), Facts::of_duration(2.0));
    }

    #[test]
    fn what_is_not_there_is_not_known() {
        let vorbis = page(0, b"\x01vorbis\0\0\0\0\x02\x44\xac\0\0............");
        let files = [
            page(48_000, b"\x80theora......"),
            [vorbis, page(u64::MAX, b"...")].concat(),
            page(100, b"OpusHead\x01\x02\x38\x01"),
            b"OggS\0\0".to_vec(),
        ];
        assert!(files.iter().all(|file| ogg_duration(file) == Facts::default()));
    }
}
