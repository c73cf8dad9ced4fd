//! What the pages say of servers.

mod family;
mod histogram;
mod known;
mod summary;

pub use histogram::{Bucket, HistogramValue, Percentiles};
pub use known::Meaning;
pub use summary::{CounterValue, GaugeValue, Quantile, ServerMetric, ServerSeries, ServerValue, SummaryValue};

pub(crate) use summary::metrics;
