//! Instants as text.

/// An instant in nanoseconds since the Unix epoch as RFC 3339 text in UTC, to the millisecond.
#[must_use]
pub fn utc(epoch_ns: u64) -> String {
    let seconds = epoch_ns / 1_000_000_000;
    let millis = epoch_ns / 1_000_000 % 1000;
    let (year, month, day) = date_of(seconds / 86_400);
    let of_day = seconds % 86_400;
    let (hour, minute, second) = (of_day / 3600, of_day / 60 % 60, of_day % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{millis:03}Z")
}

/// The Gregorian date of a day since 1970-01-01, counted in years that begin in March, so that leap days come last.
fn date_of(day: u64) -> (u64, u64, u64) {
    let day = day + 719_468;
    let era = day / 146_097;
    let of_era = day % 146_097;
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let march_month = (5 * of_year + 2) / 153;
    let month = if march_month < 10 { march_month + 3 } else { march_month - 9 };
    (year + era * 400 + u64::from(month <= 2), month, of_year - (153 * march_month + 2) / 5 + 1)
}

#[cfg(test)]
mod tests {
    use super::utc;

    #[test]
    fn known_instants() {
        assert_eq!(utc(0), "1970-01-01T00:00:00.000Z");
        assert_eq!(utc(951_782_400_000_000_000), "2000-02-29T00:00:00.000Z");
        assert_eq!(utc(1_796_082_929_534_061_318), "2026-11-30T23:55:29.534Z");
        assert_eq!(utc(4_107_542_400_000_000_000), "2100-03-01T00:00:00.000Z");
    }
}
