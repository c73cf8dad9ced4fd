//! Single values: numbers within bounds, and choices. A value that is wrong is reported and read as absent.

use std::path::PathBuf;

use crate::problems::Problems;

/// A whole number of at least `least`.
pub(crate) fn whole<T>(flag: &str, text: Option<&String>, least: u64, most: T, problems: &mut Problems) -> Option<T>
where
    T: TryFrom<u64> + Into<u64> + Copy,
{
    let text = text?.trim();
    let most: u64 = most.into();
    let message = match text.parse::<u64>() {
        Ok(number) if number < least => format!("must be at least {least}, not {text}"),
        Ok(number) if number > most => format!("must be at most {most}, not {text}"),
        Ok(number) => return T::try_from(number).ok(),
        Err(_) if text.contains(',') => several(text),
        Err(_) if text.parse::<i64>().is_ok() => format!("must be at least {least}, not {text}"),
        Err(_) => format!("`{text}` is not a whole number"),
    };
    problems.add(flag, message);
    None
}

/// What a number may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Range {
    /// Above 0.
    Positive,
    /// 0 or above.
    NotNegative,
    /// 0 or above, or `inf`.
    NotNegativeOrInfinite,
}

/// A number within a range.
pub(crate) fn decimal(flag: &str, text: Option<&String>, range: Range, problems: &mut Problems) -> Option<f64> {
    let text = text?.trim();
    let message = match text.parse::<f64>() {
        Ok(number) if number.is_nan() => format!("`{text}` is not a number"),
        Ok(number) if number.is_infinite() && (number < 0.0 || range != Range::NotNegativeOrInfinite) => {
            format!("must be finite, not {text}")
        }
        Ok(number) if range == Range::Positive && number <= 0.0 => format!("must be above 0, not {text}"),
        Ok(number) if number < 0.0 => format!("must be 0 or above, not {text}"),
        // Adding 0 turns -0 into 0.
        Ok(number) => return Some(number + 0.0),
        Err(_) if text.contains(',') => several(text),
        Err(_) => format!("`{text}` is not a number"),
    };
    problems.add(flag, message);
    None
}

fn several(text: &str) -> String {
    format!("takes one value, not `{text}`: sweeps over several are not supported yet")
}

/// One of a few names, in any case, with `-` or `_`. `others` are names that are known but not supported, each with what to
/// do about it.
pub(crate) fn choice<T: Copy>(
    flag: &str,
    text: Option<&String>,
    choices: &[(&str, T)],
    others: &[(&str, &str)],
    problems: &mut Problems,
) -> Option<T> {
    let text = text?.trim();
    let plain = |name: &str| name.to_lowercase().replace('_', "-");
    if let Some((_, found)) = choices.iter().find(|(name, _)| plain(name) == plain(text)) {
        return Some(*found);
    }
    if let Some((name, advice)) = others.iter().find(|(name, _)| plain(name) == plain(text)) {
        problems.add(flag, format!("`{name}` is not supported yet{advice}"));
        return None;
    }
    let names: Vec<&str> = choices.iter().map(|(name, _)| *name).collect();
    let last = names.last().copied().unwrap_or_default();
    let first = names.get(..names.len().saturating_sub(1)).unwrap_or_default().join(", ");
    let names = if first.is_empty() { last.to_owned() } else { format!("{first} or {last}") };
    problems.add(flag, format!("`{text}` is not known: it must be {names}"));
    None
}

/// A file that is there.
pub(crate) fn file(flag: &str, text: Option<&String>, problems: &mut Problems) -> Option<PathBuf> {
    let path = PathBuf::from(text?);
    if path.is_file() {
        return Some(path);
    }
    let what = if path.is_dir() { "is a folder, not a file" } else { "is not there" };
    problems.add(flag, format!("`{}` {what}", path.display()));
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said<T>(read: impl Fn(Option<&String>, &mut Problems) -> Option<T>, text: &str) -> (Option<T>, String) {
        let mut problems = Problems::default();
        let value = read(Some(&text.to_owned()), &mut problems);
        (value, if problems.is_empty() { String::new() } else { problems.to_string() })
    }

    #[test]
    fn whole_numbers_are_read_and_bounded() {
        let read = |text: &str| said(|text, problems| whole("--n", text, 1, 1000u32, problems), text);
        assert_eq!(read("7"), (Some(7), String::new()));
        assert_eq!(read("1000"), (Some(1000), String::new()));
        assert_eq!(read("0"), (None, "error: --n: must be at least 1, not 0".into()));
        assert_eq!(read("-3"), (None, "error: --n: must be at least 1, not -3".into()));
        assert_eq!(read("1001"), (None, "error: --n: must be at most 1000, not 1001".into()));
        assert_eq!(read("1.5"), (None, "error: --n: `1.5` is not a whole number".into()));
        assert_eq!(read("x"), (None, "error: --n: `x` is not a whole number".into()));
        assert_eq!(read(""), (None, "error: --n: `` is not a whole number".into()));
        assert_eq!(
            read("1,2"),
            (None, "error: --n: takes one value, not `1,2`: sweeps over several are not supported yet".into())
        );
    }

    #[test]
    fn decimals_are_read_and_bounded() {
        let read = |range: Range, text: &str| said(move |text, problems| decimal("--n", text, range, problems), text);
        assert_eq!(read(Range::Positive, "1e-3").0, Some(0.001));
        assert_eq!(read(Range::NotNegative, "0").0, Some(0.0));
        assert_eq!(read(Range::NotNegativeOrInfinite, "inf").0, Some(f64::INFINITY));
        assert_eq!(read(Range::Positive, "0").1, "error: --n: must be above 0, not 0");
        assert_eq!(read(Range::NotNegative, "-1").1, "error: --n: must be 0 or above, not -1");
        assert_eq!(read(Range::NotNegative, "inf").1, "error: --n: must be finite, not inf");
        assert_eq!(read(Range::NotNegativeOrInfinite, "-inf").1, "error: --n: must be finite, not -inf");
        assert_eq!(read(Range::NotNegative, "NaN").1, "error: --n: `NaN` is not a number");
        assert_eq!(read(Range::Positive, "5s").1, "error: --n: `5s` is not a number");
    }

    #[test]
    fn choices_are_read_in_any_spelling() {
        let read = |text: &str| {
            said(
                |text, problems| choice("--c", text, &[("a_b", 1), ("c", 2), ("d", 3)], &[("e", ": use c")], problems),
                text,
            )
        };
        assert_eq!(read("a_b").0, Some(1));
        assert_eq!(read("A-B").0, Some(1));
        assert_eq!(read("x").1, "error: --c: `x` is not known: it must be a_b, c or d");
        assert_eq!(read("E").1, "error: --c: `e` is not supported yet: use c");
    }
}
