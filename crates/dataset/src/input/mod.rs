//! Opening files and folders.

mod decode;
mod entries;
mod file;
mod lines;

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub(crate) use entries::{each_entry, first_character, whole};
pub(crate) use file::InputFile;
pub(crate) use lines::Line;

use crate::DatasetError;

/// A file, or all files of a folder.
#[derive(Debug)]
pub(crate) struct Input {
    path: PathBuf,
    is_folder: bool,
    files: Vec<InputFile>,
}

impl Input {
    /// Finds the files. A folder is searched with all its folders and in the order of names. Names that begin with a dot
    /// are left out, and if any files are called as data are (`.jsonl`, `.csv` …), so are the others. `-` is the standard
    /// input.
    pub(crate) fn open(path: &Path) -> Result<Self, DatasetError> {
        if path == Path::new("-") {
            let files = vec![InputFile::standard_input()?];
            return Ok(Self { path: path.to_owned(), is_folder: false, files });
        }
        let is_folder = fs::metadata(path).map_err(|error| DatasetError::io(path, error))?.is_dir();
        if !is_folder {
            return Ok(Self { path: path.to_owned(), is_folder, files: vec![InputFile::open(path, None)?] });
        }
        let mut found = Vec::new();
        search(path, "", &mut HashSet::new(), &mut found)?;
        // Notes and pictures beside the data are no part of it.
        if found.iter().any(|(name, _)| is_data(name)) {
            found.retain(|(name, _)| is_data(name));
        }
        // By the whole name, so that the order does not depend on the platform's separator.
        found.sort();
        let files = found
            .into_iter()
            .map(|(name, path)| InputFile::open(&path, Some(Arc::from(name))))
            .collect::<Result<_, _>>()?;
        Ok(Self { path: path.to_owned(), is_folder, files })
    }

    /// What was asked for.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn is_folder(&self) -> bool {
        self.is_folder
    }

    /// Leaves the other files out.
    pub(crate) fn keep(&mut self, is_wanted: impl FnMut(&InputFile) -> bool) {
        self.files.retain(is_wanted);
    }

    /// The files; a folder may have none.
    pub(crate) fn files(&self) -> &[InputFile] {
        &self.files
    }
}

/// Whether a file is called as files with data are.
fn is_data(name: &str) -> bool {
    let name = name.to_lowercase();
    let name = [".gz", ".zst", ".zstd"].iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(&name);
    [".jsonl", ".ndjson", ".json", ".csv", ".parquet", ".arrow"].iter().any(|ending| name.ends_with(ending))
}

fn search(
    folder: &Path,
    prefix: &str,
    seen: &mut HashSet<PathBuf>,
    found: &mut Vec<(String, PathBuf)>,
) -> Result<(), DatasetError> {
    let unreadable = |error| DatasetError::io(folder, error);
    // Links may lead in a circle.
    if !seen.insert(fs::canonicalize(folder).map_err(unreadable)?) {
        return Ok(());
    }
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        let (path, name) = (entry.path(), entry.file_name());
        let name = name.to_string_lossy();
        if name.starts_with('.') {
            continue;
        }
        let name = format!("{prefix}{name}");
        if fs::metadata(&path).map_err(|error| DatasetError::io(&path, error))?.is_dir() {
            search(&path, &format!("{name}/"), seen, found)?;
        } else {
            found.push((name, path));
        }
    }
    Ok(())
}
