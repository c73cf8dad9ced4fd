//! Records on disk.
//!
//! A file is a magic and a version, then frames: length, CRC-32 and payload. A payload is one request or the
//! facts of the run (the last ones count). A file that ends in the middle of a frame, as after a crash, is good up to there.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use crate::codec;
use crate::{RequestRecord, RunFacts};

/// Version of the format; a reader refuses newer ones.
pub const FORMAT_VERSION: u16 = 1;

const MAGIC: &[u8; 6] = b"TKMREC";
/// No frame is longer; a length beyond it is damage.
const MAX_FRAME: u32 = 1 << 30;

const KIND_REQUEST: u8 = 1;
const KIND_FACTS: u8 = 2;

/// Why a record file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum RecordFileError {
    /// The operating system says no.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// What was tried.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// Not a file of ours.
    #[error("{} is not a run record of tokamark", .0.display())]
    NotARecord(PathBuf),
    /// Made by a newer version.
    #[error("{} has format version {found}, but this program reads up to {FORMAT_VERSION}; use a newer tokamark", path.display())]
    TooNew {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u16,
    },
    /// Facts that cannot be read.
    #[error("the facts of the run in {} cannot be read: {reason}", path.display())]
    BadFacts {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// A run that left no facts.
    #[error("{} holds no facts of a run; it was cut off at its very beginning", .0.display())]
    NoFacts(PathBuf),
}

/// Appends records to a file.
#[derive(Debug)]
pub struct RecordWriter {
    file: BufWriter<File>,
    path: PathBuf,
    frame: Vec<u8>,
    unflushed: u64,
}

impl RecordWriter {
    /// Starts a new file in place of an old one.
    ///
    /// # Errors
    /// When it cannot be created.
    pub fn create(path: &Path) -> Result<Self, RecordFileError> {
        let file = File::create(path).map_err(|source| io_error("create", path, source))?;
        let mut writer = Self {
            file: BufWriter::with_capacity(1 << 18, file),
            path: path.to_owned(),
            frame: Vec::new(),
            unflushed: 0,
        };
        let mut head = MAGIC.to_vec();
        head.extend_from_slice(&FORMAT_VERSION.to_le_bytes());
        writer.write_all(&head)?;
        Ok(writer)
    }

    /// Appends one request.
    ///
    /// # Errors
    /// When it cannot be written, for example because the disk is full.
    pub fn request(&mut self, record: &RequestRecord) -> Result<(), RecordFileError> {
        self.begin(KIND_REQUEST);
        codec::encode(record, &mut self.frame);
        self.end()
    }

    /// Appends the facts of the run; the last ones in a file count.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn facts(&mut self, facts: &RunFacts) -> Result<(), RecordFileError> {
        self.begin(KIND_FACTS);
        let json = serde_json::to_vec(facts)
            .map_err(|error| RecordFileError::BadFacts { path: self.path.clone(), reason: error.to_string() })?;
        self.frame.extend_from_slice(&json);
        self.end()
    }

    /// Hands everything to the operating system.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn flush(&mut self) -> Result<(), RecordFileError> {
        self.unflushed = 0;
        self.file.flush().map_err(|source| io_error("write", &self.path, source))
    }

    /// Frames since the last flush.
    #[must_use]
    pub fn unflushed(&self) -> u64 {
        self.unflushed
    }

    fn begin(&mut self, kind: u8) {
        self.unflushed += 1;
        self.frame.clear();
        self.frame.extend_from_slice(&[0; 8]);
        self.frame.push(kind);
    }

    fn end(&mut self) -> Result<(), RecordFileError> {
        let payload = &self.frame[8..];
        let length = u32::try_from(payload.len()).ok().filter(|&length| length <= MAX_FRAME).ok_or_else(|| {
            io_error("write", &self.path, io::Error::new(io::ErrorKind::InvalidData, "one record is over 1 GiB"))
        })?;
        let crc = crc32fast::hash(payload);
        self.frame[..4].copy_from_slice(&length.to_le_bytes());
        self.frame[4..8].copy_from_slice(&crc.to_le_bytes());
        self.file.write_all(&self.frame).map_err(|source| io_error("write", &self.path, source))
    }

    fn write_all(&mut self, bytes: &[u8]) -> Result<(), RecordFileError> {
        self.file.write_all(bytes).map_err(|source| io_error("write", &self.path, source))
    }
}

/// Reads a file, whole or while it is still written.
#[derive(Debug)]
pub struct RecordReader {
    file: BufReader<File>,
    path: PathBuf,
    frame: Vec<u8>,
    /// What has been read of the frame in progress; a file that is still written may end anywhere.
    filled: usize,
    facts: Option<Vec<u8>>,
    is_damaged: bool,
}

impl RecordReader {
    /// Opens a file.
    ///
    /// # Errors
    /// When it cannot be read, is no record, or is too new.
    pub fn open(path: &Path) -> Result<Self, RecordFileError> {
        let file = File::open(path).map_err(|source| io_error("open", path, source))?;
        let mut file = BufReader::with_capacity(1 << 18, file);
        let mut head = [0; 8];
        file.read_exact(&mut head).map_err(|_| RecordFileError::NotARecord(path.to_owned()))?;
        if &head[..6] != MAGIC {
            return Err(RecordFileError::NotARecord(path.to_owned()));
        }
        let found = u16::from_le_bytes([head[6], head[7]]);
        if found > FORMAT_VERSION {
            return Err(RecordFileError::TooNew { path: path.to_owned(), found });
        }
        Ok(Self { file, path: path.to_owned(), frame: Vec::new(), filled: 0, facts: None, is_damaged: false })
    }

    /// The next request; `None` at the end of what has been written so far. May be asked again when more has been.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn next_request(&mut self) -> Result<Option<RequestRecord>, RecordFileError> {
        while self.next_frame()? {
            let payload = &self.frame[8..];
            match payload.split_first() {
                Some((&KIND_REQUEST, bytes)) => match codec::decode(bytes) {
                    Some(record) => return Ok(Some(record)),
                    None => self.is_damaged = true,
                },
                Some((&KIND_FACTS, bytes)) => self.facts = Some(bytes.to_vec()),
                // A later version may add kinds that can be left out.
                _ => {}
            }
        }
        Ok(None)
    }

    /// The facts of the run, as far as the file has been read.
    ///
    /// # Errors
    /// When there are none, or they cannot be understood.
    pub fn facts(&self) -> Result<RunFacts, RecordFileError> {
        let json = self.facts.as_ref().ok_or_else(|| RecordFileError::NoFacts(self.path.clone()))?;
        serde_json::from_slice(json)
            .map_err(|error| RecordFileError::BadFacts { path: self.path.clone(), reason: error.to_string() })
    }

    /// Something in the file was not as it was written.
    #[must_use]
    pub fn is_damaged(&self) -> bool {
        self.is_damaged
    }

    /// Reads on until a whole, sound frame is there.
    fn next_frame(&mut self) -> Result<bool, RecordFileError> {
        if self.is_damaged {
            return Ok(false);
        }
        if self.frame.len() < 8 || self.filled == 0 {
            self.frame.clear();
            self.frame.resize(8, 0);
        }
        if !self.fill()? {
            return Ok(false);
        }
        if self.frame.len() == 8 {
            let length = u32::from_le_bytes([self.frame[0], self.frame[1], self.frame[2], self.frame[3]]);
            if length == 0 || length > MAX_FRAME {
                self.is_damaged = true;
                return Ok(false);
            }
            self.frame.resize(8 + length as usize, 0);
        }
        if !self.fill()? {
            return Ok(false);
        }
        self.filled = 0;
        let crc = u32::from_le_bytes([self.frame[4], self.frame[5], self.frame[6], self.frame[7]]);
        if crc32fast::hash(&self.frame[8..]) != crc {
            // What follows cannot be trusted either.
            self.is_damaged = true;
            return Ok(false);
        }
        Ok(true)
    }

    /// Fills the frame as far as the file goes; `true` if it is full.
    fn fill(&mut self) -> Result<bool, RecordFileError> {
        while self.filled < self.frame.len() {
            match self.file.read(&mut self.frame[self.filled..]) {
                Ok(0) => return Ok(false),
                Ok(length) => self.filled += length,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(source) => return Err(io_error("read", &self.path, source)),
            }
        }
        Ok(true)
    }
}

fn io_error(action: &'static str, path: &Path, source: io::Error) -> RecordFileError {
    RecordFileError::Io { action, path: path.to_owned(), source }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codec::tests::full_record;

    fn all(reader: &mut RecordReader) -> Vec<u64> {
        std::iter::from_fn(|| reader.next_request().unwrap()).map(|record| record.seq).collect()
    }

    #[test]
    fn a_file_can_be_read_while_it_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("record");
        let mut writer = RecordWriter::create(&path).unwrap();
        writer.flush().unwrap();
        let mut reader = RecordReader::open(&path).unwrap();
        assert_eq!(all(&mut reader), [0u64; 0]);
        for seq in 0..3 {
            writer.request(&full_record(seq)).unwrap();
        }
        writer.flush().unwrap();
        assert_eq!(all(&mut reader), [0, 1, 2]);
        writer.request(&full_record(3)).unwrap();
        writer.flush().unwrap();
        assert_eq!(all(&mut reader), [3]);
    }

    #[test]
    fn a_file_that_was_cut_off_is_good_up_to_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("record");
        let mut writer = RecordWriter::create(&path).unwrap();
        writer.request(&full_record(0)).unwrap();
        writer.request(&full_record(1)).unwrap();
        writer.flush().unwrap();
        let bytes = std::fs::read(&path).unwrap();
        let frame = (bytes.len() - 8) / 2;
        for end in 8..bytes.len() {
            std::fs::write(&path, &bytes[..end]).unwrap();
            let whole = u64::try_from((end - 8) / frame).unwrap();
            assert_eq!(all(&mut RecordReader::open(&path).unwrap()), (0..whole).collect::<Vec<_>>());
        }
    }

    #[test]
    fn damage_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("record");
        let mut writer = RecordWriter::create(&path).unwrap();
        writer.request(&full_record(0)).unwrap();
        writer.flush().unwrap();
        let mut bytes = std::fs::read(&path).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        std::fs::write(&path, &bytes).unwrap();
        let mut reader = RecordReader::open(&path).unwrap();
        assert_eq!(all(&mut reader), [0u64; 0]);
        assert!(reader.is_damaged());
    }

    #[test]
    fn other_files_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("record");
        std::fs::write(&path, b"hello, world").unwrap();
        assert!(matches!(RecordReader::open(&path), Err(RecordFileError::NotARecord(_))));
        std::fs::write(&path, b"TKMREC\xff\xff").unwrap();
        assert!(matches!(RecordReader::open(&path), Err(RecordFileError::TooNew { found: 0xffff, .. })));
    }
}
