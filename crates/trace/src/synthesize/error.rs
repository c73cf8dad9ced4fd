//! Why a trace cannot be made.

use std::path::{Path, PathBuf};

/// Why a trace cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum SynthesizeError {
    /// An option has an impossible value.
    #[error("the option `{option}` must be {must}")]
    Option {
        /// Its name in the configuration.
        option: &'static str,
        /// What it must be.
        must: String,
    },
    /// The configuration is no such JSON.
    #[error("the configuration is no options of this generator: {0}")]
    Config(#[source] serde_json::Error),
    /// A session never reached its number of turns.
    #[error(
        "session {session} found no room for {turns} turns below {max_isl} tokens in {attempts} attempts; ask for \
         fewer turns or a larger max_isl, or set turns.allow_truncation"
    )]
    Attempts {
        /// The session, from 0.
        session: u64,
        /// Turns of the last attempt.
        turns: u32,
        /// Where the context ends.
        max_isl: u64,
        /// Attempts.
        attempts: u32,
    },
    /// A row cannot be written.
    #[error("the trace cannot be written: {0}")]
    Write(#[from] std::io::Error),
    /// A file cannot be written.
    #[error("`{}` cannot be written: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: std::io::Error,
    },
}

impl SynthesizeError {
    pub(super) fn option(option: &'static str, must: impl Into<String>) -> Self {
        Self::Option { option, must: must.into() }
    }

    pub(super) fn file(path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::File { path, source }
    }
}
