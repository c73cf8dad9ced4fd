//! Where a run's files go.

use std::fs;
use std::path::{Path, PathBuf};

use tokamark_metrics::text::plain;
use tokamark_plan::Plan;
use tokamark_report::FileNames;

use crate::RunError;

/// The folder of a run and the names of its files.
#[derive(Clone, Debug)]
pub(crate) struct Folder {
    pub(crate) path: PathBuf,
    pub(crate) names: FileNames,
    stem: String,
    /// An earlier run of the same name was in the folder and gives way to this one.
    pub(crate) replaces_a_run: bool,
    /// There was no such folder before.
    is_new: bool,
}

/// Where the files of an earlier run wait until the new one has begun.
const ASIDE: &str = ".tokamark-replaced";
/// Characters of the models in the name of a folder; names of files are limited.
const LONGEST_MODEL: usize = 100;

impl Folder {
    /// Makes the folder of a new run. A folder that the user named is used as it is; one named after the load gets a
    /// number if there is a run in it already.
    pub(crate) fn create(plan: &Plan) -> Result<Self, RunError> {
        let (path, replaces_a_run) = match &plan.report.artifact_dir {
            Some(path) => (path.clone(), has_run(path, &stem_of(&plan.report.prefix))),
            None => (free_name(&Path::new("artifacts").join(name_of(plan)), &stem_of(&plan.report.prefix)), false),
        };
        let failed = |error: &std::io::Error| RunError::Folder { path: path.clone(), reason: reason(error) };
        let is_new = !path.exists();
        fs::create_dir_all(&path).map_err(|error| failed(&error))?;
        let folder = Self { replaces_a_run, is_new, ..Self::at(&path, &plan.report.prefix) };
        folder.set_aside().map_err(|error| failed(&error))?;
        // Found out now rather than after the load.
        let probe = path.join(".tokamark-probe");
        fs::write(&probe, b"x").and_then(|()| fs::remove_file(&probe)).map_err(|error| failed(&error))?;
        Ok(folder)
    }

    /// The folder of a run that is there.
    pub(crate) fn at(path: &Path, prefix: &str) -> Self {
        Self {
            path: path.to_owned(),
            names: FileNames::new(path, prefix),
            stem: stem_of(prefix),
            replaces_a_run: false,
            is_new: false,
        }
    }

    /// The run's record.
    pub(crate) fn record(&self) -> PathBuf {
        self.path.join(format!("{}{RECORD_ENDING}", self.stem))
    }

    /// Token counts beside the record.
    pub(crate) fn counts(&self) -> PathBuf {
        self.path.join(format!("{}_counts.tkm", self.stem))
    }

    /// The files of the run that are there, the most useful first.
    pub(crate) fn written(&self) -> Vec<PathBuf> {
        self.files().into_iter().filter(|path| path.exists()).collect()
    }

    /// All files that a run may leave for others to read.
    fn files(&self) -> [PathBuf; 10] {
        let names = &self.names;
        [
            names.summary_json(),
            names.summary_csv(),
            names.records_jsonl(),
            names.raw_jsonl(),
            names.events_parquet(),
            names.timeslices_json(),
            names.timeslices_csv(),
            names.inputs_json(),
            names.outputs_json(),
            self.record(),
        ]
    }

    /// Moves what an earlier run of the same name left out of the way, so that its files are not taken for this one's and
    /// are still there should this one come to nothing.
    fn set_aside(&self) -> std::io::Result<()> {
        let aside = self.path.join(ASIDE);
        for file in self.files().into_iter().chain([self.counts()]).filter(|file| file.exists()) {
            fs::create_dir_all(&aside)?;
            fs::rename(&file, aside.join(file.file_name().unwrap_or_default()))?;
        }
        Ok(())
    }

    /// The new run has begun: the earlier one gives way to it.
    pub(crate) fn begin(&self) {
        // What cannot be removed does no harm where it is.
        let _ = fs::remove_dir_all(self.path.join(ASIDE));
    }

    /// The new run came to nothing: all is as it was before [`Folder::create`].
    pub(crate) fn undo(&self) {
        let aside = self.path.join(ASIDE);
        for file in self.files().into_iter().chain([self.counts()]) {
            let _ = fs::remove_file(&file);
            let _ = fs::rename(aside.join(file.file_name().unwrap_or_default()), &file);
        }
        let _ = fs::remove_dir(aside);
        if self.is_new {
            let _ = fs::remove_dir(&self.path);
        }
    }

    /// Measured requests in the summary that the folder has of this run, if it has one.
    pub(crate) fn reported(&self, run_id: &str) -> Option<u64> {
        let summary = fs::read(self.names.summary_json()).ok()?;
        let summary: serde_json::Value = serde_json::from_slice(&summary).ok()?;
        let is_same = summary.pointer("/run/run_id")?.as_str()? == run_id;
        summary.pointer("/counts/attempted")?.as_u64().filter(|_| is_same)
    }
}

/// How the names of record files end.
pub(crate) const RECORD_ENDING: &str = "_record.tkm";

fn stem_of(prefix: &str) -> String {
    [".jsonl", ".json", ".csv"].iter().find_map(|ending| prefix.strip_suffix(ending)).unwrap_or(prefix).to_owned()
}

fn has_run(path: &Path, stem: &str) -> bool {
    path.join(format!("{stem}{RECORD_ENDING}")).exists() || path.join(format!("{stem}_tokamark.json")).exists()
}

fn free_name(path: &Path, stem: &str) -> PathBuf {
    if !has_run(path, stem) {
        return path.to_owned();
    }
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    (2u32..)
        .map(|number| path.with_file_name(format!("{name}-{number}")))
        .find(|path| !has_run(path, stem))
        .unwrap_or_default()
}

/// `<model>-openai-<endpoint>-<load>`, as GenAI-Perf names its folders.
fn name_of(plan: &Plan) -> String {
    let models = plan.target.models.join("_").replace(['/', '\\', ':'], "_");
    let model: String = models.chars().take(LONGEST_MODEL).collect();
    let endpoint = plan.target.endpoint.name();
    let load = match (plan.load.request_rate, plan.load.concurrency) {
        (None, None) => "fixed_schedule".to_owned(),
        (None, Some(slots)) => format!("concurrency{slots}"),
        (Some(rate), None) => format!("request_rate{}", plain(rate)),
        (Some(rate), Some(cap)) => format!("concurrency{cap}-request_rate{}", plain(rate)),
    };
    format!("{model}-openai-{endpoint}-{load}")
}

/// What the system says, without its numbers.
pub(crate) fn reason(error: &std::io::Error) -> String {
    let text = error.to_string();
    text.find(" (os error").map_or(text.clone(), |end| text[..end].to_lowercase())
}
