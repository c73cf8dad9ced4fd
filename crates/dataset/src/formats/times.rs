//! Times of a clock.

use chrono::{DateTime, NaiveDateTime};

/// Milliseconds since 1970 of a time in ISO 8601; without a zone it is UTC.
pub(super) fn of_text(text: &str) -> Option<f64> {
    let text = text.trim();
    let time = match DateTime::parse_from_rfc3339(text) {
        Ok(time) => time.to_utc(),
        Err(_) => NaiveDateTime::parse_from_str(&text.replacen(' ', "T", 1), "%Y-%m-%dT%H:%M:%S%.f").ok()?.and_utc(),
    };
    Some(time.timestamp() as f64 * 1e3 + f64::from(time.timestamp_subsec_nanos()) * 1e-6)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_milliseconds() {
        assert_eq!(of_text("1970-01-01T00:00:01.5Z"), Some(1500.0));
        assert_eq!(of_text("1970-01-01T01:00:00+01:00"), Some(0.0));
        assert_eq!(of_text("1970-01-02 00:00:00"), Some(86_400_000.0));
        assert_eq!(of_text("yesterday"), None);
    }
}
