//! What a run does to the machines that take part in it. For now: the client's own.

mod own;

pub use own::{OwnLoad, cpu_seconds};
