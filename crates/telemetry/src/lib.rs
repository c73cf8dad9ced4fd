//! What a run does to the machines that take part in it: the client's own load, and what the GPUs' and the servers'
//! metrics pages say.
//!
//! [`Telemetry::start`] reads pages on threads of its own until [`Handle::finish`], which says what they came to within the
//! measured window. [`summarise`] is the pure part: samples and a window in, figures out.

pub mod exposition;

mod config;
mod efficiency;
mod fetch;
mod gpu;
mod increase;
mod own;
mod samples;
mod scraper;
mod server;
mod statistics;
mod summary;
mod warning;
mod window;

pub use config::{DEFAULT_DCGM_URL, DEFAULT_INTERVAL_NS, Source, TelemetryConfig, Trust, UrlError};
pub use efficiency::{cost_per_million_tokens, energy_per_output_token, energy_per_request, tokens_per_joule};
pub use gpu::{
    CountersFileError, Energy, EnergyBasis, Gpu, GpuField, GpuFields, GpuMetric, GpuSummary, GpuTotals, Unit,
};
pub use increase::Increase;
pub use own::{OwnLoad, cpu_seconds};
pub use samples::{BadLines, PageKind, PageSamples, Series};
pub use scraper::{Handle, Telemetry};
pub use server::{
    Bucket, CounterValue, GaugeValue, HistogramValue, Meaning, Percentiles, Quantile, ServerMetric, ServerSeries,
    ServerValue, SummaryValue,
};
pub use statistics::Statistics;
pub use summary::{PageSummary, ServerSummary, TelemetrySummary, summarise};
pub use warning::{TelemetryWarning, WarningCode};
pub use window::Window;
