//! What is sent: tokenizers, synthetic prompts of exact length, datasets. A workload is a pure function of the
//! plan and the row's number, so that the same seed gives the same bytes on any machine with any number of threads.

mod dataset;
mod digest;
mod synthetic;
mod workload;

pub use dataset::{DatasetError, Fault, Faults};
pub use digest::Digest;
pub use synthetic::LengthError;
pub use workload::{Workload, WorkloadError};
