//! Formats of traces: what was once sent, with lengths and times.

mod analyze;
mod azure;
mod bailian;
mod baseten;
mod burst_gpt;
mod mooncake;
mod replay;
mod rows;
mod table;
mod tracelab;
mod weka;

use tokamark_plan::DatasetFormat;

pub use analyze::analyze;

use crate::reader::Reader;
use rows::RowTrace;

/// The reader of a trace's format; none if the format is no trace.
pub(crate) fn reader(format: DatasetFormat) -> Option<Box<dyn Reader>> {
    Some(match format {
        DatasetFormat::MooncakeTrace => Box::new(RowTrace::<mooncake::Mooncake>::default()),
        DatasetFormat::BailianTrace => Box::new(RowTrace::<bailian::Bailian>::default()),
        DatasetFormat::BurstGptTrace => Box::new(RowTrace::<burst_gpt::BurstGpt>::default()),
        DatasetFormat::AzureTrace => Box::new(RowTrace::<azure::Azure>::default()),
        DatasetFormat::BasetenTrace => Box::new(baseten::Baseten::default()),
        DatasetFormat::Tracelab => Box::new(RowTrace::<tracelab::Tracelab>::default()),
        DatasetFormat::WekaTrace => Box::new(weka::Weka),
        _ => return None,
    })
}
