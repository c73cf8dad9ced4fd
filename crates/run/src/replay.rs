//! A finished run once more: what was asked and what came of it, for the reports of other tools.

use std::path::{Path, PathBuf};

use bytes::Bytes;
use tokamark_conversation::Conversation;
use tokamark_record::{CountsReader, Phase, RecordReader, RequestRecord, RunFacts};
use tokamark_workload::Workload;

use crate::RunError;
use crate::folder::Folder;
use crate::payloads::Payloads;
use crate::report_again::{facts_of, find_record};
use crate::schedule::schedule;
use crate::supply::Requests;

/// A finished run.
pub struct Replay {
    /// What is known of it as a whole.
    pub facts: RunFacts,
    record: PathBuf,
    counts: PathBuf,
    begun: u64,
    requests: Option<std::sync::Arc<Requests>>,
}

impl Replay {
    /// Opens the run in a folder, or of a record file.
    ///
    /// # Errors
    /// There is no usable record.
    pub fn open(run: &Path) -> Result<Self, RunError> {
        let record = find_record(run)?;
        let (facts, begun) = facts_of(&record)?;
        let folder = record.parent().unwrap_or(Path::new("."));
        let counts = Folder::at(folder, &facts.plan.report.prefix).counts();
        let requests = Workload::build(&facts.plan).ok().and_then(|workload| {
            let schedule = schedule(&facts.plan, workload.starts_ms(), workload.is_trace()).ok()?;
            Some(Requests::new(&facts.plan, workload.into(), schedule))
        });
        // A dataset may have changed since, and other prompts are worse than none.
        let requests = requests.filter(|requests| requests.digest(begun) == facts.workload_digest);
        Ok(Self { facts, record, counts, begun, requests })
    }

    /// Whether the bodies that were sent can be made again.
    #[must_use]
    pub fn has_bodies(&self) -> bool {
        self.requests.is_some()
    }

    /// Gives the measured requests in the order in which they ended, with the bodies that were sent as far as they can be
    /// told.
    ///
    /// # Errors
    /// The record cannot be read.
    pub fn requests(&self, mut each: impl FnMut(&RequestRecord, Option<Bytes>)) -> Result<(), RunError> {
        let mut reader = RecordReader::open(&self.record)?;
        let mut counts = CountsReader::open(&self.counts);
        let mut payloads = self.requests.clone().map(Payloads::new);
        while let Some(mut record) = reader.next_request()? {
            if let Some(counts) = &mut counts {
                counts.fill(&mut record);
            }
            if record.phase == Phase::Profiling {
                let body = payloads.as_mut().and_then(|payloads| payloads.of(&record));
                each(&record, body);
            }
        }
        Ok(())
    }

    /// Gives each distinct conversation that began, with the bodies of its turns, each by itself.
    pub fn conversations(&self, mut each: impl FnMut(&Conversation, Vec<Bytes>)) {
        if let Some(requests) = &self.requests {
            requests.distinct(self.begun, |conversation, bodies| each(conversation, bodies));
        }
    }
}
