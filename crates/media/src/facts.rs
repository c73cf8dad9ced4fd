//! What is known of a piece of media without decoding it.

use std::io::Cursor;

use crate::Format;

/// What is known of a piece of media; what is not known is absent.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Facts {
    /// Width in pixels.
    pub width: Option<u32>,
    /// Height in pixels.
    pub height: Option<u32>,
    /// Duration in seconds.
    pub duration_s: Option<f64>,
}

impl Facts {
    /// The facts of a picture of some pixels.
    pub(crate) fn of_size(width: u32, height: u32) -> Self {
        Self { width: Some(width), height: Some(height), duration_s: None }
    }

    /// The facts of sound of some seconds.
    pub(crate) fn of_duration(seconds: f64) -> Self {
        Self { width: None, height: None, duration_s: Some(seconds) }
    }

    /// Reads the header of a file. A header that cannot be read is a fault, told as the reason, in the formats that
    /// are read; clips and compressed sound are taken as they are.
    pub(crate) fn read(bytes: &[u8], format: Format) -> Result<Self, String> {
        match format {
            Format::Png => image_size(bytes, image::ImageFormat::Png),
            Format::Jpeg => image_size(bytes, image::ImageFormat::Jpeg),
            Format::WebP => image_size(bytes, image::ImageFormat::WebP),
            Format::Gif => Ok(Self::of_size(
                little_endian(bytes, 6, 2).ok_or("the header is cut off")?,
                little_endian(bytes, 8, 2).ok_or("the header is cut off")?,
            )),
            Format::Bmp => bmp_size(bytes),
            Format::Wav => wav_duration(bytes),
            Format::Flac => Ok(flac_duration(bytes)),
            Format::Mp3 | Format::Ogg | Format::Mp4 | Format::Webm => Ok(Self::default()),
        }
    }
}

/// The size of a picture, from its header.
fn image_size(bytes: &[u8], format: image::ImageFormat) -> Result<Facts, String> {
    image::ImageReader::with_format(Cursor::new(bytes), format)
        .into_dimensions()
        .map(|(width, height)| Facts::of_size(width, height))
        .map_err(|fault| fault.to_string())
}

/// The size of a bitmap: 16 bits a side in the oldest header, 32 in all others, where a negative height means
/// top-down rows.
fn bmp_size(bytes: &[u8]) -> Result<Facts, String> {
    let cut_off = || String::from("the header is cut off");
    if little_endian(bytes, 14, 4) == Some(12) {
        let side = |at| little_endian(bytes, at, 2).ok_or_else(cut_off);
        return Ok(Facts::of_size(side(18)?, side(20)?));
    }
    let side = |at| little_endian(bytes, at, 4).map(|side| (side as i32).unsigned_abs()).ok_or_else(cut_off);
    Ok(Facts::of_size(side(18)?, side(22)?))
}

/// The duration of a WAV file: bytes of its data over bytes a second.
fn wav_duration(bytes: &[u8]) -> Result<Facts, String> {
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

/// The duration of a FLAC file, from its first block: 20 bits of rate at bit 144, 36 bits of samples at bit 172.
fn flac_duration(bytes: &[u8]) -> Facts {
    let field = bytes.get(18..26).and_then(|field| Some(u64::from_be_bytes(field.try_into().ok()?)));
    let Some(field) = field else { return Facts::default() };
    let (rate, samples) = (field >> 44, field & 0xf_ffff_ffff);
    // A stream of unknown length says 0.
    if rate == 0 || samples == 0 { Facts::default() } else { Facts::of_duration(samples as f64 / rate as f64) }
}

/// A little-endian number of 2 or 4 bytes.
fn little_endian(bytes: &[u8], at: usize, length: usize) -> Option<u32> {
    let bytes = bytes.get(at..at + length)?;
    Some(bytes.iter().rev().fold(0, |number, &byte| number << 8 | u32::from(byte)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sizes_of_bitmaps_and_gifs_are_read() {
        assert_eq!(Facts::read(b"GIF89a\x40\x01\xc8\0...", Format::Gif), Ok(Facts::of_size(320, 200)));
        assert!(Facts::read(b"GIF89a\x40\x01\xc8", Format::Gif).is_err());
        let mut bmp = [0u8; 54];
        bmp[14] = 40;
        bmp[18..22].copy_from_slice(&640u32.to_le_bytes());
        bmp[22..26].copy_from_slice(&(-480i32).to_le_bytes());
        assert_eq!(Facts::read(&bmp, Format::Bmp), Ok(Facts::of_size(640, 480)));
        assert!(Facts::read(&bmp[..25], Format::Bmp).is_err());
        bmp[14] = 12;
        bmp[18..22].copy_from_slice(&[10, 0, 20, 0]);
        assert_eq!(Facts::read(&bmp, Format::Bmp), Ok(Facts::of_size(10, 20)));
    }

    #[test]
    fn the_duration_of_a_wav_is_that_of_its_data() {
        let mut wav = b"RIFF\0\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x40\x1f\0\0\x80\x3e\0\0\x02\0\x10\0".to_vec();
        // A chunk of odd length is padded.
        wav.extend(b"LIST\x03\0\0\0abc\0data\x80\x3e\0\0");
        wav.extend(vec![0; 16_000]);
        assert_eq!(Facts::read(&wav, Format::Wav), Ok(Facts::of_duration(1.0)));
        let data = wav.len() - 16_004;
        wav[data..data + 4].copy_from_slice(&[0xff; 4]);
        assert_eq!(Facts::read(&wav, Format::Wav), Ok(Facts::of_duration(1.0)));
        assert!(Facts::read(&wav[..data - 4], Format::Wav).unwrap_err().contains("no `data`"));
        assert!(Facts::read(b"RIFF\0\0\0\0WAVEdata\0\0\0\0", Format::Wav).unwrap_err().contains("fmt"));
    }

    #[test]
    fn the_duration_of_a_flac_is_in_its_first_block() {
        let mut flac = b"fLaC\0\0\0\x22".to_vec();
        flac.extend([0; 10]);
        flac.extend((44_100u64 << 44 | 1 << 41 | 15 << 36 | 88_200).to_be_bytes());
        assert_eq!(Facts::read(&flac, Format::Flac), Ok(Facts::of_duration(2.0)));
        assert_eq!(Facts::read(&flac[..20], Format::Flac), Ok(Facts::default()));
    }
}
