//! The samples of Gaussian noise.

use crate::random::Stream;

/// The standard deviation of the noise, in parts of full scale: four of them fit, so that 1 sample in 16,000 is clipped.
const LOUDNESS: f64 = 0.25;

/// Samples in `[-1, 1]` of independent Gaussian noise; those of the channels take turns.
pub(crate) fn noise(stream: &mut Stream, samples: usize) -> Vec<f32> {
    (0..samples).map(|_| (stream.normal() * LOUDNESS).clamp(-1.0, 1.0) as f32).collect()
}
