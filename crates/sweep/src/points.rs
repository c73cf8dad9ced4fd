//! From `a:b`, `a:b:step` and `a,b,c` to the values of a sweep.

use crate::Parameter;

/// More points than anybody can wait for.
const MOST_POINTS: u64 = 10_000;

/// A range or list that cannot be swept.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PointsError {
    /// It is not of the form `min:max` or `min:max:step`.
    #[error("`{0}` is not a range: write min:max or min:max:step, such as 1:64 or 100:500:100")]
    Form(String),
    /// A part is not a whole number of at least 1.
    #[error("`{0}` is not a whole number of at least 1")]
    Number(String),
    /// The range is empty.
    #[error("the range ends at {max}, which is not above its start {min}")]
    Empty {
        /// The start.
        min: u64,
        /// The end.
        max: u64,
    },
    /// Concurrency goes up in powers of two.
    #[error(
        "{0} is not a power of two, as both ends of a concurrency range must be; give --sweep-list for other values"
    )]
    NotPowerOfTwo(u64),
    /// Too many points.
    #[error("the range has {0} points; give a larger step")]
    TooMany(u64),
}

/// The values of a range. Without a step, concurrency, request rate, input length and batch size go up in powers of two, from the
/// largest that is not above `min` to the largest that is not above `max`; the number of prompts goes up by 1.
///
/// # Errors
/// [`PointsError`].
pub fn from_range(text: &str, parameter: Parameter) -> Result<Vec<u64>, PointsError> {
    let parts: Vec<&str> = text.split(':').collect();
    let (min, max, step) = match parts.as_slice() {
        [min, max] => (number(min)?, number(max)?, None),
        [min, max, step] => (number(min)?, number(max)?, Some(number(step)?)),
        _ => return Err(PointsError::Form(text.to_owned())),
    };
    if min >= max {
        return Err(PointsError::Empty { min, max });
    }
    match step {
        Some(step) => steps(min, max, step),
        None if !parameter.doubles() => steps(min, max, 1),
        None => {
            if parameter == Parameter::Concurrency
                && let Some(odd) = [min, max].into_iter().find(|value| !value.is_power_of_two())
            {
                return Err(PointsError::NotPowerOfTwo(odd));
            }
            Ok((min.ilog2()..=max.ilog2()).map(|exponent| 1 << exponent).collect())
        }
    }
}

fn steps(min: u64, max: u64, step: u64) -> Result<Vec<u64>, PointsError> {
    let count = (max - min) / step + 1;
    if count > MOST_POINTS {
        return Err(PointsError::TooMany(count));
    }
    Ok((0..count).map(|index| min + index * step).collect())
}

/// The values of a list, in its order.
///
/// # Errors
/// [`PointsError::Number`].
pub fn from_list(text: &str) -> Result<Vec<u64>, PointsError> {
    let mut values = Vec::new();
    for item in text.split(',') {
        let value = number(item)?;
        if !values.contains(&value) {
            values.push(value);
        }
    }
    Ok(values)
}

fn number(text: &str) -> Result<u64, PointsError> {
    text.trim().parse().ok().filter(|value| *value >= 1).ok_or_else(|| PointsError::Number(text.trim().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_without_a_step_double() {
        let concurrency = |text| from_range(text, Parameter::Concurrency);
        assert_eq!(concurrency("1:64"), Ok(vec![1, 2, 4, 8, 16, 32, 64]));
        assert_eq!(concurrency("8:16"), Ok(vec![8, 16]));
        assert_eq!(concurrency("3:16"), Err(PointsError::NotPowerOfTwo(3)));
        assert_eq!(concurrency("1:100"), Err(PointsError::NotPowerOfTwo(100)));
        assert_eq!(from_range("3:9", Parameter::RequestRate), Ok(vec![2, 4, 8]));
        assert_eq!(from_range("100:800", Parameter::InputSequenceLength), Ok(vec![64, 128, 256, 512]));
        assert_eq!(from_range("3:6", Parameter::NumDatasetEntries), Ok(vec![3, 4, 5, 6]));
    }

    #[test]
    fn a_step_is_kept() {
        assert_eq!(from_range("10:50:20", Parameter::Concurrency), Ok(vec![10, 30, 50]));
        assert_eq!(from_range("1:10:4", Parameter::RequestRate), Ok(vec![1, 5, 9]));
    }

    #[test]
    fn lists_keep_their_order_and_lose_doubles() {
        assert_eq!(from_list("8, 2,4,2"), Ok(vec![8, 2, 4]));
        assert_eq!(from_list("1,-2"), Err(PointsError::Number("-2".into())));
        assert_eq!(from_list("1,,2"), Err(PointsError::Number(String::new())));
    }

    #[test]
    fn what_is_no_range_is_refused() {
        for text in ["", "1", "1:2:3:4"] {
            assert_eq!(from_range(text, Parameter::Concurrency), Err(PointsError::Form(text.into())), "{text}");
        }
        assert_eq!(from_range("0:4", Parameter::Concurrency), Err(PointsError::Number("0".into())));
        assert_eq!(from_range("1:x", Parameter::Concurrency), Err(PointsError::Number("x".into())));
        assert_eq!(from_range("1:8:0", Parameter::Concurrency), Err(PointsError::Number("0".into())));
        assert_eq!(from_range("4:4", Parameter::Concurrency), Err(PointsError::Empty { min: 4, max: 4 }));
        assert_eq!(from_range("1:100000", Parameter::NumDatasetEntries), Err(PointsError::TooMany(100_000)));
    }
}
