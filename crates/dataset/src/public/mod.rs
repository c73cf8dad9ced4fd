//! Public datasets: where they come from, and what of their columns is asked.

mod columns;
mod download;
mod files;
mod media;
mod names;
pub(crate) mod rows;

use std::path::PathBuf;

use tokamark_plan::{DatasetFormat, DatasetPlan, PublicPlan};

use crate::dataset::finish;
use crate::input::Input;
use crate::reader::Reader;
use crate::sink::Sink;
use crate::{Dataset, DatasetError, Options, formats, traces};
pub use files::Hub;
use names::{Mapping, Source};

/// Names of public datasets that are known, in the order of lists.
pub fn public_names() -> impl Iterator<Item = &'static str> {
    names::ALL.iter().map(|source| source.name)
}

/// Reads a public dataset: from the path that the plan names, or else from the hub's cache. Rows that cannot be used
/// are left out and counted, since nobody can mend them.
///
/// # Errors
/// The name is not known, the dataset is not there, or it cannot be read.
pub fn open_public(plan: &PublicPlan, options: &Options<'_>, hub: &Hub) -> Result<Dataset, DatasetError> {
    let source = names::find(&plan.name).ok_or_else(|| DatasetError::UnknownPublic { name: plan.name.clone() })?;
    let repository = match (source.repository, &plan.repository) {
        ("", Some(given)) => given.as_str(),
        ("", None) => return Err(DatasetError::NoRepository { name: plan.name.clone() }),
        (known, _) => known,
    };
    let place = match &plan.path {
        Some(path) => path.clone(),
        None => hub.snapshot(repository).map_or_else(|| fetch(source, repository, plan, hub), Ok)?,
    };
    let subset = plan.subset.as_deref().or(source.subset);
    let input = files::chosen(&place, source, plan.subset.as_deref().or(source.subset), plan.subset.is_some())?;
    let how = describe(source, repository, subset, &place);
    let file_plan = DatasetPlan {
        path: place,
        format: Some(source.mapping.format()),
        split: None,
        skip_bad_lines: true,
        trace: plan.trace.clone(),
    };
    let mut sink = Sink::new(&file_plan, options);
    read(source.mapping, plan, &input, &mut sink)?;
    finish(&input, source.mapping.format(), how, sink)
}

fn read(mapping: Mapping, plan: &PublicPlan, input: &Input, sink: &mut Sink<'_>) -> Result<(), DatasetError> {
    let format = mapping.format();
    let reader: Option<Box<dyn Reader>> = match mapping {
        Mapping::Sharegpt => formats::reader(format),
        Mapping::Weka => traces::reader(format),
        other => return columns::read(other, &plan.filters, input, sink),
    };
    if !plan.filters.is_empty() {
        return Err(DatasetError::unusable(input.path(), "has no columns to filter by"));
    }
    match reader {
        Some(mut reader) => reader.read(input, sink),
        None => Err(DatasetError::unusable(input.path(), format!("cannot be read as {} yet", format.name()))),
    }
}

/// One sentence on where it was read from.
fn describe(source: &Source, repository: &str, subset: Option<&str>, place: &std::path::Path) -> String {
    let subset = subset.map(|subset| format!(", subset {subset}")).unwrap_or_default();
    let split = if source.split.is_empty() { String::new() } else { format!(", split {}", source.split) };
    format!("the public dataset {} ({repository}{subset}{split}), read from {}", source.name, place.display())
}

/// Gets a dataset that is not on this machine from the hub. Where that cannot be, the error says what to download and where
/// it is looked for.
fn fetch(source: &Source, repository: &str, plan: &PublicPlan, hub: &Hub) -> Result<PathBuf, DatasetError> {
    let remote = if repository.contains("://") { None } else { hub.remote() };
    let reason = match remote {
        Some(remote) => match remote.download(hub, repository, source, plan.subset.as_deref().or(source.subset)) {
            Ok(place) => return Ok(place),
            Err(reason) => format!(" ({reason})"),
        },
        None => String::new(),
    };
    let what = if repository.contains("://") {
        format!("download {repository}")
    } else {
        let split = if source.split.is_empty() { String::new() } else { format!(" (split {})", source.split) };
        format!("download the dataset {repository}{split} from the Hugging Face hub")
    };
    let place = match hub.folder(repository) {
        Some(folder) => format!("it is looked for in {}{reason}", folder.display()),
        None => "there is no cache, because HF_HOME and HOME are not set".to_owned(),
    };
    Err(DatasetError::NotHere { name: source.name.to_owned(), what, place })
}

impl Mapping {
    /// The format that its conversations are nearest to.
    fn format(self) -> DatasetFormat {
        match self {
            Self::Sharegpt => DatasetFormat::Sharegpt,
            Self::Weka => DatasetFormat::WekaTrace,
            Self::Spans => DatasetFormat::OtelSpans,
            Self::Turns(_) => DatasetFormat::MultiTurn,
            _ => DatasetFormat::SingleTurn,
        }
    }
}
