//! A scripted server and a short way to run the engine against it.

pub(crate) mod answers;
pub(crate) mod grpc;
pub(crate) mod plans;
pub(crate) mod running;
pub(crate) mod server;
pub(crate) mod talks;
pub(crate) mod tls;
