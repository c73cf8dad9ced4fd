//! `profile_export.json`: the raw record of a perf_analyzer run.

mod api;
mod reader;
mod request;
mod writer;

pub use api::Api;
pub use reader::{Experiment, ExportReader, read_export};
pub use request::{ExportRequest, RawText, ResponseOutput};
pub use writer::{ExportHead, ProfileExportWriter};
