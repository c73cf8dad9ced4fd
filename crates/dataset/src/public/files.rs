//! Which files a public dataset is.

use std::fs;
use std::path::{Path, PathBuf};

use super::download::Remote;
use super::names::Source;
use crate::DatasetError;
use crate::input::{Input, InputFile};

/// The cache of the Hugging Face hub.
#[derive(Clone, Debug, Default)]
pub struct Hub {
    folder: Option<PathBuf>,
    /// What is not there is downloaded.
    may_download: bool,
}

impl Hub {
    /// The cache in a folder; nothing is downloaded into it.
    #[must_use]
    pub fn at(folder: impl Into<PathBuf>) -> Self {
        Self { folder: Some(folder.into()), may_download: false }
    }

    /// The cache that the environment names: `HF_HUB_CACHE`, `HUGGINGFACE_HUB_CACHE`, `HF_HOME`, `XDG_CACHE_HOME`, or
    /// else that in the home folder.
    #[must_use]
    pub fn of_environment() -> Self {
        let path = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let folder = path("HF_HUB_CACHE")
            .or_else(|| path("HUGGINGFACE_HUB_CACHE"))
            .or_else(|| path("HF_HOME").map(|home| home.join("hub")))
            .or_else(|| path("XDG_CACHE_HOME").map(|cache| cache.join("huggingface/hub")))
            .or_else(|| path("HOME").map(|home| home.join(".cache/huggingface/hub")));
        Self { folder, may_download: true }
    }

    /// Where to download from, if that is allowed.
    pub(super) fn remote(&self) -> Option<Remote> {
        Remote::of_environment().filter(|_| self.may_download)
    }

    /// Where a dataset's files would lie.
    pub(super) fn folder(&self, repository: &str) -> Option<PathBuf> {
        let (repository, _) = hub_name(repository);
        Some(self.folder.as_ref()?.join(format!("datasets--{}", repository.replace('/', "--"))))
    }

    /// The files of a dataset as they were last downloaded: those of its main branch, or else the only ones there are.
    pub(super) fn snapshot(&self, repository: &str) -> Option<PathBuf> {
        let folder = self.folder(repository)?;
        let snapshots = folder.join("snapshots");
        let main = fs::read_to_string(folder.join("refs/main")).ok().map(|revision| snapshots.join(revision.trim()));
        let snapshot = main.filter(|path| path.is_dir()).or_else(|| only_folder(&snapshots))?;
        match hub_name(repository) {
            (_, Some(file)) => Some(snapshot.join(file)).filter(|path| path.is_file()),
            (_, None) => Some(snapshot),
        }
    }
}

fn only_folder(folder: &Path) -> Option<PathBuf> {
    let mut entries = fs::read_dir(folder).ok()?.filter_map(Result::ok).map(|entry| entry.path());
    let first = entries.next()?;
    entries.next().is_none().then_some(first).filter(|path| path.is_dir())
}

/// The name on the hub and the file of a URL that leads there; a name is itself.
fn hub_name(repository: &str) -> (&str, Option<&str>) {
    repository
        .strip_prefix("https://huggingface.co/datasets/")
        .and_then(|rest| rest.split_once("/resolve/main/"))
        .map_or((repository, None), |(name, file)| (name, Some(file)))
}

/// The files of a place that belong to the subset and the split. A file that was named is taken as it is.
pub(super) fn chosen(
    place: &Path,
    source: &Source,
    subset: Option<&str>,
    subset_was_named: bool,
) -> Result<Input, DatasetError> {
    let mut input = Input::open(place)?;
    if !input.is_folder() {
        return Ok(input);
    }
    input.keep(is_data);
    if let Some(subset) = subset {
        let is_there = input.files().iter().any(|file| has_part(file, subset));
        if is_there {
            input.keep(|file| has_part(file, subset));
        } else if subset_was_named {
            return Err(DatasetError::unusable(place, format!("has no files of the subset {subset}")));
        }
    }
    if !source.split.is_empty() && input.files().iter().any(|file| is_of_split(file, source.split)) {
        input.keep(|file| is_of_split(file, source.split));
    }
    if input.files().is_empty() {
        return Err(DatasetError::unusable(place, "has no Parquet, JSON or JSONL files"));
    }
    Ok(input)
}

/// The names of a dataset's files that belong to the subset and the split, by the rules of [`chosen`].
pub(super) fn wanted<'a>(names: &[&'a str], source: &Source, subset: Option<&str>) -> Vec<&'a str> {
    let mut kept: Vec<&str> = names.iter().copied().filter(|name| is_data_name(&name.to_lowercase())).collect();
    let mut narrow = |belongs: &dyn Fn(&str) -> bool| {
        if kept.iter().any(|name| belongs(&name.to_lowercase())) {
            kept.retain(|name| belongs(&name.to_lowercase()));
        }
    };
    if let Some(subset) = subset {
        narrow(&|name| name_has_part(name, subset));
    }
    if !source.split.is_empty() {
        narrow(&|name| name_is_of_split(name, source.split));
    }
    kept
}

fn is_data(file: &InputFile) -> bool {
    is_data_name(&name(file))
}

/// Whether a file, named in small letters, holds rows.
fn is_data_name(name: &str) -> bool {
    let name = name.strip_suffix(".gz").or_else(|| name.strip_suffix(".zst")).unwrap_or(name);
    let file = name.rsplit('/').next().unwrap_or(name);
    let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
    let is_note = ["readme", "dataset_info", "dataset_infos", "config"].contains(&stem);
    !is_note && [".parquet", ".json", ".jsonl"].iter().any(|ending| name.ends_with(ending))
}

fn name(file: &InputFile) -> String {
    file.name().map(|name| name.to_lowercase()).unwrap_or_default()
}

/// Whether the name of a folder or of the file has this word (`clean/test-0000.parquet`, `CLEVR-Math(MathV360K)/…`).
fn has_part(file: &InputFile, part: &str) -> bool {
    name_has_part(&name(file), part)
}

fn name_has_part(name: &str, part: &str) -> bool {
    let part = part.to_lowercase();
    !part.is_empty() && name.match_indices(&part).any(|(at, _)| is_word(name, at, part.len()))
}

/// Whether the file's name, or a folder of it, begins with the split (`data/test-00000-of-00001.parquet`).
fn is_of_split(file: &InputFile, split: &str) -> bool {
    name_is_of_split(&name(file), split)
}

fn name_is_of_split(name: &str, split: &str) -> bool {
    name.split('/').any(|name| name.starts_with(split) && is_word(name, 0, split.len()))
}

/// Whether neither letters nor digits stand beside a part of a name.
fn is_word(name: &str, at: usize, length: usize) -> bool {
    let (before, after) = (name[..at].chars().next_back(), name[at + length..].chars().next());
    [before, after].into_iter().flatten().all(|character| !character.is_alphanumeric())
}
