//! What repeated runs agree on.

use serde::Serialize;
use statrs::distribution::{ContinuousCDF, StudentsT};

/// Figures that cannot be taken together.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum RepeatError {
    /// The confidence level is no share.
    #[error("a confidence level of {0} is not between 0 and 1")]
    Level(f64),
}

/// A figure of several runs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Interval {
    /// Runs that have the figure.
    pub runs: u64,
    /// Their mean.
    pub mean: f64,
    /// The standard deviation between runs (of a sample: divided by n − 1); absent for one run.
    pub std: Option<f64>,
    /// Standard deviation as a share of the mean.
    pub cv: Option<f64>,
    /// Lower end of the confidence interval of the mean.
    pub low: Option<f64>,
    /// Its upper end.
    pub high: Option<f64>,
}

/// Takes the figures of several runs together: mean, deviation, and the interval mean ± t·s/√n of Student's t distribution with
/// n − 1 degrees of freedom. `None` without any figure.
///
/// # Errors
/// The confidence level is not between 0 and 1.
pub fn interval(values: &[f64], level: f64) -> Result<Option<Interval>, RepeatError> {
    if !(level > 0.0 && level < 1.0) {
        return Err(RepeatError::Level(level));
    }
    if values.is_empty() {
        return Ok(None);
    }
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let mut result = Interval { runs: values.len() as u64, mean, std: None, cv: None, low: None, high: None };
    let spread = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>();
    if values.len() > 1
        && let Ok(student) = StudentsT::new(0.0, 1.0, count - 1.0)
    {
        let std = (spread / (count - 1.0)).sqrt();
        let reach = student.inverse_cdf(0.5 + level / 2.0) * std / count.sqrt();
        result.std = Some(std);
        result.cv = (mean != 0.0).then_some(std / mean.abs());
        (result.low, result.high) = (Some(mean - reach), Some(mean + reach));
    }
    Ok(Some(result))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against scipy.stats.t.interval(0.95, 4, loc=12, scale=sem).
    #[test]
    fn the_interval_is_students() {
        let interval = interval(&[10.0, 12.0, 11.0, 13.0, 14.0], 0.95).unwrap().unwrap();
        assert_eq!((interval.runs, interval.mean), (5, 12.0));
        assert!((interval.std.unwrap() - 1.581_138_830_084_189_8).abs() < 1e-12);
        assert!((interval.low.unwrap() - 10.036_756_838_522_29).abs() < 1e-6);
        assert!((interval.high.unwrap() - 13.963_243_161_477_71).abs() < 1e-6);
    }

    #[test]
    fn one_run_is_a_point_and_none_is_nothing() {
        let one = interval(&[3.0], 0.95).unwrap().unwrap();
        assert_eq!(one, Interval { runs: 1, mean: 3.0, std: None, cv: None, low: None, high: None });
        assert_eq!(interval(&[], 0.95), Ok(None));
        assert_eq!(interval(&[1.0], 1.0), Err(RepeatError::Level(1.0)));
    }
}
