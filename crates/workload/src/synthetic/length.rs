//! Lengths in tokens.

use tokamark_plan::{LengthDistribution, LengthShape};

use super::random::Streams;

/// Longest length that is drawn; more than any server's context.
const MOST: f64 = 1e9;

/// Draws that are rejected before a distribution counts as lying wholly below 1.
const TRIES: u32 = 10_000;

/// A distribution that cannot be drawn from.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error(
    "a mean of {mean} with a standard deviation of {stddev} is no length in tokens; both must be numbers from 0 to 1e9"
)]
pub struct LengthError {
    /// The mean.
    pub mean: f64,
    /// The standard deviation.
    pub stddev: f64,
}

/// Draws lengths: a normal distribution cut at 1 token and rounded to the nearest whole number.
#[derive(Clone, Debug)]
pub(crate) struct Lengths {
    mean: f64,
    stddev: f64,
    streams: Streams,
}

impl Lengths {
    pub(crate) fn new(distribution: LengthDistribution, streams: Streams) -> Result<Self, LengthError> {
        let (mean, stddev) = match distribution.shape {
            LengthShape::Fixed { value } => (value, 0.0),
            LengthShape::Normal { mean, stddev } => (mean, stddev),
            _ => return Err(LengthError { mean: f64::NAN, stddev: f64::NAN }),
        };
        if !(0.0..=MOST).contains(&mean) || !(0.0..=MOST).contains(&stddev) {
            return Err(LengthError { mean, stddev });
        }
        Ok(Self { mean, stddev, streams })
    }

    /// The length of a row. Draws that round to less than 1 are drawn again, not moved to 1, so that no length is
    /// more frequent than the distribution says.
    pub(crate) fn row(&self, row: u64) -> u64 {
        let Self { mean, stddev, .. } = *self;
        if stddev == 0.0 {
            return whole(mean);
        }
        let mut stream = self.streams.row(row);
        (0..TRIES).map(|_| mean + stddev * stream.normal()).find(|length| *length >= 0.5).map_or(1, whole)
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the bounds are set on the line itself")]
fn whole(length: f64) -> u64 {
    length.round().clamp(1.0, MOST) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lengths(mean: f64, stddev: f64) -> Lengths {
        Lengths::new(
            LengthDistribution { shape: LengthShape::Normal { mean, stddev }, bounds: Default::default() },
            Streams::new(5, "length"),
        )
        .unwrap()
    }

    #[test]
    fn without_deviation_each_length_is_the_rounded_mean() {
        for (mean, expected) in [(550.0, 550), (0.0, 1), (0.4, 1), (2.5, 3), (127.49, 127)] {
            assert_eq!(lengths(mean, 0.0).row(9), expected);
        }
    }

    #[test]
    fn the_mean_is_not_biased_by_rounding() {
        let lengths = lengths(100.25, 10.0);
        let mean = (0..100_000).map(|row| lengths.row(row) as f64).sum::<f64>() / 1e5;
        assert!((mean - 100.25).abs() < 0.16, "{mean}");
    }

    #[test]
    fn a_small_deviation_is_not_lost() {
        let lengths = lengths(10.0, 0.5);
        let counts = [9, 10, 11].map(|wanted| (0..10_000).filter(|&row| lengths.row(row) == wanted).count());
        // Normal probabilities of [8.5, 9.5), [9.5, 10.5) and [10.5, 11.5).
        for (count, expected) in counts.into_iter().zip([1_573, 6_827, 1_573]) {
            assert!(count.abs_diff(expected) < 235, "{counts:?}");
        }
    }

    #[test]
    fn what_lies_below_one_is_cut_and_not_heaped_up() {
        let lengths = lengths(2.0, 2.0);
        let drawn: Vec<u64> = (0..20_000).map(|row| lengths.row(row)).collect();
        let share = |wanted| drawn.iter().filter(|&&length| length == wanted).count() as f64 / 2e4;
        assert!(drawn.iter().all(|&length| length >= 1));
        // P(0.5 <= x < 1.5) / P(x >= 0.5) = 0.17467 / 0.77337.
        assert!((share(1) - 0.2259).abs() < 0.015, "{}", share(1));
    }

    #[test]
    fn what_is_no_length_is_refused() {
        for (mean, stddev) in [(-1.0, 0.0), (f64::NAN, 0.0), (5.0, -1.0), (5.0, f64::INFINITY), (1e12, 0.0)] {
            assert!(
                Lengths::new(
                    LengthDistribution { shape: LengthShape::Normal { mean, stddev }, bounds: Default::default() },
                    Streams::new(1, "x")
                )
                .is_err()
            );
        }
    }
}
