//! What is wrong with rows of a dataset.

use std::fmt;
use std::sync::Arc;

/// Faults that are told one by one; the others are counted.
const TOLD: usize = 20;

/// Where something is wrong in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// A line, from 1.
    Line(u64),
    /// A row of a table or an entry of a list, from 1.
    Row(u64),
    /// The file as a whole.
    Whole,
}

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The file, relative to the dataset's folder; none if the dataset is one file.
    pub file: Option<Arc<str>>,
    /// Where in the file.
    pub place: Place,
    /// Field of the row's object; none if the row as a whole is wrong.
    pub field: Option<String>,
    /// What is wrong with it.
    pub reason: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, place, field, reason } = self;
        if let Some(file) = file {
            let end = if *place == Place::Whole && field.is_none() { " " } else { ", " };
            write!(f, "{file}{end}")?;
        }
        match place {
            Place::Line(line) => write!(f, "line {line}: ")?,
            Place::Row(row) => write!(f, "row {row}: ")?,
            Place::Whole => {}
        }
        match field {
            Some(field) => write!(f, "`{field}` {reason}"),
            None => write!(f, "{reason}"),
        }
    }
}

/// What is wrong with a dataset: the first faults and how many there are.
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

    pub(crate) fn add(&mut self, fault: Fault) {
        self.count += 1;
        if self.first.len() < TOLD {
            self.first.push(fault);
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
