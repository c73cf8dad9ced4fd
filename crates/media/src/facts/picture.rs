//! The sizes of pictures, from their headers.

use std::io::Cursor;

use super::{Facts, little_endian};

/// The size of a picture, from its header.
pub(super) fn image_size(bytes: &[u8], format: image::ImageFormat) -> Result<Facts, String> {
    image::ImageReader::with_format(Cursor::new(bytes), format)
        .into_dimensions()
        .map(|(width, height)| Facts::of_size(width, height))
        .map_err(|fault| fault.to_string())
}

/// The size of a bitmap: 16 bits a side in the oldest header, 32 in all others, where a negative height means
/// top-down rows.
pub(super) fn bmp_size(bytes: &[u8]) -> Result<Facts, String> {
    let cut_off = || String::from("the header is cut off");
    if little_endian(bytes, 14, 4) == Some(12) {
        let side = |at| little_endian(bytes, at, 2).ok_or_else(cut_off);
        return Ok(Facts::of_size(side(18)?, side(20)?));
    }
    let side = |at| little_endian(bytes, at, 4).map(|side| (side as i32).unsigned_abs()).ok_or_else(cut_off);
    Ok(Facts::of_size(side(18)?, side(22)?))
}

/// The size of a GIF: two numbers after its name.
pub(super) fn gif_size(bytes: &[u8]) -> Result<Facts, String> {
    let side = |at| little_endian(bytes, at, 2).ok_or_else(|| String::from("the header is cut off"));
    Ok(Facts::of_size(side(6)?, side(8)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sizes_of_bitmaps_and_gifs_are_read() {
        assert_eq!(gif_size(b"GIF89a\x40\x01\xc8\0..."), Ok(Facts::of_size(320, 200)));
        assert!(gif_size(b"GIF89a\x40\x01\xc8").is_err());
        let mut bmp = [0u8; 54];
        bmp[14] = 40;
        bmp[18..22].copy_from_slice(&640u32.to_le_bytes());
        bmp[22..26].copy_from_slice(&(-480i32).to_le_bytes());
        assert_eq!(bmp_size(&bmp), Ok(Facts::of_size(640, 480)));
        assert!(bmp_size(&bmp[..25]).is_err());
        bmp[14] = 12;
        bmp[18..22].copy_from_slice(&[10, 0, 20, 0]);
        assert_eq!(bmp_size(&bmp), Ok(Facts::of_size(10, 20)));
    }
}
