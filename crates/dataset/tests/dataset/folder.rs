//! Folders with files, and what comes of opening them.

use std::fs;
use std::path::PathBuf;

use tokamark_conversation::{Conversation, Turn};
use tokamark_dataset::{Batch, Dataset, DatasetError, Fault, Faults, Options, Place, open};
use tokamark_plan::{DatasetFormat, DatasetPlan};

/// A folder that is gone after the test.
pub(crate) struct Folder(tempfile::TempDir);

impl Folder {
    /// A folder with these files.
    pub(crate) fn of(files: &[(&str, &[u8])]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (name, content) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        }
        Self(folder)
    }

    /// A path within it; empty for its own.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        if name.is_empty() { self.0.path().to_owned() } else { self.0.path().join(name) }
    }
}

/// Options with nothing special; words count as tokens.
pub(crate) fn options() -> Options<'static> {
    Options {
        seed: 1,
        entries: None,
        batch: Batch::default(),
        count: &|text| text.split_whitespace().count() as u64,
        missing: &|_| None,
    }
}

/// What comes of one file.
pub(crate) fn try_open(content: impl AsRef<[u8]>, format: Option<DatasetFormat>) -> Result<Dataset, DatasetError> {
    try_open_as("input.jsonl", content, format)
}

/// What comes of one file of a name.
pub(crate) fn try_open_as(
    name: &str,
    content: impl AsRef<[u8]>,
    format: Option<DatasetFormat>,
) -> Result<Dataset, DatasetError> {
    let folder = Folder::of(&[(name, content.as_ref())]);
    open(&DatasetPlan::of(folder.path(name), format), &options())
}

/// The conversations of one file.
#[track_caller]
pub(crate) fn conversations(content: impl AsRef<[u8]>, format: DatasetFormat) -> Vec<Conversation> {
    all(&try_open(content, Some(format)).unwrap())
}

/// The conversations of a dataset.
pub(crate) fn all(dataset: &Dataset) -> Vec<Conversation> {
    (0..dataset.len()).map(|number| dataset.conversation(number).unwrap()).collect()
}

/// The plain texts of a conversation.
pub(crate) fn texts(conversation: &Conversation) -> Vec<String> {
    conversation.turns.iter().flat_map(Turn::texts).map(str::to_owned).collect()
}

/// The faults of one file.
#[track_caller]
pub(crate) fn faults(content: impl AsRef<[u8]>, format: DatasetFormat) -> Faults {
    match try_open(content, Some(format)) {
        Err(DatasetError::Faults { faults, .. }) => faults,
        other => panic!("{other:?}"),
    }
}

/// Checks that a file of one line has one fault.
#[track_caller]
pub(crate) fn assert_fault(line: &str, format: DatasetFormat, field: Option<&str>, reason: &str) {
    let field = field.map(str::to_owned);
    let expected = Fault { file: None, place: Place::Line(1), field, reason: reason.to_owned() };
    assert_eq!(faults(line, format).first(), [expected]);
}
