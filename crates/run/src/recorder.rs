//! The thread that writes each finished request to disk.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::thread::JoinHandle;
use std::time::Duration;

use tokamark_client::StopHandle;
use tokamark_record::{Phase, RecordFileError, RecordWriter, RequestRecord, RunFacts};

use crate::RunError;
use crate::ledger::Ledger;
use crate::live::Live;
use crate::progress::Progress;

/// How long a finished request may stay in memory alone.
const FLUSH_AFTER: Duration = Duration::from_millis(100);

/// What the recorder has at its end.
pub(crate) struct Recorded {
    pub(crate) writer: RecordWriter,
    /// Highest number of a measured conversation, plus one.
    pub(crate) begun: u64,
    /// The first error; the run was stopped because of it.
    pub(crate) error: Option<RecordFileError>,
}

/// Starts the recorder. It ends when all senders of records are gone.
pub(crate) fn start(
    path: PathBuf,
    facts: &RunFacts,
    records: Receiver<RequestRecord>,
    live: Arc<Live>,
    ledger: Arc<Ledger>,
    progress: Arc<Progress>,
    stop: StopHandle,
) -> Result<JoinHandle<Recorded>, RunError> {
    let mut writer = RecordWriter::create(&path)?;
    // The facts as they stand, so that a run that is killed can still be reported.
    writer.facts(facts)?;
    writer.flush()?;
    let record = move || {
        let mut recorded = Recorded { writer, begun: 0, error: None };
        let mut is_flushed = true;
        loop {
            let next = if is_flushed {
                records.recv().map_err(|_| RecvTimeoutError::Disconnected)
            } else {
                records.recv_timeout(FLUSH_AFTER)
            };
            match next {
                Ok(record) => {
                    live.add(&record);
                    recorded.add(&record, &stop);
                    ledger.begun(recorded.begun);
                    is_flushed = false;
                }
                Err(RecvTimeoutError::Timeout) => {
                    recorded.flush(&progress, &stop);
                    is_flushed = true;
                }
                Err(RecvTimeoutError::Disconnected) => {
                    recorded.flush(&progress, &stop);
                    return recorded;
                }
            }
            // Under a steady stream of requests the time never runs out, so the follower is told by count as well.
            recorded.flush_now_and_then(&progress, &stop);
        }
    };
    std::thread::Builder::new().name("tokamark-record".to_owned()).spawn(record).map_err(RunError::Thread)
}

impl Recorded {
    fn add(&mut self, record: &RequestRecord, stop: &StopHandle) {
        if record.phase == Phase::Profiling {
            self.begun = self.begun.max(record.session + 1);
        }
        let result = self.writer.request(record);
        self.note(result, stop);
    }

    fn flush(&mut self, progress: &Progress, stop: &StopHandle) {
        let result = self.writer.flush();
        self.note(result, stop);
        progress.flushed();
    }

    fn flush_now_and_then(&mut self, progress: &Progress, stop: &StopHandle) {
        if self.writer.unflushed() >= 64 {
            self.flush(progress, stop);
        }
    }

    /// What cannot be recorded need not be measured: the first error stops the run.
    fn note(&mut self, result: Result<(), RecordFileError>, stop: &StopHandle) {
        if let Err(error) = result {
            self.error.get_or_insert(error);
            stop.stop();
        }
    }
}
