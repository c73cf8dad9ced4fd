//! Arrival processes of an open loop.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, Exp, Gamma};
use tokamark_plan::Arrival;

/// Keeps the arrival draws apart from every other use of the seed.
const ARRIVAL_STREAM: u64 = 0x4152_5249_5645;

/// The instants of an arrival process, in nanoseconds from its start; each is a sum of gaps, the first after one gap.
#[derive(Clone, Debug)]
pub struct Arrivals {
    gaps: Gaps,
    drawn: u64,
    /// Sum of the gaps in seconds, kept with its rounding error (Kahan), so that long runs do not drift.
    sum_s: f64,
    lost_s: f64,
}

#[derive(Clone, Debug)]
enum Gaps {
    Constant { rate: f64 },
    Exponential(Exp<f64>, ChaCha8Rng),
    Gamma(Gamma<f64>, ChaCha8Rng),
}

impl Arrivals {
    /// A process of `rate` arrivals per second. `None` if the rate or the shape is not a positive number.
    #[must_use]
    pub fn new(rate: f64, arrival: Arrival, seed: u64) -> Option<Self> {
        if !(rate > 0.0 && rate.is_finite()) {
            return None;
        }
        let random = || {
            let mut random = ChaCha8Rng::seed_from_u64(seed);
            random.set_stream(ARRIVAL_STREAM);
            random
        };
        let gaps = match arrival {
            Arrival::Constant => Gaps::Constant { rate },
            Arrival::Poisson => Gaps::Exponential(Exp::new(rate).ok()?, random()),
            Arrival::Gamma { smoothness } => {
                Gaps::Gamma(Gamma::new(smoothness, 1.0 / (rate * smoothness)).ok()?, random())
            }
        };
        Some(Self { gaps, drawn: 0, sum_s: 0.0, lost_s: 0.0 })
    }

    fn add(&mut self, gap_s: f64) -> f64 {
        let corrected = gap_s - self.lost_s;
        let sum = self.sum_s + corrected;
        self.lost_s = (sum - self.sum_s) - corrected;
        self.sum_s = sum;
        sum
    }
}

impl Iterator for Arrivals {
    type Item = u64;

    #[expect(clippy::cast_precision_loss, reason = "a run has fewer than 2^53 requests")]
    fn next(&mut self) -> Option<u64> {
        self.drawn += 1;
        let seconds = match &mut self.gaps {
            // By multiplication, so that constant arrivals never drift.
            Gaps::Constant { rate } => self.drawn as f64 / *rate,
            Gaps::Exponential(gap, random) => {
                let gap = gap.sample(random);
                self.add(gap)
            }
            Gaps::Gamma(gap, random) => {
                let gap = gap.sample(random);
                self.add(gap)
            }
        };
        Some(tokamark_clock::from_seconds(seconds))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gaps(arrivals: Arrivals, count: usize) -> Vec<f64> {
        let at: Vec<u64> = std::iter::once(0).chain(arrivals.take(count)).collect();
        at.windows(2).map(|pair| (pair[1] - pair[0]) as f64 * 1e-9).collect()
    }

    fn mean_and_cv(values: &[f64]) -> (f64, f64) {
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        let variance = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / values.len() as f64;
        (mean, variance.sqrt() / mean)
    }

    #[test]
    fn constant_arrivals_are_exact_and_do_not_drift() {
        let arrivals = Arrivals::new(3.0, Arrival::Constant, 0).unwrap();
        let at: Vec<u64> = arrivals.take(3_000_000).collect();
        assert_eq!(&at[..3], &[333_333_333, 666_666_667, 1_000_000_000]);
        assert_eq!(at[2_999_999], 1_000_000 * 1_000_000_000);
    }

    #[test]
    fn poisson_gaps_have_the_mean_and_the_spread_of_an_exponential() {
        let (mean, cv) = mean_and_cv(&gaps(Arrivals::new(50.0, Arrival::Poisson, 7).unwrap(), 200_000));
        assert!((mean - 0.02).abs() < 0.0002, "mean {mean}");
        assert!((cv - 1.0).abs() < 0.01, "cv {cv}");
    }

    #[test]
    fn gamma_gaps_have_the_spread_that_the_smoothness_asks_for() {
        for smoothness in [0.25, 1.0, 4.0] {
            let arrivals = Arrivals::new(50.0, Arrival::Gamma { smoothness }, 7).unwrap();
            let (mean, cv) = mean_and_cv(&gaps(arrivals, 400_000));
            assert!((mean - 0.02).abs() < 0.0003, "smoothness {smoothness}: mean {mean}");
            assert!((cv * smoothness.sqrt() - 1.0).abs() < 0.02, "smoothness {smoothness}: cv {cv}");
        }
    }

    #[test]
    fn the_seed_decides() {
        let take = |seed| Arrivals::new(9.0, Arrival::Poisson, seed).unwrap().take(50).collect::<Vec<_>>();
        assert_eq!(take(1), take(1));
        assert_ne!(take(1), take(2));
    }

    #[test]
    fn impossible_rates_are_refused() {
        for rate in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(Arrivals::new(rate, Arrival::Constant, 0).is_none());
        }
        assert!(Arrivals::new(1.0, Arrival::Gamma { smoothness: 0.0 }, 0).is_none());
    }
}
