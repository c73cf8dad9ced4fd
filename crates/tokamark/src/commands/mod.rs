//! The commands, one file each.

pub(crate) mod analyze_trace;
pub(crate) mod profile;
pub(crate) mod report;
pub(crate) mod serve;
pub(crate) mod synthesize;
