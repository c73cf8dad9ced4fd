//! What is to be drawn, as data.

use crate::{BoxStats, HeatMap};

/// The most points of a figure that should be drawn one by one.
pub const MOST_POINTS: usize = 5_000;

/// A figure with its axes.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// What it shows.
    pub title: String,
    /// A line below the title; may be empty.
    pub note: String,
    /// The axis at the bottom.
    pub x: Axis,
    /// The axis at the left.
    pub y: Axis,
    /// What is drawn between them.
    pub content: Content,
}

/// What an axis counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Axis {
    /// What it is; empty for an axis of names.
    pub title: String,
    /// Its unit; may be empty.
    pub unit: String,
    /// Only whole numbers have a meaning on it.
    pub whole: bool,
}

impl Axis {
    /// An axis of numbers.
    #[must_use]
    pub fn new(title: &str, unit: &str) -> Self {
        Self { title: title.to_owned(), unit: unit.to_owned(), whole: false }
    }

    /// The axis of whole numbers.
    #[must_use]
    pub fn whole(self) -> Self {
        Self { whole: true, ..self }
    }

    /// The title with its unit.
    #[must_use]
    pub fn text(&self) -> String {
        if self.unit.is_empty() { self.title.clone() } else { format!("{} ({})", self.title, self.unit) }
    }
}

/// The kinds of figures.
#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// Distributions along the x axis, each in a row of its own.
    Boxes(Vec<BoxRow>),
    /// How many there are of pairs of whole numbers.
    Heat(HeatMap),
    /// One dot each.
    Points(Vec<Point>),
    /// Lines with limits and marks.
    Curve(Curve),
}

/// A distribution: a box, and some of its values as dots below.
#[derive(Clone, Debug, PartialEq)]
pub struct BoxRow {
    /// Its name; may be empty if it is the only one.
    pub name: String,
    /// Quartiles and whiskers.
    pub stats: BoxStats,
    /// Values to show one by one.
    pub dots: Vec<f64>,
}

/// A dot.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// Where along the x axis.
    pub x: f64,
    /// Where along the y axis.
    pub y: f64,
    /// What is said under the pointer.
    pub tip: String,
}

/// Lines, and what is marked on them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Curve {
    /// The lines, each in a colour of its own.
    pub series: Vec<Series>,
    /// Horizontal lines.
    pub limits: Vec<Limit>,
    /// Points to look at.
    pub marks: Vec<Mark>,
}

/// How a series is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Style {
    /// A line through all points in their order.
    #[default]
    Line,
    /// Dots alone.
    Dots,
}

/// Points that belong together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    /// Its name in the legend; a series without one is not in it.
    pub name: String,
    /// Line or dots.
    pub style: Style,
    /// The points, in the order in which the line goes through them.
    pub points: Vec<Point>,
    /// Texts beside the points; empty, or one for each point.
    pub labels: Vec<String>,
}

/// A horizontal line.
#[derive(Clone, Debug, PartialEq)]
pub struct Limit {
    /// Its name in the legend.
    pub name: String,
    /// Where along the y axis.
    pub y: f64,
}

/// A ring around a point.
#[derive(Clone, Debug, PartialEq)]
pub struct Mark {
    /// What it says in the legend.
    pub name: String,
    /// Where along the x axis.
    pub x: f64,
    /// Where along the y axis.
    pub y: f64,
}
