//! What measurements mean: definitions, statistics and verdicts, as pure functions of records.
//!
//! [`definitions`] is the one list of metrics. [`RequestMetrics`] measures one request; [`Accumulator`] adds requests up
//! and ends with a [`Summary`], from which everything is printed.

mod accumulator;
pub mod definitions;
mod errors;
mod goodput;
mod health;
mod phase;
mod request;
mod slices;
mod stats;
mod steady;
mod summary;
pub mod text;
mod tokens;
mod unit;
mod verdicts;
mod warnings;

pub use accumulator::{Accumulator, SummaryError};
pub use definitions::Metric;
pub use errors::ErrorGroup;
pub use goodput::{Objective, ObjectiveError};
pub use health::{ColdStart, Health, Spread, TokenSources};
pub use phase::Counts;
pub use request::RequestMetrics;
pub use slices::Slice;
pub use stats::{Distribution, Metrics, PERCENTILES, Value};
pub use summary::{RunInfo, Summary, WarmupSummary};
pub use tokens::TokenCounts;
pub use unit::Unit;
pub use warnings::Warning;
