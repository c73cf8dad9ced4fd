//! What sound is wanted.

use crate::{MediaError, Spread};

/// The shortest sound, in seconds.
pub const MIN_LENGTH_S: f64 = 0.01;

/// The longest sound, in seconds; a WAV of any depth and rate can hold it.
pub const MAX_LENGTH_S: f64 = 3_600.0;

/// The rates in Hz that MP3 has.
const MP3_RATES: [u32; 9] = [8_000, 11_025, 12_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000];

/// What sound is wanted: Gaussian noise of some length.
#[derive(Clone, Debug, PartialEq)]
pub struct AudioSpec {
    /// The length in seconds; what is drawn is kept in [`MIN_LENGTH_S`]`..=`[`MAX_LENGTH_S`].
    pub length_s: Spread,
    /// The format of the files.
    pub format: AudioFormat,
    /// The bits of a sample, of which one is drawn for each sound: 8, 16, 24 or 32. MP3 has no such thing.
    pub depths: Vec<u8>,
    /// The sample rates in kHz (above 96: in Hz), of which one is drawn for each sound.
    pub sample_rates_khz: Vec<f64>,
    /// 1 (mono) or 2 (stereo).
    pub channels: u8,
}

/// The format of the sounds' files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AudioFormat {
    /// WAV with integer samples.
    Wav,
    /// MP3 of 64 kbit/s a channel, from 32 kHz on 128. Its bytes are those of the compiled-in encoder, whose arithmetic
    /// may differ in the last bit from one kind of processor to another.
    Mp3,
}

impl AudioSpec {
    /// Checks all that does not depend on a draw; the rates in Hz.
    pub(super) fn check(&self) -> Result<Vec<u32>, MediaError> {
        self.length_s.check(
            ["the audio length", "the audio length's standard deviation"],
            MIN_LENGTH_S,
            MAX_LENGTH_S,
            "a mean of 0.01 to 3600 seconds",
        )?;
        if self.depths.is_empty() {
            return Err(absent("the list of audio depths", "at least one of 8, 16, 24 and 32"));
        }
        self.depths.iter().try_for_each(|&depth| check_depth(depth))?;
        if !(1..=2).contains(&self.channels) {
            let (field, value) = ("the number of audio channels", self.channels.to_string());
            return Err(MediaError::Spec { field, value, rule: "1 or 2" });
        }
        if self.sample_rates_khz.is_empty() {
            return Err(absent("the list of audio sample rates", "at least one, such as 16 (kHz)"));
        }
        let rates: Vec<u32> = self.sample_rates_khz.iter().map(|&rate| hertz(rate)).collect::<Result<_, _>>()?;
        match rates.iter().find(|rate| self.format == AudioFormat::Mp3 && !MP3_RATES.contains(rate)) {
            Some(rate) => Err(MediaError::Spec {
                field: "the audio sample rate of an mp3",
                value: format!("{rate} Hz"),
                rule: "8, 11.025, 12, 16, 22.05, 24, 32, 44.1 or 48 kHz, or choose wav",
            }),
            None => Ok(rates),
        }
    }
}

/// A list that is empty.
fn absent(field: &'static str, rule: &'static str) -> MediaError {
    MediaError::Spec { field, value: "empty".into(), rule }
}

/// Checks the bits of a sample.
pub(crate) fn check_depth(depth: u8) -> Result<(), MediaError> {
    if matches!(depth, 8 | 16 | 24 | 32) {
        return Ok(());
    }
    Err(MediaError::Spec { field: "the audio depth", value: format!("{depth} bits"), rule: "8, 16, 24 or 32" })
}

/// A sample rate in Hz, of one in kHz or, above 96, in Hz.
pub(crate) fn hertz(rate: f64) -> Result<u32, MediaError> {
    let hertz = if rate > 96.0 { rate } else { rate * 1_000.0 }.round();
    if (1_000.0..=96_000.0).contains(&hertz) {
        return Ok(hertz as u32);
    }
    Err(MediaError::Spec {
        field: "the audio sample rate",
        value: rate.to_string(),
        rule: "1 to 96 (kHz) or 1000 to 96000 (Hz)",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_in_kilohertz_and_above_96_in_hertz() {
        for (given, expected) in [(16.0, 16_000), (22.05, 22_050), (11.025, 11_025), (96.0, 96_000), (44_100.0, 44_100)]
        {
            assert_eq!(hertz(given).unwrap(), expected);
        }
        for wrong in [0.0, -16.0, 0.9, 97.0, 192.0, 96_001.0, f64::NAN, f64::INFINITY] {
            assert!(hertz(wrong).is_err(), "{wrong}");
        }
    }
}
