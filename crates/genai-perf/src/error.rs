//! What can go wrong with the files of a run.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// Why a recorded run could not be read or a file of it not be written.
#[derive(Debug, Error)]
pub enum GenAiPerfError {
    /// The file could not be opened or read.
    #[error("{path} could not be read: {source}")]
    Read {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The file could not be created or written.
    #[error("{path} could not be written: {source}")]
    Write {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The file is not JSON, or something in it has another type than it should.
    #[error("{path} is not what perf_analyzer writes, {place}: {reason}")]
    Malformed {
        /// The file.
        path: PathBuf,
        /// Where: the request, the line and the column.
        place: String,
        /// What is wrong.
        reason: String,
    },
    /// There is nothing to report.
    #[error("{path} holds no requests; give the profile_export.json of a run that measured something")]
    NoRequests {
        /// The file.
        path: PathBuf,
    },
    /// The API of the endpoint could not be told from the file.
    #[error("the API of endpoint `{endpoint}` cannot be told from {path}; name it with --endpoint-type")]
    UnknownApi {
        /// The file.
        path: PathBuf,
        /// The path that requests were sent to.
        endpoint: String,
    },
    /// The service kind is none that perf_analyzer has.
    #[error("{path} names the unknown service kind `{kind}`; known are openai, triton, triton_c_api and dynamic_grpc")]
    UnknownService {
        /// The file.
        path: PathBuf,
        /// The kind that it names.
        kind: String,
    },
    /// The folder to merge is not one.
    #[error("{path} is not a folder; give the folder that holds one folder per run")]
    NotAFolder {
        /// What was given.
        path: PathBuf,
    },
    /// None of the sub-folders holds a run.
    #[error(
        "no folder in {path} holds both a profile export and its *_genai_perf.json; copy the run folders of all machines there"
    )]
    NothingToMerge {
        /// The folder.
        path: PathBuf,
    },
    /// Runs of different kinds cannot be one.
    #[error("{path} is a run of {found}, but the first one is of {wanted}; merge only runs of one endpoint")]
    Mismatch {
        /// The file that differs.
        path: PathBuf,
        /// Its service and endpoint.
        found: String,
        /// Those of the first run.
        wanted: String,
    },
}

impl GenAiPerfError {
    pub(crate) fn read(path: &Path, source: io::Error) -> Self {
        Self::Read { path: path.to_owned(), source }
    }

    pub(crate) fn write(path: &Path, source: io::Error) -> Self {
        Self::Write { path: path.to_owned(), source }
    }

    /// An error of the JSON parser; `request` is the number, from 1, of the request that it was at.
    pub(crate) fn json(path: &Path, request: Option<u64>, error: serde_json::Error) -> Self {
        if error.is_io() {
            return Self::read(path, error.into());
        }
        let (line, column) = (error.line(), error.column());
        let request = request.map(|number| format!("request {number}, ")).unwrap_or_default();
        let text = error.to_string();
        let reason = text.split(" at line ").next().unwrap_or(&text).to_owned();
        Self::Malformed { path: path.to_owned(), place: format!("{request}line {line}, column {column}"), reason }
    }
}
