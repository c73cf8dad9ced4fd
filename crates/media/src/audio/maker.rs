//! Makes the sounds of a specification.

use super::mp3::mp3;
use super::noise::noise;
use super::wav::wav;
use super::{AudioFormat, AudioSpec, MAX_LENGTH_S, MIN_LENGTH_S};
use crate::random::Streams;
use crate::{Facts, Format, Media, MediaError};

/// Makes the sounds of a specification; shared by threads.
#[derive(Debug)]
pub struct AudioMaker {
    spec: AudioSpec,
    /// The sample rates, in Hz.
    rates: Vec<u32>,
    shape: Streams,
    content: Streams,
}

impl AudioMaker {
    /// Checks a specification.
    ///
    /// # Errors
    /// Lengths, depths, rates or channels out of range.
    pub fn new(spec: AudioSpec, seed: u64) -> Result<Self, MediaError> {
        let rates = spec.check()?;
        let (shape, content) = (Streams::new(seed, "audio shape"), Streams::new(seed, "audio content"));
        Ok(Self { spec, rates, shape, content })
    }

    /// The sound of a number: a function of the specification, the seed and the number alone. Its duration is the
    /// exact one of its samples, whose number is the drawn length × rate, rounded.
    ///
    /// # Errors
    /// An encoder that fails.
    pub fn audio(&self, number: u64) -> Result<Media, MediaError> {
        let mut shape = self.shape.number(number);
        let length = self.spec.length_s.draw(&mut shape, MIN_LENGTH_S, MAX_LENGTH_S);
        let rate = self.rates[shape.below(self.rates.len())];
        let depth = self.spec.depths[shape.below(self.spec.depths.len())];
        let frames = (length * f64::from(rate)).round();
        let samples = noise(&mut self.content.number(number), frames as usize * usize::from(self.spec.channels));
        let facts = Facts::of_duration(frames / f64::from(rate));
        Ok(match self.spec.format {
            AudioFormat::Wav => Media::inline(&wav(&samples, rate, self.spec.channels, depth), Format::Wav, facts),
            AudioFormat::Mp3 => Media::inline(&mp3(&samples, rate, self.spec.channels)?, Format::Mp3, facts),
        })
    }

    /// The sounds of a row that has `batch` of them: those of the numbers from `row` × `batch` on.
    ///
    /// # Errors
    /// As [`AudioMaker::audio`].
    pub fn audios(&self, row: u64, batch: u32) -> Result<Vec<Media>, MediaError> {
        let first = row.wrapping_mul(u64::from(batch));
        (0..u64::from(batch)).map(|place| self.audio(first.wrapping_add(place))).collect()
    }
}
