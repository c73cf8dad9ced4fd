//! Lengths in tokens: draws from a shape, rounded to the nearest whole number; what is out of bounds is drawn again and
//! not moved to the bound, so that no length is more frequent than the distribution says.

use tokamark_plan::{LengthBounds, LengthDistribution, LengthPair, LengthShape};

use crate::random::{Place, Stream, Streams};

/// Longest length that is drawn; more than any server's context.
const MOST: f64 = 1e9;

/// Draws that are rejected before a distribution counts as lying wholly out of bounds.
const TRIES: u32 = 10_000;

/// A distribution that cannot be drawn from.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum LengthError {
    /// A mean or a deviation is none.
    #[error(
        "a mean of {mean} with a standard deviation of {stddev} is no length in tokens; both must be numbers from 0 to 1e9"
    )]
    Normal {
        /// The mean.
        mean: f64,
        /// The standard deviation.
        stddev: f64,
    },
    /// A median is none.
    #[error("a mean of {mean} with a median of {median} is no lognormal length; give 0 < median <= mean <= 1e9")]
    Lognormal {
        /// The mean.
        mean: f64,
        /// The median.
        median: f64,
    },
    /// The ends of a range are in the wrong order or too far.
    #[error("the range {min} to {max} holds no length in tokens; it must go up, to 1e9 at most")]
    Uniform {
        /// The shortest.
        min: u64,
        /// The longest.
        max: u64,
    },
    /// Weights do not say what is how likely.
    #[error("the weights of the lengths are not usable; give numbers of at least 0 that are not all 0")]
    Weights,
    /// Nothing of the shape lies between its bounds.
    #[error("practically nothing of the lengths lies from {min} to {max}; widen the bounds or move the lengths")]
    OutOfBounds {
        /// The shortest length.
        min: u64,
        /// The longest length.
        max: u64,
    },
}

/// Draws lengths.
#[derive(Clone, Debug)]
pub(crate) struct Lengths {
    shape: Shape,
    min: u64,
    max: u64,
}

/// A shape with what its draws need.
#[derive(Clone, Debug)]
enum Shape {
    Fixed(f64),
    Normal {
        mean: f64,
        stddev: f64,
    },
    /// μ and σ of the logarithm.
    Lognormal {
        mu: f64,
        sigma: f64,
    },
    Uniform {
        min: u64,
        max: u64,
    },
    Weighted {
        choices: Vec<Self>,
        weights: Weights,
    },
}

impl Lengths {
    pub(crate) fn new(distribution: &LengthDistribution) -> Result<Self, LengthError> {
        let LengthDistribution { shape, bounds: LengthBounds { min, max } } = distribution;
        let lengths = Self { shape: Shape::new(shape)?, min: min.unwrap_or(1).max(1), max: max.unwrap_or(MOST as u64) };
        // A fixed length below 1 is 1 unless bounds were asked for.
        let is_free = min.is_none() && max.is_none() && matches!(lengths.shape, Shape::Fixed(_));
        if !is_free && lengths.tried(&mut Streams::new(0, "bounds").row(0)).is_none() {
            return Err(LengthError::OutOfBounds { min: lengths.min, max: lengths.max });
        }
        Ok(lengths)
    }

    /// A length.
    pub(crate) fn draw(&self, stream: &mut Stream) -> u64 {
        // That no draw fits was ruled out when the lengths were made, up to odds of one in thousands of draws.
        self.tried(stream).unwrap_or_else(|| whole(self.shape.draw(stream)).clamp(self.min, self.max))
    }

    fn tried(&self, stream: &mut Stream) -> Option<u64> {
        let (low, high) = (self.min as f64 - 0.5, self.max as f64 + 0.5);
        (0..TRIES).map(|_| self.shape.draw(stream)).find(|length| (low..high).contains(length)).map(whole)
    }

    /// The mean of the shape, out of bounds or not.
    pub(crate) fn mean(&self) -> f64 {
        self.shape.mean()
    }
}

impl Shape {
    fn new(shape: &LengthShape) -> Result<Self, LengthError> {
        let is_length = |value: f64| (0.0..=MOST).contains(&value);
        Ok(match *shape {
            LengthShape::Fixed { value } if is_length(value) => Self::Fixed(value),
            LengthShape::Fixed { value } => return Err(LengthError::Normal { mean: value, stddev: 0.0 }),
            LengthShape::Normal { mean, stddev } if is_length(mean) && is_length(stddev) => {
                if stddev == 0.0 {
                    Self::Fixed(mean)
                } else {
                    Self::Normal { mean, stddev }
                }
            }
            LengthShape::Normal { mean, stddev } => return Err(LengthError::Normal { mean, stddev }),
            LengthShape::Lognormal { mean, median } if is_length(mean) && median > 0.0 && median <= mean => {
                Self::Lognormal { mu: libm::log(median), sigma: (2.0 * libm::log(mean / median)).sqrt() }
            }
            LengthShape::Lognormal { mean, median } => return Err(LengthError::Lognormal { mean, median }),
            LengthShape::Uniform { min, max } if min <= max && max as f64 <= MOST => Self::Uniform { min, max },
            LengthShape::Uniform { min, max } => return Err(LengthError::Uniform { min, max }),
            LengthShape::Empirical { ref points } => Self::Weighted {
                choices: points.iter().map(|&(length, _)| Self::Fixed(length as f64)).collect(),
                weights: Weights::new(points.iter().map(|&(_, weight)| weight))?,
            },
            LengthShape::Multimodal { ref modes } => Self::Weighted {
                choices: modes.iter().map(|(mode, _)| Self::new(mode)).collect::<Result<_, _>>()?,
                weights: Weights::new(modes.iter().map(|&(_, weight)| weight))?,
            },
        })
    }

    fn draw(&self, stream: &mut Stream) -> f64 {
        match self {
            Self::Fixed(value) => *value,
            Self::Normal { mean, stddev } => mean + stddev * stream.normal(),
            Self::Lognormal { mu, sigma } => libm::exp(mu + sigma * stream.normal()),
            Self::Uniform { min, max } => (min + stream.below_long(max - min + 1)) as f64,
            Self::Weighted { choices, weights } => choices.get(weights.draw(stream)).map_or(1.0, |c| c.draw(stream)),
        }
    }

    fn mean(&self) -> f64 {
        match self {
            Self::Fixed(value) => *value,
            Self::Normal { mean, .. } => *mean,
            Self::Lognormal { mu, sigma } => libm::exp(mu + sigma * sigma / 2.0),
            Self::Uniform { min, max } => (*min as f64 + *max as f64) / 2.0,
            Self::Weighted { choices, weights } => {
                choices.iter().enumerate().map(|(at, choice)| choice.mean() * weights.share(at)).sum()
            }
        }
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the bounds are set on the line itself")]
fn whole(length: f64) -> u64 {
    length.round().clamp(1.0, MOST) as u64
}

/// How likely each of some choices is.
#[derive(Clone, Debug)]
pub(crate) struct Weights {
    /// Sums of the weights up to each choice.
    sums: Vec<f64>,
}

impl Weights {
    fn new(weights: impl Iterator<Item = f64>) -> Result<Self, LengthError> {
        let mut sum = 0.0;
        let mut sums = Vec::new();
        for weight in weights {
            if !(weight >= 0.0 && weight.is_finite()) {
                return Err(LengthError::Weights);
            }
            sum += weight;
            sums.push(sum);
        }
        if sum > 0.0 && sum.is_finite() { Ok(Self { sums }) } else { Err(LengthError::Weights) }
    }

    fn draw(&self, stream: &mut Stream) -> usize {
        let total = self.sums.last().copied().unwrap_or(0.0);
        let drawn = stream.unit() * total;
        self.sums.partition_point(|sum| *sum <= drawn).min(self.sums.len().saturating_sub(1))
    }

    fn share(&self, at: usize) -> f64 {
        let before = if at == 0 { 0.0 } else { self.sums[at - 1] };
        (self.sums[at] - before) / self.sums.last().copied().unwrap_or(1.0)
    }
}

/// Lengths of prompt and answer that belong together: one draw picks the pair.
#[derive(Clone, Debug)]
pub(crate) struct Pairs {
    pairs: Vec<(Lengths, Lengths)>,
    weights: Weights,
    streams: Streams,
}

impl Pairs {
    pub(crate) fn new(pairs: &[LengthPair], seed: u64) -> Result<Self, LengthError> {
        let weights = Weights::new(pairs.iter().map(|pair| pair.weight))?;
        let pairs = pairs.iter().map(|pair| Ok((Lengths::new(&pair.input)?, Lengths::new(&pair.output)?)));
        Ok(Self { pairs: pairs.collect::<Result<_, _>>()?, weights, streams: Streams::new(seed, "length pair") })
    }

    /// The pair of a turn.
    pub(crate) fn pair(&self, place: Place) -> &(Lengths, Lengths) {
        &self.pairs[self.weights.draw(&mut self.streams.at(place))]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DRAWS: u64 = 100_000;

    fn lengths(shape: LengthShape, bounds: LengthBounds) -> Lengths {
        Lengths::new(&LengthDistribution { shape, bounds }).unwrap()
    }

    fn normal(mean: f64, stddev: f64) -> Lengths {
        lengths(LengthShape::Normal { mean, stddev }, LengthBounds::default())
    }

    fn draws(lengths: &Lengths) -> Vec<u64> {
        let mut stream = Streams::new(5, "length").row(0);
        let mut drawn: Vec<u64> = (0..DRAWS).map(|_| lengths.draw(&mut stream)).collect();
        drawn.sort_unstable();
        drawn
    }

    fn mean_and_deviation(drawn: &[u64]) -> (f64, f64) {
        let count = drawn.len() as f64;
        let mean = drawn.iter().sum::<u64>() as f64 / count;
        let variance = drawn.iter().map(|&x| (x as f64 - mean).powi(2)).sum::<f64>() / count;
        (mean, variance.sqrt())
    }

    fn quantile(drawn: &[u64], share: f64) -> u64 {
        drawn[(share * drawn.len() as f64) as usize]
    }

    #[test]
    fn without_deviation_each_length_is_the_rounded_mean() {
        for (mean, expected) in [(550.0, 550), (0.0, 1), (0.4, 1), (2.5, 3), (127.49, 127)] {
            assert_eq!(normal(mean, 0.0).draw(&mut Streams::new(1, "x").row(0)), expected);
        }
    }

    #[test]
    fn normal_lengths_have_their_mean_deviation_and_quantiles() {
        let drawn = draws(&normal(1_000.25, 100.0));
        let (mean, deviation) = mean_and_deviation(&drawn);
        // Five standard errors: 100/√n = 0.316, 100/√(2n) = 0.224; rounding adds 1/12 to the variance.
        assert!((mean - 1_000.25).abs() < 1.6, "{mean}");
        assert!((deviation - (100.0f64.powi(2) + 1.0 / 12.0).sqrt()).abs() < 1.12, "{deviation}");
        // ±1.2816 σ; the quantile's standard error is √(0.09/n)/0.1755 σ = 0.54.
        assert!(quantile(&drawn, 0.1).abs_diff(872) <= 3 && quantile(&drawn, 0.9).abs_diff(1_128) <= 3);
    }

    #[test]
    fn lognormal_lengths_have_their_mean_and_median() {
        let drawn = draws(&lengths(LengthShape::Lognormal { mean: 512.0, median: 300.0 }, LengthBounds::default()));
        let sigma = (2.0 * (512.0f64 / 300.0).ln()).sqrt();
        let (mean, deviation) = mean_and_deviation(&drawn);
        let expected_deviation = 512.0 * ((sigma * sigma).exp() - 1.0).sqrt();
        assert!((mean - 512.0).abs() < 5.0 * expected_deviation / (DRAWS as f64).sqrt(), "{mean}");
        // The fourth moment of this shape is large, hence the wide margin for the deviation.
        assert!((deviation / expected_deviation - 1.0).abs() < 0.08, "{deviation} {expected_deviation}");
        // Standard error of the median: σ·300·√(π/2n) = 1.23.
        assert!(quantile(&drawn, 0.5).abs_diff(300) <= 6, "{}", quantile(&drawn, 0.5));
        let upper = 300.0 * (1.281_552 * sigma).exp();
        assert!((quantile(&drawn, 0.9) as f64 / upper - 1.0).abs() < 0.03);
    }

    #[test]
    fn bounded_lengths_are_those_of_the_truncated_shape() {
        let bounds = LengthBounds { min: Some(90), max: Some(110) };
        let drawn = draws(&lengths(LengthShape::Normal { mean: 100.0, stddev: 20.0 }, bounds));
        assert_eq!((drawn[0], drawn[drawn.len() - 1]), (90, 110));
        // Truncated to [89.5, 110.5): P(round = 90) = (Φ(-0.475) − Φ(-0.525)) / (Φ(0.525) − Φ(-0.525)) = 0.043959.
        let ends = drawn.iter().filter(|&&x| x == 90).count() as f64 / DRAWS as f64;
        assert!((ends - 0.044_0).abs() < 0.003_3, "{ends}");
    }

    #[test]
    fn uniform_lengths_are_as_likely_each() {
        let drawn = draws(&lengths(LengthShape::Uniform { min: 128, max: 137 }, LengthBounds::default()));
        for length in 128..=137 {
            // Five standard deviations of a binomial with n = 100,000 and p = 0.1.
            let count = drawn.iter().filter(|&&x| x == length).count();
            assert!(count.abs_diff(10_000) < 475, "{length}: {count}");
        }
        let bounds = LengthBounds { min: None, max: Some(129) };
        let cut = draws(&lengths(LengthShape::Uniform { min: 128, max: 137 }, bounds));
        assert!((cut[0], cut[cut.len() - 1]) == (128, 129) && cut[48_000] == 128 && cut[52_000] == 129);
    }

    #[test]
    fn weights_say_how_often() {
        let points = vec![(128, 3.0), (1_024, 1.0), (5, 0.0)];
        let drawn = draws(&lengths(LengthShape::Empirical { points }, LengthBounds::default()));
        let share = drawn.iter().filter(|&&x| x == 128).count() as f64 / DRAWS as f64;
        assert!((share - 0.75).abs() < 0.007 && drawn[0] == 128, "{share}");
        let modes =
            vec![(LengthShape::Normal { mean: 100.0, stddev: 5.0 }, 0.7), (LengthShape::Fixed { value: 1_000.0 }, 0.3)];
        let modal = lengths(LengthShape::Multimodal { modes }, LengthBounds::default());
        let drawn = draws(&modal);
        let share = drawn.iter().filter(|&&x| x == 1_000).count() as f64 / DRAWS as f64;
        assert!((share - 0.3).abs() < 0.007, "{share}");
        assert!((modal.mean() - 370.0).abs() < 1e-9);
        assert!((mean_and_deviation(&drawn).0 - 370.0).abs() < 6.6);
    }

    #[test]
    fn a_small_deviation_is_not_lost() {
        let drawn = draws(&normal(10.0, 0.5));
        // Normal probabilities of [8.5, 9.5), [9.5, 10.5) and [10.5, 11.5).
        for (wanted, expected) in [(9, 15_731), (10, 68_269), (11, 15_731)] {
            let count = drawn.iter().filter(|&&x| x == wanted).count();
            assert!(count.abs_diff(expected) < 740, "{wanted}: {count}");
        }
    }

    #[test]
    fn what_lies_below_one_is_cut_and_not_heaped_up() {
        let drawn = draws(&normal(2.0, 2.0));
        let share = drawn.iter().filter(|&&length| length == 1).count() as f64 / DRAWS as f64;
        // P(0.5 <= x < 1.5) / P(x >= 0.5) = 0.17467 / 0.77337.
        assert!(drawn[0] == 1 && (share - 0.2259).abs() < 0.006_7, "{share}");
    }

    #[test]
    fn what_is_no_length_is_refused() {
        let refused = |shape, bounds| Lengths::new(&LengthDistribution { shape, bounds }).unwrap_err();
        for (mean, stddev) in [(-1.0, 0.0), (f64::NAN, 0.0), (5.0, -1.0), (5.0, f64::INFINITY), (1e12, 0.0)] {
            let error = refused(LengthShape::Normal { mean, stddev }, LengthBounds::default());
            assert!(matches!(error, LengthError::Normal { .. }));
        }
        let none = LengthBounds::default();
        assert!(matches!(
            refused(LengthShape::Lognormal { mean: 3.0, median: 5.0 }, none),
            LengthError::Lognormal { .. }
        ));
        assert!(matches!(refused(LengthShape::Uniform { min: 5, max: 3 }, none), LengthError::Uniform { .. }));
        assert_eq!(refused(LengthShape::Empirical { points: vec![(5, 0.0)] }, none), LengthError::Weights);
        let far = LengthBounds { min: Some(200), max: Some(300) };
        let error = refused(LengthShape::Normal { mean: 100.0, stddev: 5.0 }, far);
        assert_eq!(error, LengthError::OutOfBounds { min: 200, max: 300 });
        assert_eq!(
            refused(LengthShape::Fixed { value: 5.0 }, LengthBounds { min: Some(6), max: None }),
            LengthError::OutOfBounds { min: 6, max: 1_000_000_000 }
        );
    }

    #[test]
    fn pairs_stay_together() {
        let pair = |input, output, weight| LengthPair {
            input: LengthDistribution::fixed(input),
            output: LengthDistribution::fixed(output),
            weight,
        };
        let pairs = Pairs::new(&[pair(128.0, 64.0, 25.0), pair(512.0, 128.0, 75.0)], 1).unwrap();
        let mut stream = Streams::new(1, "x").row(0);
        let drawn: Vec<(u64, u64)> = (0..10_000)
            .map(|row| pairs.pair(Place::turn(row / 2, (row % 2) as u32)))
            .map(|(input, output)| (input.draw(&mut stream), output.draw(&mut stream)))
            .collect();
        let short = drawn.iter().filter(|pair| **pair == (128, 64)).count();
        assert!(short.abs_diff(2_500) < 217, "{short}");
        assert!(drawn.iter().all(|pair| [(128, 64), (512, 128)].contains(pair)));
    }
}
