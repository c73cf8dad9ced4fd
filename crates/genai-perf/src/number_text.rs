//! Numbers as Python prints them.

/// With two decimals and commas between thousands. Halves go to the even neighbour of the exact binary value.
pub(crate) fn two_decimals(value: f64) -> String {
    let plain = format!("{value:.2}");
    let (sign, digits) = plain.strip_prefix('-').map_or(("", plain.as_str()), |digits| ("-", digits));
    let Some((whole, decimals)) = digits.split_once('.') else { return plain.to_lowercase() };
    let mut grouped = String::from(sign);
    for (i, digit) in whole.chars().enumerate() {
        if i > 0 && (whole.len() - i) % 3 == 0 {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped + "." + decimals
}

/// The shortest text that reads back as the same number, in Python's form.
pub(crate) fn repr(value: f64) -> String {
    if !value.is_finite() {
        return match value {
            _ if value.is_nan() => "NaN".to_owned(),
            _ if value > 0.0 => "Infinity".to_owned(),
            _ => "-Infinity".to_owned(),
        };
    }
    let scientific = format!("{value:e}");
    let (digits, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if value != 0.0 && !(-4..16).contains(&exponent) {
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{digits}e{sign}{:02}", exponent.unsigned_abs());
    }
    let plain = format!("{value}");
    if plain.contains('.') { plain } else { plain + ".0" }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Expected texts are those of Python's `f"{x:,.2f}"`.
    #[test]
    fn thousands_and_halves_are_pythons() {
        for (value, text) in [
            (0.0, "0.00"),
            (-0.0, "-0.00"),
            (0.125, "0.12"),
            (0.375, "0.38"),
            (2.675, "2.67"),
            (999.995, "1,000.00"),
            (1234.5, "1,234.50"),
            (-1_234_567.891, "-1,234,567.89"),
            (100.0, "100.00"),
        ] {
            assert_eq!(two_decimals(value), text);
        }
    }

    /// Expected texts are those of Python's `repr`.
    #[test]
    fn the_shortest_text_is_pythons() {
        for (value, text) in [
            (20.0, "20.0"),
            (-0.0, "-0.0"),
            (0.0001, "0.0001"),
            (0.00001, "1e-05"),
            (2.131_107_816_729_976_7e-10, "2.1311078167299767e-10"),
            (1e16, "1e+16"),
            (1.5e15, "1500000000000000.0"),
            (5.203_024_999_999_999, "5.203024999999999"),
            (1e100, "1e+100"),
        ] {
            assert_eq!(repr(value), text);
        }
    }
}
