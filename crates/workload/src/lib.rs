//! What is sent: conversations from a dataset or made from the seed, with texts of exact length. A workload is a pure
//! function of the plan and the conversation's number, so that the same seed gives the same bytes on any machine with any
//! number of threads.

mod blocks;
mod build;
mod counting;
mod digest;
mod error;
mod from_dataset;
mod ids;
mod kept;
mod lengths;
mod mark;
mod media;
mod prefix;
mod random;
mod sampling;
mod synthetic;
mod template;
mod text;
mod turn_lengths;
mod workload;

pub use digest::Digest;
pub use error::WorkloadError;
pub use lengths::LengthError;
pub use workload::Workload;
