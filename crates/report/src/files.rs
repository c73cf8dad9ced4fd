//! Files that are there whole or not at all.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::error::WriteError;

/// Writes a file beside its place and moves it there when it is whole, so that nobody ever reads half of it.
pub(crate) fn write_whole(
    path: &Path,
    fill: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> Result<(), WriteError> {
    let (draft, mut file) = Draft::create(path)?;
    fill(&mut file).and_then(|()| file.flush()).map_err(|source| WriteError::new(path, "written", source))?;
    drop(file);
    draft.place()
}

/// A file that is being written beside its place. It is removed again unless it gets there.
#[derive(Debug)]
pub(crate) struct Draft {
    draft: PathBuf,
    path: PathBuf,
    is_placed: bool,
}

impl Draft {
    pub(crate) fn create(path: &Path) -> Result<(Self, BufWriter<File>), WriteError> {
        let draft = draft_of(path);
        let file = File::create(&draft).map_err(|source| WriteError::new(path, "written", source))?;
        Ok((Self { draft, path: path.to_owned(), is_placed: false }, BufWriter::new(file)))
    }

    /// Moves the whole file to its place.
    pub(crate) fn place(mut self) -> Result<(), WriteError> {
        fs::rename(&self.draft, &self.path).map_err(|source| WriteError::new(&self.path, "written", source))?;
        self.is_placed = true;
        Ok(())
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        if !self.is_placed {
            // The draft is of no use to anybody; that it cannot be removed either changes nothing.
            let _ = fs::remove_file(&self.draft);
        }
    }
}

fn draft_of(path: &Path) -> PathBuf {
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(".part");
    path.with_file_name(name)
}

/// A file that grows entry by entry and is flushed when its owner says so.
#[derive(Debug)]
pub(crate) struct Growing {
    file: BufWriter<File>,
    path: PathBuf,
}

impl Growing {
    pub(crate) fn create(path: &Path) -> Result<Self, WriteError> {
        let file = File::create(path).map_err(|source| WriteError::new(path, "created", source))?;
        Ok(Self { file: BufWriter::with_capacity(1 << 16, file), path: path.to_owned() })
    }

    pub(crate) fn append(&mut self, bytes: &[u8]) -> Result<(), WriteError> {
        self.file.write_all(bytes).map_err(|source| WriteError::new(&self.path, "written", source))
    }

    pub(crate) fn flush(&mut self) -> Result<(), WriteError> {
        self.file.flush().map_err(|source| WriteError::new(&self.path, "written", source))
    }
}
