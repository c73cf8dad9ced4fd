//! Failures, grouped by what is the same about them.

use std::collections::HashMap;

use serde::{Serialize, Serializer};
use tokamark_record::{Failure, FailureKind};

/// Groups that are kept apart; what comes later is counted together.
const MOST_GROUPS: usize = 64;
/// Bytes of a message that take part in grouping and are kept as the sample.
const MOST_BYTES: usize = 2000;

/// Failures that differ in nothing but ids and numbers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ErrorGroup {
    /// HTTP status or the server's own code; a number in files if it is one.
    #[serde(serialize_with = "code_as_number")]
    pub code: Option<String>,
    /// The server's name for the error; else the kind.
    #[serde(rename = "type")]
    pub label: String,
    /// Our name for the kind of failure; `other` for what was too varied to be listed.
    pub kind: &'static str,
    /// The message of the first of them.
    pub message: String,
    /// How many there were.
    pub count: u64,
}

fn code_as_number<S: Serializer>(code: &Option<String>, serializer: S) -> Result<S::Ok, S::Error> {
    match code.as_deref().map(|code| (code, code.parse::<u32>())) {
        None => serializer.serialize_none(),
        Some((_, Ok(number))) => serializer.serialize_u32(number),
        Some((word, Err(_))) => serializer.serialize_str(word),
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Key {
    kind: FailureKind,
    code: Option<String>,
    label: Option<String>,
    message: String,
}

/// Collects failures.
#[derive(Debug, Default)]
pub(crate) struct ErrorGroups {
    groups: HashMap<Key, usize>,
    list: Vec<ErrorGroup>,
    other: u64,
}

impl ErrorGroups {
    pub(crate) fn add(&mut self, failure: &Failure) {
        let message = shortened(&failure.message);
        let key = Key {
            kind: failure.kind,
            code: failure.code.clone(),
            label: failure.label.clone(),
            message: without_numbers(message),
        };
        if let Some(group) = self.groups.get(&key).and_then(|i| self.list.get_mut(*i)) {
            group.count += 1;
        } else if self.list.len() < MOST_GROUPS {
            self.groups.insert(key, self.list.len());
            self.list.push(ErrorGroup {
                code: failure.code.clone(),
                label: failure.label.clone().unwrap_or_else(|| failure.kind.name().to_owned()),
                kind: failure.kind.name(),
                message: message.to_owned(),
                count: 1,
            });
        } else {
            self.other += 1;
        }
    }

    /// The groups, most frequent first.
    pub(crate) fn finish(&self) -> Vec<ErrorGroup> {
        let mut groups = self.list.clone();
        groups.sort_by_key(|group| std::cmp::Reverse(group.count));
        if self.other > 0 {
            groups.push(ErrorGroup {
                code: None,
                label: "other".to_owned(),
                kind: "other",
                message: "further failures, each with a message of its own; the per-request file has them".to_owned(),
                count: self.other,
            });
        }
        groups
    }
}

fn shortened(message: &str) -> &str {
    let mut end = message.len().min(MOST_BYTES);
    while !message.is_char_boundary(end) {
        end -= 1;
    }
    message.get(..end).unwrap_or_default()
}

/// The message with each word that has a digit in it (numbers, ids, addresses) replaced, so that messages which differ only
/// in those are the same.
fn without_numbers(message: &str) -> String {
    let mut out = String::with_capacity(message.len());
    let is_word = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
    let mut rest = message;
    while let Some(first) = rest.chars().next() {
        let same = is_word(first);
        let end = rest.find(|c| is_word(c) != same).unwrap_or(rest.len());
        let (part, after) = rest.split_at(end);
        out.push_str(if same && part.contains(|c: char| c.is_ascii_digit()) { "#" } else { part });
        rest = after;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure(message: &str) -> Failure {
        Failure { kind: FailureKind::HttpStatus, code: Some("400".into()), label: None, message: message.into() }
    }

    #[test]
    fn numbers_and_ids_do_not_part_what_is_the_same() {
        let mut groups = ErrorGroups::default();
        groups.add(&failure("request 7f3a-99: too long (5000 > 4096)"));
        groups.add(&failure("request ab12-01: too long (6000 > 4096)"));
        groups.add(&failure("too short"));
        let found = groups.finish();
        assert_eq!(found.len(), 2);
        assert_eq!((found[0].count, found[0].label.as_str()), (2, "http_status"));
        assert_eq!(found[0].message, "request 7f3a-99: too long (5000 > 4096)");
    }

    #[test]
    fn the_number_of_groups_is_bounded() {
        let mut groups = ErrorGroups::default();
        let word = |i: u32| "x".repeat(i as usize + 1);
        (0..100).for_each(|i| groups.add(&failure(&word(i))));
        let found = groups.finish();
        assert_eq!(found.len(), MOST_GROUPS + 1);
        assert_eq!(found.iter().map(|group| group.count).sum::<u64>(), 100);
        assert_eq!(found.last().map(|group| group.count), Some(36));
    }
}
