//! What pictures are wanted.

use std::path::PathBuf;

use super::Sampling;
use crate::{MediaError, Spread};

/// The longest side of a picture, in pixels: what a WebP can hold.
pub const MAX_SIDE: u32 = 16_384;

/// What pictures are wanted.
#[derive(Clone, Debug, PartialEq)]
pub struct ImageSpec {
    /// The width in pixels; what is drawn is rounded and kept in `1..=MAX_SIDE`.
    pub width: Spread,
    /// The height in pixels, likewise and independent of the width.
    pub height: Spread,
    /// The format of the files.
    pub format: ImageFormat,
    /// What the pictures show; pictures of another size are stretched to the size that was drawn.
    pub source: ImageSource,
    /// The order in which the pictures of a finite source come.
    pub sampling: Sampling,
}

/// The format of the pictures' files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImageFormat {
    /// PNG.
    Png,
    /// JPEG of quality 75.
    Jpeg,
    /// Lossless WebP.
    WebP,
    /// PNG or JPEG, evenly at random.
    Random,
}

/// What the pictures show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ImageSource {
    /// Random pixels: each picture is another, and none can be compressed.
    Noise,
    /// Four pictures that are drawn by the program: a landscape, shapes, a page of writing, the Mandelbrot set.
    Pictures,
    /// The .png, .jpg, .jpeg and .webp files of a folder (not of those within), in the order of their names.
    Folder(PathBuf),
}

impl ImageSpec {
    /// Checks the sizes.
    pub(super) fn check(&self) -> Result<(), MediaError> {
        let most = f64::from(MAX_SIDE);
        let rule = "a mean of 1 to 16384 pixels";
        self.width.check(["the image width", "the image width's standard deviation"], 1.0, most, rule)?;
        self.height.check(["the image height", "the image height's standard deviation"], 1.0, most, rule)
    }
}
