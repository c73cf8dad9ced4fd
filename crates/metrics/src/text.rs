//! Numbers as people read them.

/// A whole number with thousands separators: `12,345`.
#[must_use]
pub fn whole(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A number with the given decimals and thousands separators: `12,345.68`.
#[must_use]
pub fn decimal(number: f64, decimals: usize) -> String {
    let plain = format!("{:.decimals$}", number.abs());
    let (before, after) = plain.split_at(plain.find('.').unwrap_or(plain.len()));
    let negative = number < 0.0 && plain.bytes().any(|b| b.is_ascii_digit() && b != b'0');
    let before = before.parse::<u64>().map_or_else(|_| before.to_owned(), whole);
    format!("{}{before}{after}", if negative { "-" } else { "" })
}

/// A share of a hundred: `81.0 %`.
#[must_use]
pub fn percent(number: f64) -> String {
    format!("{} %", decimal(number, 1))
}

/// A share of `whole`, as [`percent`]; of nothing it is 0.
#[must_use]
pub fn share(part: u64, of: u64) -> String {
    percent(if of == 0 { 0.0 } else { 100.0 * part as f64 / of as f64 })
}

/// A count with its noun: `1 request`, `1,200 requests`.
#[must_use]
pub fn counted(number: u64, noun: &str) -> String {
    format!("{} {noun}{}", whole(number), if number == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn separators_and_signs() {
        assert_eq!(whole(0), "0");
        assert_eq!(whole(999), "999");
        assert_eq!(whole(1_234_567), "1,234,567");
        assert_eq!(decimal(1234.567, 2), "1,234.57");
        assert_eq!(decimal(-0.004, 2), "0.00");
        assert_eq!(decimal(-1234.5, 1), "-1,234.5");
        assert_eq!(percent(81.0), "81.0 %");
        assert_eq!(share(5, 10), "50.0 %");
        assert_eq!(counted(1, "request"), "1 request");
        assert_eq!(counted(2000, "request"), "2,000 requests");
    }
}
