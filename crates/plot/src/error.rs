//! What can go wrong with plots.

use std::io;
use std::path::PathBuf;

use thiserror::Error;

/// Why plots could not be drawn or written.
#[derive(Debug, Error)]
pub enum PlotError {
    /// The folder or a file in it could not be written.
    #[error("{path} could not be written: {source}")]
    Write {
        /// The folder or file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A picture could not be made of a figure.
    #[error("the plot `{title}` could not be made into a PNG: {reason}")]
    Picture {
        /// The figure.
        title: String,
        /// What is wrong.
        reason: String,
    },
}
