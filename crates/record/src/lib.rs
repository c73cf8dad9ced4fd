//! What happened: one record for each request, in memory and on disk.
//!
//! A record keeps enough to compute any benchmark's definition of any latency later, without another run.
//! All times are nanoseconds of one monotonic clock; [`RunAnchor`] ties them to the wall clock.

mod facts;
mod request;

pub use facts::{Anchor, ClientLoad, PhaseSpan, RunFacts, StopReason};
pub use request::{Event, Failure, FailureKind, Outcome, Phase, RequestRecord, Times};
