//! One run, from its plan to its folder: the workload is built, the load is sent, what happens is recorded, and reports
//! are made of the record.
//!
//! Three kinds of threads take part. Workers (in `tokamark-client`) measure and do nothing else. One recorder writes each
//! finished request to disk at once. One follower reads the record behind it, counts tokens, and writes what is derived;
//! it may fall behind without anything growing in memory, since what lies between is on disk.

mod error;
mod folder;
mod follower;
mod ledger;
mod live;
mod payloads;
mod player;
mod profile;
mod progress;
mod ready;
mod recorder;
mod replay;
mod report_again;
mod schedule;
mod settle;
mod supply;
mod tensors;

pub use error::RunError;
pub use live::{Live, LiveStats};
pub use profile::{Control, Finished, Observer, profile};
pub use replay::Replay;
pub use report_again::report;
