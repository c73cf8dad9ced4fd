//! What can go wrong with files.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// A file could not be written.
#[derive(Debug, Error)]
#[error("{path} could not be {action}: {source}{hint}", path = path.display())]
pub struct WriteError {
    /// The file.
    pub path: PathBuf,
    /// What was tried.
    pub action: &'static str,
    /// What the system said.
    pub source: io::Error,
    hint: &'static str,
}

impl WriteError {
    pub(crate) fn new(path: &Path, action: &'static str, source: io::Error) -> Self {
        let hint = match source.kind() {
            io::ErrorKind::NotFound => "; the folder does not exist, see --artifact-dir",
            io::ErrorKind::PermissionDenied => "; name a folder that can be written with --artifact-dir",
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                "; free some space, name another --artifact-dir, or write less with --export-level summary"
            }
            io::ErrorKind::ReadOnlyFilesystem => "; name a folder that can be written with --artifact-dir",
            _ => "",
        };
        Self { path: path.to_owned(), action, source, hint }
    }
}
