//! Numbers as texts.

/// A value for people: about four digits, thousands apart.
#[must_use]
pub fn show(value: f64) -> String {
    let size = value.abs();
    if !value.is_finite() {
        return "-".to_owned();
    }
    if size >= 1e15 || (size < 1e-4 && size > 0.0) {
        return format!("{value:.3e}");
    }
    let decimals = match size {
        _ if value.fract() == 0.0 || size >= 1_000.0 => 0,
        _ if size >= 100.0 => 1,
        _ if size >= 1.0 => 2,
        _ => 4,
    };
    grouped(&format!("{value:.decimals$}"))
}

/// The labels of an axis: the decimals that its step needs, and a letter for the power of ten where values are large.
pub(crate) fn tick_label(value: f64, step: f64, largest: f64) -> String {
    let (factor, letter) = match largest {
        _ if largest >= 1e15 => return format!("{value:.2e}"),
        _ if largest >= 1e12 => (1e12, "T"),
        _ if largest >= 1e9 => (1e9, "G"),
        _ if largest >= 1e6 => (1e6, "M"),
        _ => (1.0, ""),
    };
    let step = step / factor;
    if step < 1e-9 {
        return format!("{value:.2e}");
    }
    let decimals = (0..9).find(|decimals| is_whole(step * 10_f64.powi(*decimals))).unwrap_or(9);
    let decimals = usize::try_from(decimals).unwrap_or_default();
    // A small step away from a rounding error is no minus zero.
    let shown = if (value / factor).abs() < step / 1e3 { 0.0 } else { value / factor };
    format!("{}{letter}", grouped(&format!("{shown:.decimals$}")))
}

fn is_whole(value: f64) -> bool {
    value >= 0.5 && (value - value.round()).abs() < 1e-6 * value
}

/// Digits before the point in groups of three.
fn grouped(number: &str) -> String {
    let (sign, digits) = number.strip_prefix('-').map_or(("", number), |digits| ("-", digits));
    let (whole, part) = digits.split_at(digits.find('.').unwrap_or(digits.len()));
    let mut text = sign.to_owned();
    for (place, digit) in whole.chars().enumerate() {
        if place > 0 && (whole.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text + part
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_about_four_digits() {
        for (value, text) in [
            (0.0, "0"),
            (12.0, "12"),
            (12.3456, "12.35"),
            (123.456, "123.5"),
            (1234.56, "1,235"),
            (1_234_567.0, "1,234,567"),
            (-1234.0, "-1,234"),
            (0.01234, "0.0123"),
            (0.000_001_234, "1.234e-6"),
            (1.5e300, "1.500e300"),
            (f64::NAN, "-"),
        ] {
            assert_eq!(show(value), text);
        }
    }

    #[test]
    fn labels_have_the_decimals_of_their_step() {
        for (value, step, largest, text) in [
            (0.0, 5.0, 20.0, "0"),
            (12.5, 2.5, 20.0, "12.5"),
            (0.3, 0.1, 0.5, "0.3"),
            (2_000.0, 1_000.0, 9_000.0, "2,000"),
            (1_500_000.0, 500_000.0, 2_000_000.0, "1.5M"),
            (0.0, 500_000.0, 2_000_000.0, "0.0M"),
            (3e9, 1e9, 3e9, "3G"),
            (1e300, 1e299, 1e300, "1.00e300"),
            (-1e-18, 0.1, 1.0, "0.0"),
        ] {
            assert_eq!(tick_label(value, step, largest), text);
        }
    }
}
