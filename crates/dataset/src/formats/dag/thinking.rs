//! Think times: fixed, or drawn from a lognormal distribution.

use crate::fields::Fields;
use crate::random::Stream;

/// How long is waited between rounds or turns.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Thinking {
    /// The time, or the median if it is drawn, ms.
    median_ms: Option<f64>,
    /// The standard deviation of its logarithm; 0 if it is fixed.
    sigma: f64,
    min_ms: f64,
    max_ms: f64,
}

impl Thinking {
    /// Takes the fields of a conversation.
    pub(super) fn take(fields: &mut Fields) -> Self {
        let is_drawn = fields.has("think_time_sigma");
        let median_ms = fields.ms("think_time_ms");
        let sigma = match fields.take("think_time_sigma").map(|value| value.as_f64()) {
            None => 0.0,
            Some(Some(sigma)) if sigma > 0.0 && sigma <= 10.0 => sigma,
            Some(_) => {
                fields.fault("think_time_sigma", "is not a number above 0 and up to 10");
                0.0
            }
        };
        if is_drawn && median_ms.is_none_or(|median| median <= 0.0) {
            fields.fault("think_time_sigma", "needs a median above 0 in `think_time_ms`");
        }
        let (min, max) = (fields.ms("think_time_min_ms"), fields.ms("think_time_max_ms"));
        for (name, bound) in [("think_time_min_ms", min), ("think_time_max_ms", max)] {
            if bound.is_some() && !is_drawn {
                fields.fault(name, "bounds nothing without `think_time_sigma`");
            }
        }
        let (min_ms, max_ms) = (min.unwrap_or(0.0), max.unwrap_or(f64::MAX));
        if min_ms > max_ms {
            fields.fault("think_time_min_ms", "is above `think_time_max_ms`");
        }
        Self { median_ms, sigma, min_ms, max_ms }
    }

    /// The same with another median.
    pub(super) fn of(&self, median_ms: Option<f64>) -> Self {
        Self { median_ms: median_ms.or(self.median_ms), ..self.clone() }
    }

    /// The next time: median · exp(sigma · z) with z standard normal, within the bounds.
    pub(super) fn draw(&self, random: &mut Stream) -> Option<f64> {
        let median = self.median_ms?;
        if self.sigma == 0.0 || median == 0.0 {
            return Some(median);
        }
        Some((median * libm::exp(self.sigma * random.normal())).min(self.max_ms).max(self.min_ms))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_the_times_are_below_the_median_and_none_beyond_the_bounds() {
        let thinking = Thinking { median_ms: Some(100.0), sigma: 1.0, min_ms: 20.0, max_ms: 400.0 };
        let mut random = Stream::new(3, "test");
        let draws: Vec<f64> = (0..10_000).filter_map(|_| thinking.draw(&mut random)).collect();
        let below = draws.iter().filter(|&&ms| ms < 100.0).count();
        // Five standard deviations of a binomial with n = 10,000 and p = 1/2.
        assert!(below.abs_diff(5000) < 250, "{below}");
        // P(z > ln 4) = 0.0828 and P(z < -ln 5) = 0.0538; five standard deviations again.
        let at = |bound: f64| draws.iter().filter(|&&ms| ms == bound).count();
        assert!(at(400.0).abs_diff(828) < 138 && at(20.0).abs_diff(538) < 113, "{} {}", at(400.0), at(20.0));
        assert!(draws.iter().all(|ms| (20.0..=400.0).contains(ms)));
    }
}
