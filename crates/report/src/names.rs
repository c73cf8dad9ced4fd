//! What the files of a run are called.

use std::path::{Path, PathBuf};

/// Names of a run's files in its folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileNames {
    dir: PathBuf,
    stem: String,
}

impl FileNames {
    /// For a folder and a prefix such as `profile_export`. A prefix that was given as a file name loses its ending.
    #[must_use]
    pub fn new(dir: &Path, prefix: &str) -> Self {
        let stem = [".jsonl", ".json", ".csv"].iter().find_map(|ending| prefix.strip_suffix(ending)).unwrap_or(prefix);
        Self { dir: dir.to_owned(), stem: stem.to_owned() }
    }

    fn named(&self, ending: &str) -> PathBuf {
        self.dir.join(format!("{}{ending}", self.stem))
    }

    /// The summary.
    #[must_use]
    pub fn summary_json(&self) -> PathBuf {
        self.named("_tokamark.json")
    }

    /// The summary as a table.
    #[must_use]
    pub fn summary_csv(&self) -> PathBuf {
        self.named("_tokamark.csv")
    }

    /// One line for each request.
    #[must_use]
    pub fn records_jsonl(&self) -> PathBuf {
        self.named(".jsonl")
    }

    /// What each request sent and got.
    #[must_use]
    pub fn raw_jsonl(&self) -> PathBuf {
        self.named("_raw.jsonl")
    }

    /// The slices.
    #[must_use]
    pub fn timeslices_json(&self) -> PathBuf {
        self.named("_tokamark_timeslices.json")
    }

    /// The slices as a table.
    #[must_use]
    pub fn timeslices_csv(&self) -> PathBuf {
        self.named("_tokamark_timeslices.csv")
    }

    /// The answers' texts.
    #[must_use]
    pub fn outputs_json(&self) -> PathBuf {
        self.dir.join("outputs.json")
    }

    /// One row for each event.
    #[must_use]
    pub fn events_parquet(&self) -> PathBuf {
        self.dir.join("events.parquet")
    }

    /// The workload as sent.
    #[must_use]
    pub fn inputs_json(&self) -> PathBuf {
        self.dir.join("inputs.json")
    }
}
