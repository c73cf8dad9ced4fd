//! What the server's threads share.

use std::sync::atomic::AtomicU64;

use crate::config::{PromptTokens, SimConfig};
use crate::metrics::EngineMetrics;

/// Written rarely, if at all, so that threads do not slow each other.
pub(crate) struct Shared {
    pub(crate) config: SimConfig,
    pub(crate) tokens: PromptTokens,
    /// One for each thread.
    pub(crate) metrics: Vec<EngineMetrics>,
    /// Requests for tokens so far.
    pub(crate) requests: AtomicU64,
    /// Goes up when prefix caches are to be emptied.
    pub(crate) cache_epoch: AtomicU64,
    /// When the server started, in Unix seconds and on the monotonic clock.
    pub(crate) created: u64,
    pub(crate) started_ns: u64,
}
