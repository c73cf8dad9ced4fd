//! Why a tokenizer is not to be had.

use std::path::PathBuf;

use crate::hub::HubError;

/// Why a tokenizer is not to be had, and what to do about it.
#[derive(Debug, thiserror::Error)]
pub enum TokenizerError {
    /// The name is neither a file, a folder, an encoding nor in the local cache, and the hub was not asked.
    #[error(
        "tokenizer `{name}` was not found (tried {}); download it, or give --tokenizer a file, a folder, or `builtin`",
        tried.join(", ")
    )]
    NotFound {
        /// The name that was asked for.
        name: String,
        /// Where it was looked for.
        tried: Vec<String>,
    },
    /// The hub does not give it.
    #[error("tokenizer `{name}` cannot be downloaded: {reason}")]
    Download {
        /// The name that was asked for.
        name: String,
        /// The reason, and what to do about it.
        reason: HubError,
    },
    /// A file cannot be read.
    #[error("tokenizer file `{}` cannot be read: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: std::io::Error,
    },
    /// A file does not describe a tokenizer.
    #[error("`{name}` is not a tokenizer that can be loaded: {reason}; download it again, or give --tokenizer builtin")]
    Unreadable {
        /// Name or file.
        name: String,
        /// The reason.
        reason: String,
    },
    /// The tokenizer fails on characters outside its vocabulary.
    #[error(
        "tokenizer `{name}` fails on text outside its vocabulary: {reason}; add an unknown token to it, or give --tokenizer builtin"
    )]
    Partial {
        /// Name or file.
        name: String,
        /// The reason.
        reason: String,
    },
}
