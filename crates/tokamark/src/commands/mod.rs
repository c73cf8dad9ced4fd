//! The commands, one file each.

pub(crate) mod profile;
pub(crate) mod report;
pub(crate) mod serve;
