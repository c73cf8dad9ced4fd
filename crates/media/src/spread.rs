//! A quantity that is drawn from a normal distribution.

use crate::MediaError;
use crate::random::Stream;

/// A normal distribution, in the unit of what it describes; a standard deviation of 0 gives the mean each time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// The mean.
    pub mean: f64,
    /// The standard deviation.
    pub stddev: f64,
}

impl Spread {
    /// Always the same value.
    pub fn fixed(mean: f64) -> Self {
        Self { mean, stddev: 0.0 }
    }

    /// Whether each draw gives the same value.
    pub(crate) fn is_fixed(&self) -> bool {
        self.stddev == 0.0
    }

    /// One draw. What falls outside `[least, most]` becomes the nearer bound: close to a bound (within some standard
    /// deviations) the mean of the draws is therefore not that of the distribution, elsewhere it is.
    pub(crate) fn draw(&self, stream: &mut Stream, least: f64, most: f64) -> f64 {
        let value = if self.is_fixed() { self.mean } else { self.mean + self.stddev * stream.normal() };
        value.clamp(least, most)
    }

    /// One draw, rounded to the nearest integer (which keeps the mean, as rounding up would not).
    pub(crate) fn draw_whole(&self, stream: &mut Stream, least: u32, most: u32) -> u32 {
        self.draw(stream, f64::from(least), f64::from(most)).round() as u32
    }

    /// Checks the mean against its bounds and the standard deviation for sense.
    pub(crate) fn check(
        &self,
        field: [&'static str; 2],
        least: f64,
        most: f64,
        rule: &'static str,
    ) -> Result<(), MediaError> {
        if !(least..=most).contains(&self.mean) {
            return Err(MediaError::Spec { field: field[0], value: self.mean.to_string(), rule });
        }
        if !(self.stddev >= 0.0 && self.stddev.is_finite()) {
            let rule = "0 or a positive number";
            return Err(MediaError::Spec { field: field[1], value: self.stddev.to_string(), rule });
        }
        Ok(())
    }
}
