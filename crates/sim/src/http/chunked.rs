//! Request bodies in chunks.

use super::{HttpError, MAX_BODY};

/// A whole body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Chunked {
    pub(crate) body: Vec<u8>,
    /// Bytes that the body took, with its framing and trailers.
    pub(crate) len: usize,
}

/// Reads a body in chunks at the start of `bytes`; `None` if it is not complete.
pub(crate) fn read_chunked(bytes: &[u8]) -> Result<Option<Chunked>, HttpError> {
    let malformed = || HttpError::Malformed("a chunk that is malformed".into());
    // First without copying, since most calls find the body incomplete.
    let (mut at, mut parts, mut total) = (0, Vec::new(), 0usize);
    loop {
        let (head, size) = match httparse::parse_chunk_size(&bytes[at..]) {
            Ok(httparse::Status::Complete(found)) => found,
            Ok(httparse::Status::Partial) => return Ok(None),
            Err(_) => return Err(malformed()),
        };
        at += head;
        let size = usize::try_from(size).map_err(|_| HttpError::BodyTooLarge)?;
        if size == 0 {
            break;
        }
        total = total.saturating_add(size);
        if total > MAX_BODY {
            return Err(HttpError::BodyTooLarge);
        }
        let end = at + size;
        match bytes.get(end..end + 2) {
            Some(b"\r\n") => {}
            Some(_) => return Err(malformed()),
            None => return Ok(None),
        }
        parts.push(at..end);
        at = end + 2;
    }
    // Trailers are lines up to an empty one.
    loop {
        let Some(line) = bytes[at..].iter().position(|byte| *byte == b'\n') else { return Ok(None) };
        let is_empty = bytes[at..at + line].trim_ascii().is_empty();
        at += line + 1;
        if is_empty {
            break;
        }
    }
    let mut body = Vec::with_capacity(total);
    for part in parts {
        body.extend_from_slice(&bytes[part]);
    }
    Ok(Some(Chunked { body, len: at }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_is_read_when_it_is_complete() {
        let text = b"3;ext=1\r\nabc\r\nA\r\n0123456789\r\n0\r\nTrailer: x\r\n\r\n";
        for end in 0..text.len() {
            assert_eq!(read_chunked(&text[..end]), Ok(None), "{end}");
        }
        let more = [text.as_slice(), b"GET /"].concat();
        let read = read_chunked(&more).unwrap().unwrap();
        assert_eq!(read, Chunked { body: b"abc0123456789".to_vec(), len: text.len() });
    }

    #[test]
    fn wrong_chunks_are_refused() {
        assert!(read_chunked(b"zz\r\n").is_err());
        assert!(read_chunked(b"3\r\nabcd\r\n").is_err());
        assert_eq!(read_chunked(b"FFFFFFFF\r\n"), Err(HttpError::BodyTooLarge));
    }
}
