//! What the pages said, kept small.

mod column;
mod instants;
mod page_samples;
mod series;
mod varint;

pub use page_samples::{BadLines, PageKind, PageSamples};
pub use series::Series;

pub(crate) use page_samples::Scrape;
