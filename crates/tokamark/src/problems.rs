//! All that is wrong with a command line, told at once.

use std::collections::BTreeMap;
use std::fmt;

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Problem {
    /// The flag as the user spelt it, or another source such as an argument or a variable.
    source: Option<String>,
    message: String,
}

/// Collects problems; each names its flag.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Problems {
    list: Vec<Problem>,
    /// How the user spelt a flag, by its main name.
    spelt: BTreeMap<String, String>,
}

impl Problems {
    /// Remembers how a flag was spelt, so that messages speak of what the user wrote.
    pub(crate) fn spelt(&mut self, flag: &str, as_written: &str) {
        self.spelt.insert(flag.to_owned(), as_written.to_owned());
    }

    /// Lets a flag go by the name that another one was written with, as a dialect calls it.
    pub(crate) fn means(&mut self, flag: &str, other: &str) {
        let as_written = self.spelt.get(other).cloned().unwrap_or_else(|| other.to_owned());
        self.spelt.insert(flag.to_owned(), as_written);
    }

    /// Adds a problem with the flag of that main name, such as `--url`.
    pub(crate) fn add(&mut self, flag: &str, message: impl Into<String>) {
        let source = self.spelt.get(flag).map_or(flag, String::as_str).to_owned();
        self.list.push(Problem { source: Some(source), message: message.into() });
    }

    /// Adds a problem that no one flag has.
    pub(crate) fn add_general(&mut self, message: impl Into<String>) {
        self.list.push(Problem { source: None, message: message.into() });
    }

    /// Takes over what is wrong elsewhere.
    pub(crate) fn extend(&mut self, other: Self) {
        self.list.extend(other.list);
    }

    /// True if nothing is wrong.
    pub(crate) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.source {
            Some(source) => write!(f, "{source}: {}", self.message),
            None => f.write_str(&self.message),
        }
    }
}

impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.list.as_slice() {
            [one] => write!(f, "error: {one}"),
            all => {
                write!(f, "error: {} problems with the command line", all.len())?;
                all.iter().try_for_each(|problem| write!(f, "\n  {problem}"))
            }
        }
    }
}
