//! Token counts of answers, made after the requests were written: a file beside the record, one row for each request, in
//! the same order. Counting is slow and must not hold up the record.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use crate::RequestRecord;
use crate::file::RecordFileError;

const MAGIC: &[u8; 8] = b"TKMCNT\x01\x00";

/// Appends rows.
#[derive(Debug)]
pub struct CountsWriter {
    file: BufWriter<File>,
    path: PathBuf,
}

impl CountsWriter {
    /// Starts a new file in place of an old one.
    ///
    /// # Errors
    /// When it cannot be created.
    pub fn create(path: &Path) -> Result<Self, RecordFileError> {
        let failed = |source| RecordFileError::Io { action: "create", path: path.to_owned(), source };
        let mut file = BufWriter::new(File::create(path).map_err(failed)?);
        file.write_all(MAGIC).map_err(failed)?;
        Ok(Self { file, path: path.to_owned() })
    }

    /// Appends the counts of the next request.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn append(&mut self, record: &RequestRecord) -> Result<(), RecordFileError> {
        let mut row = [0; 16];
        row[..8].copy_from_slice(&to_bytes(record.local_output_tokens));
        row[8..].copy_from_slice(&to_bytes(record.local_reasoning_tokens));
        self.file.write_all(&row).map_err(|source| self.failed(source))
    }

    /// Hands everything to the operating system.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn flush(&mut self) -> Result<(), RecordFileError> {
        self.file.flush().map_err(|source| self.failed(source))
    }

    fn failed(&self, source: io::Error) -> RecordFileError {
        RecordFileError::Io { action: "write", path: self.path.clone(), source }
    }
}

/// Reads rows in order.
#[derive(Debug)]
pub struct CountsReader(BufReader<File>);

impl CountsReader {
    /// Opens a file; `None` if there is none, or it is not one of ours.
    #[must_use]
    pub fn open(path: &Path) -> Option<Self> {
        let mut file = BufReader::new(File::open(path).ok()?);
        let mut magic = [0; 8];
        file.read_exact(&mut magic).ok()?;
        (&magic == MAGIC).then_some(Self(file))
    }

    /// Puts the counts of the next request into it. `false` if the file has no row for it.
    pub fn fill(&mut self, record: &mut RequestRecord) -> bool {
        let mut row = [0; 16];
        if self.0.read_exact(&mut row).is_err() {
            return false;
        }
        let (output, reasoning) = row.split_at(8);
        record.local_output_tokens = from_bytes(output);
        record.local_reasoning_tokens = from_bytes(reasoning);
        true
    }
}

/// 0 means that there is no count.
fn to_bytes(count: Option<u64>) -> [u8; 8] {
    count.map_or(0, |count| count.saturating_add(1)).to_le_bytes()
}

fn from_bytes(bytes: &[u8]) -> Option<u64> {
    u64::from_le_bytes(bytes.try_into().ok()?).checked_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::tests::full_record;

    #[test]
    fn counts_come_back_in_order() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("counts");
        let mut writer = CountsWriter::create(&path).unwrap();
        let counts = [(None, None), (Some(0), None), (Some(7), Some(3))];
        for (output, reasoning) in counts {
            let mut record = full_record(0);
            (record.local_output_tokens, record.local_reasoning_tokens) = (output, reasoning);
            writer.append(&record).unwrap();
        }
        writer.flush().unwrap();
        let mut reader = CountsReader::open(&path).unwrap();
        for expected in counts {
            let mut record = full_record(0);
            assert!(reader.fill(&mut record));
            assert_eq!((record.local_output_tokens, record.local_reasoning_tokens), expected);
        }
        assert!(!reader.fill(&mut full_record(0)));
    }
}
