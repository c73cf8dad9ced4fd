//! Why a dataset cannot be used.

use std::io;
use std::path::{Path, PathBuf};

use crate::Faults;

/// Why a dataset cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum DatasetError {
    /// The file cannot be read.
    #[error("the dataset `{}` cannot be read: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// There are no rows.
    #[error("the dataset `{}` has no rows{hint}", path.display())]
    Empty {
        /// The file or folder.
        path: PathBuf,
        /// What was looked for; begins with its own punctuation.
        hint: String,
    },
    /// Some rows cannot be used. Nothing is sent, because leaving them out would change the workload.
    #[error("the dataset `{}` has {faults}\n--skip-bad-lines leaves such rows out and counts them", path.display())]
    Faults {
        /// The file or folder.
        path: PathBuf,
        /// What is wrong.
        faults: Faults,
    },
    /// The file as a whole does not fit.
    #[error("the dataset `{}` {reason}", path.display())]
    Unusable {
        /// The file or folder.
        path: PathBuf,
        /// What is wrong with it and what to do.
        reason: String,
    },
    /// No public dataset has this name.
    #[error("there is no public dataset `{name}`; `sharegpt` or `spec_al_gsm8k` are some that there are")]
    UnknownPublic {
        /// The name.
        name: String,
    },
    /// A public dataset whose repository the user names.
    #[error("the public dataset `{name}` needs its repository, named with --hf-weka-dataset")]
    NoRepository {
        /// The name.
        name: String,
    },
    /// A public dataset has not been downloaded.
    #[error(
        "the public dataset `{name}` is not on this machine; {what}, and name the file or folder with --public-dataset-path ({place})"
    )]
    NotHere {
        /// The name.
        name: String,
        /// What to download.
        what: String,
        /// Where it is looked for.
        place: String,
    },
    /// Conversations could not be kept on disk.
    #[error("conversations of the dataset cannot be kept in a temporary file: {0}; TMPDIR names the folder it lies in")]
    Store(#[from] io::Error),
    /// A conversation that was kept could not be read again.
    #[error("conversation {number} of the dataset cannot be read again: {reason}")]
    Stored {
        /// Its number.
        number: u64,
        /// What is wrong.
        reason: String,
    },
}

impl DatasetError {
    pub(crate) fn io(path: &Path, source: io::Error) -> Self {
        Self::Io { path: path.to_owned(), source }
    }

    pub(crate) fn unusable(path: &Path, reason: impl Into<String>) -> Self {
        Self::Unusable { path: path.to_owned(), reason: reason.into() }
    }
}
