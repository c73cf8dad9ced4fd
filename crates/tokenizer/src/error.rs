//! Why a tokenizer is not to be had.

use std::path::PathBuf;

/// Why a tokenizer is not to be had, and what to do about it.
#[derive(Debug, thiserror::Error)]
pub enum TokenizerError {
    /// The name is neither a file, a folder nor in the local cache.
    #[error(
        "tokenizer `{name}` was not found (tried {}); download it, or give --tokenizer a tokenizer.json, its folder, or `builtin`",
        tried.join(", ")
    )]
    NotFound {
        /// The name that was asked for.
        name: String,
        /// Where it was looked for.
        tried: Vec<String>,
    },
    /// A tiktoken encoding other than the compiled-in one.
    #[error("the tiktoken encoding `{name}` is not supported yet; `o200k_base` is (the same as --tokenizer builtin)")]
    UnsupportedEncoding {
        /// The name that was asked for.
        name: String,
    },
    /// A folder holds a tokenizer in another format.
    #[error(
        "`{}` holds {found} but no tokenizer.json; convert it with the transformers library, or give --tokenizer builtin",
        folder.display()
    )]
    UnsupportedFormat {
        /// The folder.
        folder: PathBuf,
        /// The file that was found instead.
        found: &'static str,
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
