//! Plots as SVG, PNG and one page to hover over, without a browser and without a network.
//!
//! A [`Figure`] is data; [`svg`] draws it, [`png`](fn@png) makes a picture of that, [`page`] puts several onto one page, and
//! [`write_files`] leaves all of them in a folder. Whoever makes a figure bounds it: [`MOST_POINTS`] are as many as anybody
//! can tell apart.
//!
//! ```
//! use tokamark_plot::{Axis, Content, Figure, Point};
//!
//! let figure = Figure {
//!     title: "Latency vs length".to_owned(),
//!     note: String::new(),
//!     x: Axis::new("Length", "tokens").whole(),
//!     y: Axis::new("Latency", "ms"),
//!     content: Content::Points(vec![Point { x: 40.0, y: 12.5, tip: "12.5 ms".to_owned() }]),
//! };
//! assert!(tokamark_plot::svg(&figure).starts_with("<svg"));
//! ```

mod box_stats;
mod error;
mod figure;
mod files;
mod heat;
mod numbers;
mod page;
mod png;
mod scale;
mod svg;

pub use box_stats::BoxStats;
pub use error::PlotError;
pub use figure::{Axis, BoxRow, Content, Curve, Figure, Limit, MOST_POINTS, Mark, Point, Series, Style};
pub use files::{file_stem, write_files};
pub use heat::{HeatMap, MOST_BINS};
pub use numbers::show;
pub use page::page;
pub use png::{ZOOM, png};
pub use svg::svg;
