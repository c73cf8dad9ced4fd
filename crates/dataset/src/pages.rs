//! Bytes that are appended and read again from anywhere: in memory at first, in a temporary file beyond a limit.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

/// Bytes that stay in memory.
pub(crate) const IN_MEMORY: usize = 64 << 20;
/// Bytes that are written to the file at once.
const BLOCK: usize = 1 << 20;

/// Bytes that only grow.
#[derive(Debug)]
pub(crate) struct Pages {
    limit: usize,
    /// Everything without a file; else what is not in the file yet.
    tail: Vec<u8>,
    /// Has no name, so nothing of it remains after the run.
    file: Option<File>,
    in_file: u64,
}

impl Pages {
    pub(crate) fn new(limit: usize) -> Self {
        Self { limit, tail: Vec::new(), file: None, in_file: 0 }
    }

    /// Where the next bytes will lie.
    pub(crate) fn len(&self) -> u64 {
        self.in_file + self.tail.len() as u64
    }

    /// Where bytes may be written to; [`Self::settle`] follows.
    pub(crate) fn tail(&mut self) -> &mut Vec<u8> {
        &mut self.tail
    }

    /// Moves what memory should not keep into the file.
    pub(crate) fn settle(&mut self) -> io::Result<()> {
        let limit = if self.file.is_some() { BLOCK.min(self.limit) } else { self.limit };
        if self.tail.len() <= limit { Ok(()) } else { self.flush() }
    }

    fn flush(&mut self) -> io::Result<()> {
        let file = match &self.file {
            Some(file) => file,
            None => self.file.insert(tempfile::tempfile()?),
        };
        file.write_all_at(&self.tail, self.in_file)?;
        self.in_file += self.tail.len() as u64;
        self.tail = Vec::new();
        Ok(())
    }

    /// The bytes from there on fill the buffer.
    pub(crate) fn read(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        let outside = || io::Error::from(io::ErrorKind::UnexpectedEof);
        match &self.file {
            Some(file) if offset < self.in_file => file.read_exact_at(buffer, offset),
            _ => {
                let start = usize::try_from(offset - self.in_file).map_err(|_| outside())?;
                let bytes = start.checked_add(buffer.len()).and_then(|end| self.tail.get(start..end));
                buffer.copy_from_slice(bytes.ok_or_else(outside)?);
                Ok(())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_back_from_memory_and_file() {
        for limit in [0, 7, 100, 1 << 20] {
            let mut pages = Pages::new(limit);
            let pieces: Vec<(u64, Vec<u8>)> = (0..40u8)
                .map(|number| {
                    let offset = pages.len();
                    let bytes = vec![number; usize::from(number % 9)];
                    pages.tail().extend_from_slice(&bytes);
                    pages.settle().unwrap();
                    (offset, bytes)
                })
                .collect();
            assert_eq!(pages.file.is_some(), limit < 150, "{limit}");
            for (offset, bytes) in pieces {
                let mut read = vec![255; bytes.len()];
                pages.read(offset, &mut read).unwrap();
                assert_eq!(read, bytes);
            }
            assert_eq!(pages.len(), 150);
            assert!(pages.read(pages.len(), &mut [0]).is_err());
        }
    }
}
