//! What is known of a piece of media without decoding it.

mod flac;
mod mp3;
mod ogg;
mod picture;
mod wav;

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

    /// Reads the header of a file. A header that cannot be read is a fault, told as the reason, in pictures and
    /// WAV; compressed sound whose duration is not found and all clips are taken as they are.
    pub(crate) fn read(bytes: &[u8], format: Format) -> Result<Self, String> {
        match format {
            Format::Png => picture::image_size(bytes, image::ImageFormat::Png),
            Format::Jpeg => picture::image_size(bytes, image::ImageFormat::Jpeg),
            Format::WebP => picture::image_size(bytes, image::ImageFormat::WebP),
            Format::Gif => picture::gif_size(bytes),
            Format::Bmp => picture::bmp_size(bytes),
            Format::Wav => wav::wav_duration(bytes),
            Format::Flac => Ok(flac::flac_duration(bytes)),
            Format::Mp3 => Ok(mp3::mp3_duration(bytes)),
            Format::Ogg => Ok(ogg::ogg_duration(bytes)),
            Format::Mp4 | Format::Webm => Ok(Self::default()),
        }
    }
}

/// A little-endian number of 2 or 4 bytes.
fn little_endian(bytes: &[u8], at: usize, length: usize) -> Option<u32> {
    let bytes = bytes.get(at..at + length)?;
    Some(bytes.iter().rev().fold(0, |number, &byte| number << 8 | u32::from(byte)))
}
