//! Metrics pages in the Prometheus text format (0.0.4, with the quoted names of 1.0) and in OpenMetrics 1.0.
//!
//! A page is read line by line; a line that is not well formed is an error of its own and spoils no other.

mod labels;
mod line;

use std::borrow::Cow;

pub use line::LineError;

/// Labels in the order of the page.
pub type Labels<'a> = Vec<(Cow<'a, str>, Cow<'a, str>)>;

/// What a family measures, as its TYPE line says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FamilyKind {
    /// A sum that only grows, until its server starts again.
    Counter,
    /// A value that goes up and down.
    Gauge,
    /// Counts in cumulative buckets.
    Histogram,
    /// Counts in buckets that may go down.
    GaugeHistogram,
    /// Quantiles that the server computed, with a sum and a count.
    Summary,
    /// Constant facts in labels.
    Info,
    /// One of several states.
    StateSet,
    /// Not said, or said to be `untyped` or `unknown`.
    #[default]
    Unknown,
}

impl FamilyKind {
    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "counter" => Self::Counter,
            "gauge" => Self::Gauge,
            "histogram" => Self::Histogram,
            "gaugehistogram" => Self::GaugeHistogram,
            "summary" => Self::Summary,
            "info" => Self::Info,
            "stateset" => Self::StateSet,
            "unknown" | "untyped" => Self::Unknown,
            _ => return None,
        })
    }
}

/// One line of a page.
#[derive(Clone, Debug, PartialEq)]
pub enum Line<'a> {
    /// `# HELP name text`
    Help {
        /// The family.
        name: Cow<'a, str>,
        /// The text, unescaped.
        text: Cow<'a, str>,
    },
    /// `# TYPE name kind`
    Type {
        /// The family.
        name: Cow<'a, str>,
        /// Its kind.
        kind: FamilyKind,
    },
    /// `# UNIT name unit`
    Unit {
        /// The family.
        name: Cow<'a, str>,
        /// Its unit, which may be empty.
        unit: &'a str,
    },
    /// A value.
    Sample(Sample<'a>),
    /// Any other comment, or an empty line.
    Comment,
    /// `# EOF`: nothing after it belongs to the page.
    Eof,
}

/// One sample line.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample<'a> {
    /// The name with the labels as they are written: the same text is the same series.
    pub series: &'a str,
    /// The sample's name, suffixes included.
    pub name: Cow<'a, str>,
    /// Labels in the order of the page, unescaped.
    pub labels: Labels<'a>,
    /// The value; NaN and the infinities are values too.
    pub value: f64,
    /// The timestamp as written: milliseconds in the Prometheus format, seconds in OpenMetrics.
    pub timestamp: Option<f64>,
    /// An example of what the sample counted.
    pub exemplar: Option<Exemplar<'a>>,
}

impl Sample<'_> {
    /// The value of a label.
    #[must_use]
    pub fn label(&self, name: &str) -> Option<&str> {
        self.labels.iter().find(|(label, _)| label == name).map(|(_, value)| value.as_ref())
    }
}

/// An OpenMetrics exemplar.
#[derive(Clone, Debug, PartialEq)]
pub struct Exemplar<'a> {
    /// Its labels.
    pub labels: Labels<'a>,
    /// Its value.
    pub value: f64,
    /// Seconds since the Unix epoch.
    pub timestamp: Option<f64>,
}

/// Reads one line, without its line end.
///
/// # Errors
/// When it is neither a comment nor a well-formed sample.
pub fn parse_line(line: &str) -> Result<Line<'_>, LineError> {
    line::parse(line)
}

/// The lines of a page, up to its `# EOF` where it has one. Each item has its line's number, from 1.
pub fn lines(page: &str) -> impl Iterator<Item = (usize, Result<Line<'_>, LineError>)> {
    page.split('\n')
        .map(|line| line.strip_suffix('\r').unwrap_or(line))
        .enumerate()
        .map(|(index, line)| (index + 1, line::parse(line)))
        .take_while(|(_, line)| !matches!(line, Ok(Line::Eof)))
}
