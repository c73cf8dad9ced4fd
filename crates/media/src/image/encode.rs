//! Pixels to the bytes of a file.

use image::codecs::jpeg::JpegEncoder;
use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use image::codecs::webp::WebPEncoder;
use image::{ExtendedColorType, ImageEncoder, RgbImage};

use crate::{Facts, Format, Media, MediaError};

/// The usual quality of a JPEG.
const JPEG_QUALITY: u8 = 75;

/// A file format that pictures are written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Encoding {
    /// PNG; without compression if the pixels are noise.
    Png,
    /// JPEG.
    Jpeg,
    /// Lossless WebP.
    WebP,
}

/// Writes a picture. PNG takes the fast compressor of its own rather than zlib, whose implementation (and so whose
/// bytes) depends on what else is compiled into the program.
pub(super) fn encode(pixels: &RgbImage, encoding: Encoding, noise: bool) -> Result<Media, MediaError> {
    let (width, height) = pixels.dimensions();
    let mut bytes = Vec::new();
    let (format, result) = match encoding {
        Encoding::Png => {
            let (compression, filter) = if noise {
                (CompressionType::Uncompressed, FilterType::NoFilter)
            } else {
                (CompressionType::Fast, FilterType::Adaptive)
            };
            let encoder = PngEncoder::new_with_quality(&mut bytes, compression, filter);
            (Format::Png, encoder.write_image(pixels, width, height, ExtendedColorType::Rgb8))
        }
        Encoding::Jpeg => {
            let encoder = JpegEncoder::new_with_quality(&mut bytes, JPEG_QUALITY);
            (Format::Jpeg, encoder.write_image(pixels, width, height, ExtendedColorType::Rgb8))
        }
        Encoding::WebP => {
            let encoder = WebPEncoder::new_lossless(&mut bytes);
            (Format::WebP, encoder.write_image(pixels, width, height, ExtendedColorType::Rgb8))
        }
    };
    result.map_err(|fault| MediaError::Encode { format: format.name(), reason: fault.to_string() })?;
    Ok(Media::inline(&bytes, format, Facts::of_size(width, height)))
}
