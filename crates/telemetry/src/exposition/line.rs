//! One line of a page.

use std::borrow::Cow;

use super::labels::{label_set, metric_name, quoted, skip_blanks, unescape};
use super::{Exemplar, FamilyKind, Line, Sample};

/// Why a line is not well formed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LineError {
    /// No metric name.
    #[error("a line has no metric name")]
    Name,
    /// Something is wrong between the braces.
    #[error("the labels of a line are not well formed")]
    Labels,
    /// A quoted text has no end.
    #[error("a quoted text has no closing quote")]
    OpenQuote,
    /// The same label twice.
    #[error("a line has the same label twice")]
    TwiceLabel,
    /// No value, or one that is not a number.
    #[error("a line has no value, or one that is not a number")]
    Value,
    /// A timestamp that is not a number.
    #[error("the timestamp of a line is not a number")]
    Timestamp,
    /// An exemplar that is not well formed.
    #[error("the exemplar of a line is not well formed")]
    Exemplar,
    /// A TYPE line with an unknown type.
    #[error("a TYPE line names no known type")]
    Type,
}

pub(super) fn parse(line: &str) -> Result<Line<'_>, LineError> {
    let line = skip_blanks(line);
    match line.as_bytes().first() {
        None => Ok(Line::Comment),
        Some(b'#') => comment(&line[1..]),
        Some(_) => sample(line).map(Line::Sample),
    }
}

fn comment(text: &str) -> Result<Line<'_>, LineError> {
    let text = skip_blanks(text);
    let (keyword, rest) = token(text);
    match keyword {
        "EOF" if skip_blanks(rest).is_empty() => Ok(Line::Eof),
        "HELP" => {
            let (name, rest) = family_name(rest)?;
            Ok(Line::Help { name, text: unescape(skip_blanks(rest), true) })
        }
        "TYPE" => {
            let (name, rest) = family_name(rest)?;
            let (kind, rest) = token(skip_blanks(rest));
            let kind = FamilyKind::named(kind).filter(|_| skip_blanks(rest).is_empty()).ok_or(LineError::Type)?;
            Ok(Line::Type { name, kind })
        }
        "UNIT" => {
            let (name, rest) = family_name(rest)?;
            Ok(Line::Unit { name, unit: token(skip_blanks(rest)).0 })
        }
        _ => Ok(Line::Comment),
    }
}

/// The name after HELP, TYPE or UNIT: bare or quoted.
fn family_name(text: &str) -> Result<(Cow<'_, str>, &str), LineError> {
    let text = skip_blanks(text);
    if text.starts_with('"') {
        return quoted(text);
    }
    let (name, rest) = metric_name(text);
    let ends = rest.is_empty() || rest.starts_with([' ', '\t']);
    if name.is_empty() || !ends { Err(LineError::Name) } else { Ok((Cow::Borrowed(name), rest)) }
}

/// Up to the next blank, and the rest.
fn token(text: &str) -> (&str, &str) {
    text.split_at(text.find([' ', '\t']).unwrap_or(text.len()))
}

fn sample(line: &str) -> Result<Sample<'_>, LineError> {
    let (bare, after_name) = metric_name(line);
    let before_labels = skip_blanks(after_name);
    let (name, labels, rest) = if before_labels.starts_with('{') {
        let (quoted, labels, rest) = label_set(before_labels)?;
        let name = match (quoted, bare.is_empty()) {
            (None, false) => Cow::Borrowed(bare),
            (Some(quoted), true) => quoted,
            _ => return Err(LineError::Name),
        };
        (name, labels, rest)
    } else if bare.is_empty() {
        return Err(LineError::Name);
    } else if before_labels.len() == after_name.len() {
        // Neither braces nor a blank after the name.
        return Err(LineError::Value);
    } else {
        (Cow::Borrowed(bare), Vec::new(), after_name)
    };
    let series = line[..line.len() - rest.len()].trim_end_matches([' ', '\t']);
    let (value, rest) = number(rest).ok_or(LineError::Value)?;
    let (timestamp, rest) = optional_number(rest).ok_or(LineError::Timestamp)?;
    let exemplar = if rest.is_empty() { None } else { Some(exemplar(rest).ok_or(LineError::Exemplar)?) };
    Ok(Sample { series, name, labels, value, timestamp, exemplar })
}

/// What follows the value and the timestamp: `# {labels} value [timestamp]`.
fn exemplar(text: &str) -> Option<Exemplar<'_>> {
    let (name, labels, rest) = label_set(skip_blanks(text.strip_prefix('#')?)).ok()?;
    let (value, rest) = number(rest)?;
    let (timestamp, rest) = optional_number(rest)?;
    (name.is_none() && rest.is_empty()).then_some(Exemplar { labels, value, timestamp })
}

/// A number after optional blanks, and the rest without the blanks before it.
fn number(text: &str) -> Option<(f64, &str)> {
    let (token, rest) = token(skip_blanks(text));
    Some((token.parse().ok()?, skip_blanks(rest)))
}

/// A number, if there is something other than an exemplar. The outer `None`: there is, and it is not a number.
fn optional_number(text: &str) -> Option<(Option<f64>, &str)> {
    let text = skip_blanks(text);
    if text.is_empty() || text.starts_with('#') {
        return Some((None, text));
    }
    number(text).map(|(number, rest)| (Some(number), rest))
}
