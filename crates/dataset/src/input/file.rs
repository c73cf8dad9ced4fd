//! One file, which may be read several times whatever it is.

use std::fs::{self, File};
use std::io::{self, BufReader, Read, Seek};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::decode::decoded;
use super::lines::Lines;
use crate::DatasetError;

/// One file.
#[derive(Debug)]
pub(crate) struct InputFile {
    path: PathBuf,
    name: Option<Arc<str>>,
    /// The content of what can be read only once, such as a pipe.
    copy: Option<Arc<File>>,
}

impl InputFile {
    /// A file; `name` is that within the folder that was asked for.
    pub(super) fn open(path: &Path, name: Option<Arc<str>>) -> Result<Self, DatasetError> {
        let unreadable = |error| DatasetError::io(path, error);
        let copy = if fs::metadata(path).map_err(unreadable)?.is_file() {
            None
        } else {
            Some(Arc::new(copied(File::open(path).map_err(unreadable)?).map_err(unreadable)?))
        };
        Ok(Self { path: path.to_owned(), name, copy })
    }

    pub(super) fn standard_input() -> Result<Self, DatasetError> {
        let path = PathBuf::from("-");
        let copy = copied(io::stdin()).map_err(|error| DatasetError::io(&path, error))?;
        Ok(Self { path, name: None, copy: Some(Arc::new(copy)) })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The name within the folder that was asked for; none if the file itself was.
    pub(crate) fn name(&self) -> Option<&Arc<str>> {
        self.name.as_ref()
    }

    /// The file's name without its folders and without what says how it is written (`.jsonl`, `.gz` …).
    pub(crate) fn stem(&self) -> String {
        let mut name = self.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        for ending in [".gz", ".zst", ".zstd", ".jsonl", ".ndjson", ".json", ".txt"] {
            if let Some(stem) = name.strip_suffix(ending).filter(|stem| !stem.is_empty()) {
                name = stem.to_owned();
            }
        }
        name
    }

    /// The name of the session that the file is: its path within the folder, without the ending.
    pub(crate) fn session(&self) -> String {
        let folder = self.name.as_deref().and_then(|name| name.rsplit_once('/')).map(|(folder, _)| folder);
        folder.map_or_else(|| self.stem(), |folder| format!("{folder}/{}", self.stem()))
    }

    /// The text: unpacked, UTF-8 if it is valid at all, without a byte order mark.
    pub(crate) fn text(&self) -> Result<Box<dyn Read + Send>, DatasetError> {
        let unreadable = |error| DatasetError::io(&self.path, error);
        let raw: Box<dyn Read + Send> = match &self.copy {
            Some(copy) => Box::new(FromStart { file: Arc::clone(copy), position: 0 }),
            None => Box::new(File::open(&self.path).map_err(unreadable)?),
        };
        decoded(raw).map_err(unreadable)
    }

    /// The lines that are not blank.
    pub(crate) fn lines(&self) -> Result<Lines<BufReader<Box<dyn Read + Send>>>, DatasetError> {
        Ok(Lines::new(&self.path, BufReader::with_capacity(1 << 16, self.text()?)))
    }
}

fn copied(mut from: impl Read) -> io::Result<File> {
    let mut copy = tempfile::tempfile()?;
    io::copy(&mut from, &mut copy)?;
    copy.rewind()?;
    Ok(copy)
}

/// Reads a file by positions of its own, so that one handle serves several readers.
struct FromStart {
    file: Arc<File>,
    position: u64,
}

impl Read for FromStart {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read_at(buffer, self.position)?;
        self.position += read as u64;
        Ok(read)
    }
}
