//! Why a run could not be made, or could not be finished.

use std::path::PathBuf;

use tokamark_client::ClientError;
use tokamark_metrics::{ObjectiveError, SummaryError};
use tokamark_record::RecordFileError;
use tokamark_report::WriteError;
use tokamark_workload::WorkloadError;

/// A reason, in one sentence.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The workload cannot be made.
    #[error(transparent)]
    Workload(#[from] WorkloadError),
    /// The load cannot be sent.
    #[error(transparent)]
    Client(#[from] ClientError),
    /// An objective cannot be judged.
    #[error(transparent)]
    Objective(#[from] ObjectiveError),
    /// The record cannot be written or read.
    #[error(transparent)]
    Record(#[from] RecordFileError),
    /// A report cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// The figures cannot be computed.
    #[error(transparent)]
    Summary(#[from] SummaryError),
    /// The folder of the run cannot be made.
    #[error("the artifact folder {} cannot be used: {reason}; choose another with --artifact-dir", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
    /// There is no run in a folder.
    #[error("{} holds no run record; give the folder of a run, or its `*_record.tkm` file", .0.display())]
    NoRun(PathBuf),
    /// A record that holds less than what was reported of it already.
    #[error(
        "{} is damaged: {requests} of its requests can be read, fewer than its folder has a report of; give --artifact-dir to \
         report them elsewhere",
        path.display()
    )]
    Damaged {
        /// The record.
        path: PathBuf,
        /// Measured requests that can be read.
        requests: u64,
    },
    /// A conversation could not be made while the load was going on.
    #[error("a conversation could not be sent: {0}")]
    Conversation(String),
    /// A schedule was asked for, and there are no times to keep.
    #[error(
        "--fixed-schedule needs a time for every conversation, and the dataset does not have them; leave it out to send the \
         requests as the load says"
    )]
    NoTimes,
    /// A trace is sent at its times, and a rate was asked for.
    #[error(
        "the dataset is a trace with times, at which its requests are sent, which conflicts with --request-rate; add \
         --no-fixed-schedule to send them at that rate"
    )]
    TimesAndRate,
    /// The model did not get ready.
    #[error("the model was not ready within {seconds} s; the last answer was: {last}")]
    NotReady {
        /// How long it was waited for.
        seconds: f64,
        /// What the last attempt gave.
        last: String,
    },
    /// The server has no such model, or cannot serve it.
    #[error("the server does not serve the model `{model}`: {reason}")]
    Model {
        /// The model.
        model: String,
        /// What the server says.
        reason: String,
    },
    /// Requests cannot be made of what the model takes.
    #[error("{0}; check --extra-inputs and --endpoint-type")]
    Inputs(String),
    /// Stopped before anything was measured.
    #[error("interrupted before the measurement began")]
    InterruptedEarly,
    /// A thread could not be started.
    #[error("a thread could not be started: {0}")]
    Thread(#[source] std::io::Error),
    /// A thread is gone, which is a defect of this program.
    #[error("a thread of the program stopped unexpectedly; what was recorded up to then is in the run's folder")]
    ThreadGone,
}
