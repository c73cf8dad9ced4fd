//! The engine against a scripted server: exact bytes in, exact records out.
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests may panic as tests do")]

#[path = "../support/mod.rs"]
mod support;

mod connections;
mod conversations;
mod framing;
mod grpc;
mod loops;
mod schedules;
mod stamps;
mod stopping;
mod streams;
mod ways;
