//! Why a run could not start. What goes wrong with a single request is a [`Failure`](tokamark_record::Failure) in its record.

use std::path::PathBuf;

/// A reason for not running at all.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// A URL that cannot be used.
    #[error("the URL `{url}` cannot be used: {reason}")]
    BadUrl {
        /// The URL.
        url: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A name that cannot be looked up.
    #[error("the host name `{host}` cannot be resolved: {reason}")]
    Dns {
        /// The name.
        host: String,
        /// What the resolver said.
        reason: String,
    },
    /// No connection could be opened at all.
    #[error("no connection to {url} could be opened: {reason}")]
    Unreachable {
        /// The URL.
        url: String,
        /// The first failure.
        reason: String,
    },
    /// A header that HTTP does not allow.
    #[error("the header `{name}` cannot be sent: {reason}")]
    BadHeader {
        /// Its name.
        name: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A TLS file that cannot be used.
    #[error("the TLS file {} cannot be used: {reason}", path.display())]
    TlsFile {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// TLS cannot be set up.
    #[error("TLS cannot be set up: {0}")]
    Tls(String),
    /// Not enough descriptors for the connections.
    #[error(
        "{needed} connections need about {wanted} open files, but the limit of this process is {limit}; \
         raise it with `ulimit -n {wanted}`"
    )]
    OpenFiles {
        /// Connections.
        needed: u64,
        /// Descriptors for them and for everything else.
        wanted: u64,
        /// The hard limit.
        limit: u64,
    },
    /// A worker thread could not be started.
    #[error("a worker thread could not be started: {0}")]
    Worker(#[source] std::io::Error),
    /// The thread that prepares requests panicked, which is a defect of this program.
    #[error("the thread that prepares requests stopped unexpectedly")]
    SupplyGone,
    /// A worker thread is gone, which is a defect of this program.
    #[error("a worker thread stopped unexpectedly")]
    WorkerGone,
}
