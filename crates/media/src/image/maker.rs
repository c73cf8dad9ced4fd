//! Makes the pictures of a specification.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use image::RgbImage;
use image::imageops::{self, FilterType};

use super::encode::{Encoding, encode};
use super::source::{self, Picture};
use super::{ImageFormat, ImageSpec, MAX_SIDE};
use crate::random::Streams;
use crate::{Media, MediaError};

/// How many finished pictures of a fixed size are kept.
const KEPT_PICTURES: usize = 64;

/// Makes the pictures of a specification; shared by threads.
#[derive(Debug)]
pub struct ImageMaker {
    spec: ImageSpec,
    shape: Streams,
    content: Streams,
    pictures: Vec<Picture>,
    /// If the size is fixed, a finite source has few different files.
    finished: Mutex<HashMap<(usize, Encoding), Media>>,
}

impl ImageMaker {
    /// Checks a specification and opens its source; each file of a folder is decoded, so that none fails later.
    ///
    /// # Errors
    /// Sizes out of range, or a folder that is unreadable, without pictures or with a damaged one.
    pub fn new(spec: ImageSpec, seed: u64) -> Result<Self, MediaError> {
        spec.check()?;
        let pictures = source::open(&spec.source)?;
        let (shape, content) = (Streams::new(seed, "image shape"), Streams::new(seed, "image content"));
        Ok(Self { spec, shape, content, pictures, finished: Mutex::default() })
    }

    /// The picture of a number: a function of the specification, the seed and the number alone.
    ///
    /// # Errors
    /// A file of a large folder that has changed since, or an encoder that fails.
    pub fn image(&self, number: u64) -> Result<Media, MediaError> {
        let mut shape = self.shape.number(number);
        let width = self.spec.width.draw_whole(&mut shape, 1, MAX_SIDE);
        let height = self.spec.height.draw_whole(&mut shape, 1, MAX_SIDE);
        let encoding = match self.spec.format {
            ImageFormat::Png => Encoding::Png,
            ImageFormat::Jpeg => Encoding::Jpeg,
            ImageFormat::WebP => Encoding::WebP,
            ImageFormat::Random => [Encoding::Png, Encoding::Jpeg][shape.below(2)],
        };
        if self.pictures.is_empty() {
            let mut pixels = RgbImage::new(width, height);
            self.content.number(number).fill(&mut pixels);
            return encode(&pixels, encoding, true);
        }
        let index = self.spec.sampling.choose(&self.content, number, self.pictures.len());
        if !(self.spec.width.is_fixed() && self.spec.height.is_fixed()) {
            return self.stretched(index, width, height, encoding);
        }
        let finished = || self.finished.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(media) = finished().get(&(index, encoding)) {
            return Ok(media.clone());
        }
        let media = self.stretched(index, width, height, encoding)?;
        let mut finished = finished();
        if finished.len() < KEPT_PICTURES {
            finished.insert((index, encoding), media.clone());
        }
        Ok(media)
    }

    /// The pictures of a row that has `batch` of them: those of the numbers from `row` × `batch` on, so that no two
    /// rows share a number.
    ///
    /// # Errors
    /// As [`ImageMaker::image`].
    pub fn images(&self, row: u64, batch: u32) -> Result<Vec<Media>, MediaError> {
        let first = row.wrapping_mul(u64::from(batch));
        (0..u64::from(batch)).map(|place| self.image(first.wrapping_add(place))).collect()
    }

    /// A picture of the source in another size.
    fn stretched(&self, index: usize, width: u32, height: u32, encoding: Encoding) -> Result<Media, MediaError> {
        let pixels = self.pictures[index].pixels()?;
        if pixels.dimensions() == (width, height) {
            return encode(&pixels, encoding, false);
        }
        // This filter needs no function that differs from machine to machine, as those with sines do.
        encode(&imageops::resize(&*pixels, width, height, FilterType::Triangle), encoding, false)
    }
}
