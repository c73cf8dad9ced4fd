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

/// At most `most` characters of a text; an ellipsis stands for what is left out.
#[must_use]
pub fn shortened(text: &str, most: usize) -> String {
    if text.chars().nth(most).is_none() {
        return text.to_owned();
    }
    let kept: String = text.chars().take(most.saturating_sub(1)).collect();
    format!("{}…", kept.trim_end())
}

/// A number that may be very great or very small, as short as it can be without loss: `0.5`, `20`, `1e-300`.
#[must_use]
pub fn plain(number: f64) -> String {
    if number == 0.0 || (1e-4..1e9).contains(&number.abs()) { format!("{number}") } else { format!("{number:e}") }
}

/// Milliseconds with as many decimals as say something: `2,000.0`, `0.016`.
#[must_use]
pub fn milliseconds(ms: f64) -> String {
    decimal(ms, if ms.abs() < 1.0 { 3 } else { 1 })
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
        assert_eq!(plain(0.5), "0.5");
        assert_eq!(plain(20.0), "20");
        assert_eq!(plain(1e-300), "1e-300");
        assert_eq!(plain(1e300), "1e300");
        assert_eq!(milliseconds(0.0164), "0.016");
        assert_eq!(milliseconds(2000.0), "2,000.0");
        assert_eq!(counted(1, "request"), "1 request");
        assert_eq!(counted(2000, "request"), "2,000 requests");
    }

    #[test]
    fn what_is_left_out_is_marked() {
        assert_eq!(shortened("abc", 3), "abc");
        assert_eq!(shortened("abcd", 3), "ab…");
        assert_eq!(shortened("a bcd", 3), "a…");
        assert_eq!(shortened("äöüß", 3), "äö…");
        assert_eq!(shortened("", 0), "");
    }
}
