//! Lengths drawn from the shapes that plans describe.

use tokamark_plan::{LengthDistribution, LengthShape};

use super::SynthesizeError;
use crate::random::{Random, cumulated};
use crate::row::MOST_TOKENS;

/// Draws that lie out of bounds before the nearest bound is taken.
const TRIES: u32 = 10_000;

/// A distribution that has been checked.
#[derive(Clone, Debug)]
pub(super) struct Lengths {
    shape: Shape,
    min: u64,
    max: u64,
}

#[derive(Clone, Debug)]
enum Shape {
    Fixed(f64),
    Normal { mean: f64, stddev: f64 },
    Lognormal { mean: f64, median: f64 },
    Uniform { min: u64, max: u64 },
    Empirical { lengths: Vec<u64>, weights: Vec<f64> },
    Modes { shapes: Vec<Shape>, weights: Vec<f64> },
}

impl Lengths {
    /// Checks a distribution; errors name the option it is for.
    pub(super) fn new(option: &'static str, of: &LengthDistribution) -> Result<Self, SynthesizeError> {
        let (min, max) = (of.bounds.min.unwrap_or(1), of.bounds.max.unwrap_or(MOST_TOKENS));
        if min > max || max > MOST_TOKENS {
            return Err(SynthesizeError::option(option, format!("bounded by min ≤ max ≤ {MOST_TOKENS}")));
        }
        Ok(Self { shape: Shape::new(option, &of.shape)?, min, max })
    }

    /// A length within the bounds.
    pub(super) fn draw(&self, random: &mut Random) -> u64 {
        let mut last = self.min;
        for _ in 0..TRIES {
            last = whole(self.shape.draw(random));
            if (self.min..=self.max).contains(&last) {
                return last;
            }
        }
        last.clamp(self.min, self.max)
    }
}

impl Shape {
    fn new(option: &'static str, shape: &LengthShape) -> Result<Self, SynthesizeError> {
        let is_length = |value: f64| (0.0..=MOST_TOKENS as f64).contains(&value);
        let check = |is_good: bool, must: &str| match is_good {
            true => Ok(()),
            false => Err(SynthesizeError::option(option, must)),
        };
        let are_weights = |weights: &[f64]| {
            !weights.is_empty()
                && weights.iter().all(|w| w.is_finite() && *w >= 0.0)
                && weights.iter().sum::<f64>() > 0.0
        };
        Ok(match shape {
            LengthShape::Fixed { value } => {
                check(is_length(*value), "a length from 0 to 1e9")?;
                Self::Fixed(*value)
            }
            LengthShape::Normal { mean, stddev } => {
                check(is_length(*mean) && is_length(*stddev), "a mean and a deviation from 0 to 1e9")?;
                Self::Normal { mean: *mean, stddev: *stddev }
            }
            LengthShape::Lognormal { mean, median } => {
                let is_good = is_length(*mean) && *median > 0.0 && median <= mean;
                check(is_good, "a median above 0 and a mean from the median to 1e9")?;
                Self::Lognormal { mean: *mean, median: *median }
            }
            LengthShape::Uniform { min, max } => {
                check(min <= max && *max <= MOST_TOKENS, "lengths with min ≤ max ≤ 1e9")?;
                Self::Uniform { min: *min, max: *max }
            }
            LengthShape::Empirical { points } => {
                let weights: Vec<f64> = points.iter().map(|(_, weight)| *weight).collect();
                check(are_weights(&weights), "given weights from 0, not all 0")?;
                let lengths = points.iter().map(|(length, _)| *length).collect();
                Self::Empirical { lengths, weights: cumulated(weights.into_iter()) }
            }
            LengthShape::Multimodal { modes } => {
                let weights: Vec<f64> = modes.iter().map(|(_, weight)| *weight).collect();
                check(are_weights(&weights), "given weights from 0, not all 0")?;
                let shapes = modes.iter().map(|(mode, _)| Self::new(option, mode)).collect::<Result<_, _>>()?;
                Self::Modes { shapes, weights: cumulated(weights.into_iter()) }
            }
        })
    }

    fn draw(&self, random: &mut Random) -> f64 {
        match self {
            Self::Fixed(value) => *value,
            Self::Normal { mean, stddev } => mean + stddev * random.normal(),
            Self::Lognormal { mean, median } => random.lognormal(*mean, *median),
            Self::Uniform { min, max } => *min as f64 + (random.unit() * (max - min + 1) as f64).floor(),
            Self::Empirical { lengths, weights } => {
                lengths.get(random.pick(weights)).map_or(1.0, |length| *length as f64)
            }
            Self::Modes { shapes, weights } => shapes.get(random.pick(weights)).map_or(1.0, |mode| mode.draw(random)),
        }
    }
}

/// Rounded to the nearest; below 0 it is 0.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the cast saturates")]
pub(super) fn whole(number: f64) -> u64 {
    number.round() as u64
}

#[cfg(test)]
mod tests {
    use tokamark_plan::LengthBounds;

    use super::*;

    fn draws(shape: LengthShape, bounds: LengthBounds) -> Vec<u64> {
        let lengths = Lengths::new("input", &LengthDistribution { shape, bounds }).unwrap();
        let mut random = Random::new(1, "test", 0);
        (0..20_000).map(|_| lengths.draw(&mut random)).collect()
    }

    fn mean(draws: &[u64]) -> f64 {
        draws.iter().sum::<u64>() as f64 / draws.len() as f64
    }

    #[test]
    fn each_shape_has_its_mean() {
        let free = LengthBounds::default();
        assert!(draws(LengthShape::Fixed { value: 7.4 }, free).iter().all(|length| *length == 7));
        let normal = draws(LengthShape::Normal { mean: 500.0, stddev: 50.0 }, free);
        assert!((mean(&normal) - 500.0).abs() < 1.8);
        let lognormal = draws(LengthShape::Lognormal { mean: 200.0, median: 150.0 }, free);
        assert!((mean(&lognormal) - 200.0).abs() < 6.3, "{}", mean(&lognormal));
        let uniform = draws(LengthShape::Uniform { min: 3, max: 5 }, free);
        assert!((mean(&uniform) - 4.0).abs() < 0.03 && uniform.iter().all(|length| (3..=5).contains(length)));
        let points = draws(LengthShape::Empirical { points: vec![(10, 1.0), (20, 3.0)] }, free);
        assert!((mean(&points) - 17.5).abs() < 0.16 && points.iter().all(|length| [10, 20].contains(length)));
        let modes = vec![(LengthShape::Fixed { value: 1.0 }, 1.0), (LengthShape::Fixed { value: 9.0 }, 1.0)];
        assert!((mean(&draws(LengthShape::Multimodal { modes }, free)) - 5.0).abs() < 0.15);
    }

    #[test]
    fn draws_out_of_bounds_are_drawn_again() {
        let bounds = LengthBounds { min: Some(490), max: Some(510) };
        let lengths = draws(LengthShape::Normal { mean: 500.0, stddev: 50.0 }, bounds);
        assert!(lengths.iter().all(|length| (490..=510).contains(length)));
        assert!(lengths.iter().filter(|length| **length == 510).count() < 2_000);
    }

    #[test]
    fn impossible_shapes_are_refused() {
        let shapes = [
            LengthShape::Fixed { value: f64::NAN },
            LengthShape::Normal { mean: 5.0, stddev: -1.0 },
            LengthShape::Lognormal { mean: 5.0, median: 6.0 },
            LengthShape::Lognormal { mean: 5.0, median: 0.0 },
            LengthShape::Uniform { min: 6, max: 5 },
            LengthShape::Empirical { points: vec![(1, 0.0)] },
            LengthShape::Multimodal { modes: Vec::new() },
        ];
        for shape in shapes {
            assert!(Lengths::new("input", &LengthDistribution { shape, bounds: LengthBounds::default() }).is_err());
        }
    }
}
