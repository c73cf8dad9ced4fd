//! What happened: one record for each request, in memory and on disk.
//!
//! A record keeps enough to compute any benchmark's definition of any latency later, without another run.
//! All times are nanoseconds of one monotonic clock; [`Anchor`] ties them to the wall clock.

mod codec;
pub mod column;
mod counts;
mod facts;
mod file;
mod id;
mod request;

pub use column::{Column, ColumnStats};
pub use counts::{CountsReader, CountsWriter};
pub use facts::{Anchor, ClientLoad, PhaseSpan, RunFacts, StopReason};
pub use file::{FORMAT_VERSION, RecordFileError, RecordReader, RecordWriter};
pub use id::{correlation_id, request_id};
pub use request::{Event, Failure, FailureKind, Outcome, Phase, RequestRecord, Times};
