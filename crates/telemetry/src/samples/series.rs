//! One series of a page.

use super::column::Column;

/// A name with labels, and its value at each scrape.
#[derive(Clone, Debug)]
pub struct Series {
    pub(super) name: Box<str>,
    pub(super) labels: Vec<(Box<str>, Box<str>)>,
    pub(super) column: Column,
}

impl Series {
    /// The sample's name, suffixes included.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its labels, as first seen.
    pub fn labels(&self) -> impl Iterator<Item = (&str, &str)> {
        self.labels.iter().map(|(name, value)| (name.as_ref(), value.as_ref()))
    }

    /// The value of a label.
    #[must_use]
    pub fn label(&self, name: &str) -> Option<&str> {
        self.labels().find(|(label, _)| *label == name).map(|(_, value)| value)
    }

    /// Its value at each scrape kept, where it had one. Scrapes after its last value are left out.
    pub fn values(&self) -> impl Iterator<Item = Option<f64>> + '_ {
        self.column.iter()
    }
}
