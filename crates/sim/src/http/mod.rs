//! HTTP/1.1 for a server: reading requests, writing heads. No I/O.

mod chunked;
mod reply;
mod request;

pub(crate) use chunked::read_chunked;
pub(crate) use reply::{Framing, Reply, push_chunk_head, push_head};
pub(crate) use request::{Body, HttpError, Method, RequestHead, read_head};

/// Most bytes of a request's head.
pub(crate) const MAX_HEAD: usize = 64 * 1024;
/// Most bytes of a request's body.
pub(crate) const MAX_BODY: usize = 256 * 1024 * 1024;
