//! Whole runs against a simulated server in the same process, and what they leave behind.
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests may panic as tests do")]

#[path = "../support/mod.rs"]
mod support;

mod damage;
mod faults;
mod files;
mod folders;
mod inputs;
mod readiness;
mod report_again;
mod stopping;
mod tokens;
