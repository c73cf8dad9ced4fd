//! Prompts from files: one file per format reads rows into conversations, which lie in a store on disk until they are
//! asked for. What is wrong with a file is told for all of it at once, with lines and fields.

mod dataset;
mod detect;
mod error;
mod fault;
mod fields;
mod formats;
mod input;
mod options;
mod pages;
mod public;
mod random;
mod raw;
mod reader;
mod schedule;
mod sink;
mod store;
mod traces;

pub use dataset::{Dataset, open};
pub use error::DatasetError;
pub use fault::{Fault, Faults, Place};
pub use options::{Batch, Named, Options};
pub use public::{Hub, open_public, public_names};
pub use traces::analyze;
