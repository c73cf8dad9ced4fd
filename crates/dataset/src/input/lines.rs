//! The lines of a text.

use std::io::{self, BufRead};
use std::path::{Path, PathBuf};

use crate::DatasetError;

/// Longer lines are faults. They are not kept, so that a file without line ends does not fill the memory.
const LONGEST: usize = 64 << 20;

/// A line that is not blank.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Line<'a> {
    /// Its number, from 1; blank lines count.
    pub(crate) number: u64,
    /// The text without the line's end; else why there is none.
    pub(crate) text: Result<&'a str, String>,
}

/// Reads a text line by line.
#[derive(Debug)]
pub(crate) struct Lines<R> {
    path: PathBuf,
    from: R,
    longest: usize,
    number: u64,
    line: Vec<u8>,
}

impl<R: BufRead> Lines<R> {
    pub(super) fn new(path: &Path, from: R) -> Self {
        Self { path: path.to_owned(), from, longest: LONGEST, number: 0, line: Vec::new() }
    }

    /// The next line that is not blank.
    pub(crate) fn next(&mut self) -> Result<Option<Line<'_>>, DatasetError> {
        let is_whole = loop {
            match self.take().map_err(|error| DatasetError::io(&self.path, error))? {
                None => return Ok(None),
                Some(is_whole) if is_whole && self.line.trim_ascii().is_empty() => {}
                Some(is_whole) => break is_whole,
            }
        };
        let number = self.number;
        if !is_whole {
            return Ok(Some(Line { number, text: Err(too_long(self.longest)) }));
        }
        let text = std::str::from_utf8(&self.line).map_err(|_| "is not UTF-8".to_owned());
        Ok(Some(Line { number, text }))
    }

    /// Takes a line in; whether it is whole and not cut for its length. None at the end.
    fn take(&mut self) -> io::Result<Option<bool>> {
        self.line.clear();
        let mut length = 0;
        loop {
            let chunk = match self.from.fill_buf() {
                Ok(chunk) => chunk,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            if chunk.is_empty() {
                if length == 0 {
                    return Ok(None);
                }
                break;
            }
            let end = memchr::memchr(b'\n', chunk);
            let text = &chunk[..end.unwrap_or(chunk.len())];
            length += text.len();
            if length <= self.longest {
                self.line.extend_from_slice(text);
            }
            let used = text.len() + usize::from(end.is_some());
            self.from.consume(used);
            if end.is_some() {
                break;
            }
        }
        self.number += 1;
        if self.line.last() == Some(&b'\r') {
            self.line.pop();
        }
        Ok(Some(length <= self.longest))
    }
}

fn too_long(longest: usize) -> String {
    if longest >= 1 << 20 {
        format!("is longer than {} MiB", longest >> 20)
    } else {
        format!("is longer than {longest} bytes")
    }
}

#[cfg(test)]
mod tests {
    use std::io::{BufReader, Read, Write};

    use proptest::prelude::*;

    use super::super::decode::decoded;
    use super::*;

    type Got = Vec<(u64, Result<String, String>)>;

    fn all(from: impl BufRead, longest: usize) -> Got {
        let mut lines = Lines { longest, ..Lines::new(Path::new("test"), from) };
        let mut got = Vec::new();
        while let Some(line) = lines.next().unwrap() {
            got.push((line.number, line.text.map(str::to_owned)));
        }
        got
    }

    fn read(bytes: &[u8]) -> Got {
        all(BufReader::new(decoded(Box::new(io::Cursor::new(bytes.to_vec()))).unwrap()), LONGEST)
    }

    fn texts(lines: &[(u64, &str)]) -> Got {
        lines.iter().map(|&(number, text)| (number, Ok(text.to_owned()))).collect()
    }

    /// Gives bytes in pieces of given sizes.
    struct Pieces {
        bytes: Vec<u8>,
        taken: usize,
        sizes: Vec<usize>,
        turn: usize,
    }

    impl Read for Pieces {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let size = self.sizes[self.turn % self.sizes.len()].min(buffer.len()).min(self.bytes.len() - self.taken);
            self.turn += 1;
            buffer[..size].copy_from_slice(&self.bytes[self.taken..self.taken + size]);
            self.taken += size;
            Ok(size)
        }
    }

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packer.write_all(bytes).unwrap();
        packer.finish().unwrap()
    }

    #[test]
    fn marks_line_ends_and_blank_lines_are_no_part_of_lines() {
        let expected = texts(&[(1, "one"), (4, " two "), (5, "caf\u{e9} \u{1f600}")]);
        let text = "one\r\n\r\n  \t\n two \ncaf\u{e9} \u{1f600}";
        assert_eq!(read(text.as_bytes()), expected);
        assert_eq!(read(format!("\u{feff}{text}\n").as_bytes()), expected);
        let little: Vec<u8> = format!("\u{feff}{text}").encode_utf16().flat_map(u16::to_le_bytes).collect();
        let big: Vec<u8> = format!("\u{feff}{text}").encode_utf16().flat_map(u16::to_be_bytes).collect();
        assert_eq!(read(&little), expected);
        assert_eq!(read(&big), expected);
        assert_eq!(read(&little[2..]), expected);
        assert_eq!(read(&big[2..]), expected);
        assert_eq!(read(b""), []);
        assert_eq!(read(b"\xef\xbb\xbf"), []);
    }

    #[test]
    fn packed_files_are_told_by_their_content() {
        let expected = texts(&[(1, "one"), (2, "two")]);
        assert_eq!(read(&gzip(b"\xef\xbb\xbfone\ntwo\n")), expected);
        assert_eq!(read(&[gzip(b"one\n"), gzip(b"two")].concat()), expected);
        assert_eq!(read(&zstd::encode_all(&b"one\ntwo"[..], 1).unwrap()), expected);
        for (bytes, word) in [(&b"BZh9"[..], "bzip2"), (b"PK\x03\x04", "ZIP"), (b"\xff\xfe\0\0", "UTF-32")] {
            let error = decoded(Box::new(io::Cursor::new(bytes.to_vec()))).err().unwrap();
            assert!(error.to_string().contains(word), "{error}");
        }
    }

    #[test]
    fn a_packed_file_that_ends_too_early_is_an_error_and_not_a_shorter_file() {
        let text: String = (0..30_000).map(|number| format!("{number}\n")).collect();
        let packed = gzip(text.as_bytes());
        for cut in [packed.len() / 2, packed.len() - 1] {
            let bytes = decoded(Box::new(io::Cursor::new(packed[..cut].to_vec()))).unwrap();
            let mut lines = Lines::new(Path::new("x.gz"), BufReader::new(bytes));
            let error = loop {
                match lines.next() {
                    Ok(line) => assert!(line.is_some(), "the end came unnoticed"),
                    Err(error) => break error,
                }
            };
            assert!(error.to_string().starts_with("the dataset `x.gz` cannot be read"), "{error}");
        }
    }

    #[test]
    fn bad_bytes_are_faults_of_their_line_only() {
        let bad = (2, Err("is not UTF-8".to_owned()));
        assert_eq!(read(b"a\n\xff\nb"), [(1, Ok("a".into())), bad.clone(), (3, Ok("b".into()))]);
        let mut units: Vec<u16> = "\u{feff}a\n".encode_utf16().collect();
        units.extend([0xd800, 10, 98]);
        let bytes: Vec<u8> = units.into_iter().flat_map(u16::to_le_bytes).collect();
        assert_eq!(read(&bytes), [(1, Ok("a".into())), bad, (3, Ok("b".into()))]);
    }

    #[test]
    fn a_long_line_is_a_fault_and_the_next_is_read() {
        let got = all(&b"12345\n123456\r\n1234\r\n      \n7"[..], 5);
        let long = "is longer than 5 bytes".to_owned();
        assert_eq!(
            got,
            [
                (1, Ok("12345".into())),
                (2, Err(long.clone())),
                (3, Ok("1234".into())),
                (4, Err(long)),
                (5, Ok("7".into()))
            ]
        );
        assert_eq!(too_long(LONGEST), "is longer than 64 MiB");
    }

    proptest! {
        #[test]
        fn lines_do_not_depend_on_pieces_or_packing(
            lines in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..40), 0..12),
            sizes in proptest::collection::vec(1usize..30, 1..6),
            capacity in 1usize..64,
            longest in 0usize..50,
        ) {
            // A first byte that makes the rest neither packed nor UTF-16.
            let bytes = [b"{}".to_vec(), lines.join(&b'\n')].concat();
            let whole = all(&bytes[..], longest);
            let packed = [bytes.clone(), gzip(&bytes), zstd::encode_all(&bytes[..], 1).unwrap()];
            for bytes in packed {
                let pieces = Pieces { bytes, taken: 0, sizes: sizes.clone(), turn: 0 };
                let from = BufReader::with_capacity(capacity, decoded(Box::new(pieces)).unwrap());
                prop_assert_eq!(all(from, longest), whole.clone());
            }
        }

        #[test]
        fn any_bytes_are_read_without_a_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            if let Ok(text) = decoded(Box::new(io::Cursor::new(bytes))) {
                let mut lines = Lines { longest: 64, ..Lines::new(Path::new("test"), BufReader::new(text)) };
                while let Ok(Some(line)) = lines.next() {
                    prop_assert!(line.number > 0);
                }
            }
        }
    }
}
