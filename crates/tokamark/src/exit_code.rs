//! The exit codes. They are part of the interface: scripts rely on them.

/// All went well.
pub(crate) const OK: u8 = 0;
/// The run could not be made, or its results could not be written.
pub(crate) const COULD_NOT_RUN: u8 = 1;
/// The command line is wrong; nothing was sent.
pub(crate) const USAGE: u8 = 2;
/// The run was made, but more requests failed than allowed.
pub(crate) const FAILED_REQUESTS: u8 = 3;
/// A `--strict` rule failed.
pub(crate) const STRICT: u8 = 4;
/// Somebody interrupted the run; what was measured has been reported.
pub(crate) const INTERRUPTED: u8 = 130;
