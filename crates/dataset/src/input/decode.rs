//! From the bytes of a file to text: unpacking and encodings, told by the content and not by the name.

use std::io::{self, BufReader, Chain, Cursor, Read};

use flate2::bufread::MultiGzDecoder;

type Bytes = Box<dyn Read + Send>;
/// Bytes of which the first have been looked at.
type Peeked = Chain<Cursor<Vec<u8>>, Bytes>;

/// The text of a file, as UTF-8 without a byte order mark. What is no valid UTF-16 becomes invalid UTF-8, so that it is
/// a fault of its line only.
pub(super) fn decoded(raw: Bytes) -> io::Result<Bytes> {
    let (head, raw) = peeked(raw)?;
    let unpacked: Bytes = match head {
        [0x1f, 0x8b, ..] => Box::new(MultiGzDecoder::new(BufReader::new(raw))),
        [0x28, 0xb5, 0x2f, 0xfd] | [0x50..=0x5f, 0x2a, 0x4d, 0x18] => Box::new(zstd::stream::read::Decoder::new(raw)?),
        [b'B', b'Z', b'h', _] => return Err(unsupported("it is packed with bzip2; unpack it, or pack it with gzip")),
        [0xfd, b'7', b'z', b'X'] => return Err(unsupported("it is packed with xz; unpack it, or pack it with gzip")),
        [b'P', b'K', 3, 4] => return Err(unsupported("it is a ZIP archive; unpack it")),
        _ => Box::new(raw),
    };
    let (head, unpacked) = peeked(unpacked)?;
    Ok(match head {
        [0xff, 0xfe, 0, 0] | [0, 0, 0xfe, 0xff] => return Err(unsupported("it is UTF-32; convert it to UTF-8")),
        [0xef, 0xbb, 0xbf, ..] => Box::new(skipped(unpacked, 3)?),
        [0xff, 0xfe, ..] => Box::new(FromUtf16::new(skipped(unpacked, 2)?, u16::from_le_bytes)),
        [0xfe, 0xff, ..] => Box::new(FromUtf16::new(skipped(unpacked, 2)?, u16::from_be_bytes)),
        // No JSON has a NUL, so these are UTF-16 without a mark.
        [1..=255, 0, 1..=255, 0] => Box::new(FromUtf16::new(unpacked, u16::from_le_bytes)),
        [0, 1..=255, 0, 1..=255] => Box::new(FromUtf16::new(unpacked, u16::from_be_bytes)),
        _ => Box::new(unpacked),
    })
}

fn unsupported(reason: &str) -> io::Error {
    io::Error::new(io::ErrorKind::Unsupported, reason)
}

/// The first four bytes, zeros in place of those that are missing, and the whole again.
fn peeked(mut bytes: Bytes) -> io::Result<([u8; 4], Peeked)> {
    let mut head = [0; 4];
    let count = read_up_to(&mut bytes, &mut head)?;
    Ok((head, Cursor::new(head[..count].to_vec()).chain(bytes)))
}

/// Fills the buffer as far as there are bytes, and says how far.
fn read_up_to(from: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut count = 0;
    while count < buffer.len() {
        match from.read(&mut buffer[count..]) {
            Ok(0) => break,
            Ok(read) => count += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(count)
}

fn skipped<R: Read>(mut bytes: R, count: u64) -> io::Result<R> {
    io::copy(&mut bytes.by_ref().take(count), &mut io::sink())?;
    Ok(bytes)
}

/// UTF-8 from UTF-16. A surrogate without its other half is written as the three bytes that UTF-8 forbids.
struct FromUtf16<R> {
    from: BufReader<R>,
    unit: fn([u8; 2]) -> u16,
    high: Option<u16>,
    ready: Vec<u8>,
    taken: usize,
}

impl<R: Read> FromUtf16<R> {
    fn new(from: R, unit: fn([u8; 2]) -> u16) -> Self {
        Self { from: BufReader::new(from), unit, high: None, ready: Vec::new(), taken: 0 }
    }

    fn fill(&mut self) -> io::Result<()> {
        self.ready.clear();
        self.taken = 0;
        while self.ready.len() < 1 << 13 {
            let mut pair = [0; 2];
            match read_up_to(&mut self.from, &mut pair)? {
                2 => self.push((self.unit)(pair)),
                // Half a unit at the end of the file.
                1 => self.ready.push(0xff),
                _ => {
                    if let Some(high) = self.high.take() {
                        self.forbidden(high);
                    }
                    break;
                }
            }
        }
        Ok(())
    }

    fn push(&mut self, unit: u16) {
        let high = self.high.take();
        if let (Some(high), 0xdc00..=0xdfff) = (high, unit) {
            let code = 0x1_0000 + (u32::from(high - 0xd800) << 10) + u32::from(unit - 0xdc00);
            self.character(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
            return;
        }
        if let Some(high) = high {
            self.forbidden(high);
        }
        match char::from_u32(u32::from(unit)) {
            Some(character) => self.character(character),
            None if unit < 0xdc00 => self.high = Some(unit),
            None => self.forbidden(unit),
        }
    }

    fn character(&mut self, character: char) {
        self.ready.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
    }

    fn forbidden(&mut self, surrogate: u16) {
        let middle = ((surrogate >> 6) & 0x3f) as u8 | 0x80;
        let last = (surrogate & 0x3f) as u8 | 0x80;
        self.ready.extend_from_slice(&[0xed, middle, last]);
    }
}

impl<R: Read> Read for FromUtf16<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.taken == self.ready.len() {
            self.fill()?;
        }
        let count = buffer.len().min(self.ready.len() - self.taken);
        buffer[..count].copy_from_slice(&self.ready[self.taken..self.taken + count]);
        self.taken += count;
        Ok(count)
    }
}
