//! What is wrong with a dataset.

use std::fmt;
use std::path::PathBuf;

/// Faults that are told one by one; the others are counted.
const TOLD: usize = 20;

/// Why a dataset cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum DatasetError {
    /// The file cannot be read.
    #[error("the dataset `{}` cannot be read: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: std::io::Error,
    },
    /// The file has no rows.
    #[error("the dataset `{}` has no rows; it needs one JSON object per line, such as {{\"text\": \"…\"}}", path.display())]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// Some lines cannot be used. Nothing is sent, because leaving them out would change the workload.
    #[error("the dataset `{}` has {faults}", path.display())]
    Faults {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        faults: Faults,
    },
}

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Line of the file, from 1.
    pub line: u64,
    /// Field of the line's object; none if the line as a whole is wrong.
    pub field: Option<String>,
    /// What is wrong with it.
    pub reason: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.field {
            Some(field) => write!(f, "line {}: `{field}` {}", self.line, self.reason),
            None => write!(f, "line {}: {}", self.line, self.reason),
        }
    }
}

/// What is wrong with a file: the first faults and how many there are.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Faults {
    first: Vec<Fault>,
    count: u64,
}

impl Faults {
    /// The first twenty.
    #[must_use]
    pub fn first(&self) -> &[Fault] {
        &self.first
    }

    /// All, those beyond the first twenty too.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.count
    }

    pub(super) fn add(&mut self, line: u64, field: Option<&str>, reason: impl Into<String>) {
        self.count += 1;
        if self.first.len() < TOLD {
            self.first.push(Fault { line, field: field.map(str::to_owned), reason: reason.into() });
        }
    }
}

impl fmt::Display for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = if self.count == 1 { "" } else { "s" };
        write!(f, "{} fault{plural}, so nothing was sent:", self.count)?;
        for fault in &self.first {
            write!(f, "\n  {fault}")?;
        }
        match self.count - self.first.len() as u64 {
            0 => Ok(()),
            more => write!(f, "\n  and {more} more"),
        }
    }
}
