//! Where a response body ends (RFC 9112 §6 and §7.1), decoded as the bytes come.

/// The longest line of chunk framing: a size with its extensions, or a trailer field.
const MAX_LINE: usize = 16 * 1024;
/// The most bytes of trailer fields.
const MAX_TRAILERS: usize = 64 * 1024;

/// How a body is delimited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Framing {
    /// By a count of bytes.
    Length(u64),
    /// In chunks.
    Chunked,
    /// By the end of the connection.
    UntilClose,
}

/// Takes a body out of its framing.
#[derive(Debug)]
pub(crate) struct BodyDecoder {
    state: State,
    /// Bytes of the framing line, or of all trailers, so far.
    line_length: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// So many bytes of a body with a length are left.
    Length(u64),
    UntilClose,
    /// In the digits of a chunk size. `digits` counts them.
    Size {
        size: u64,
        digits: u8,
    },
    /// Blanks after the digits, then an extension or the end of the line.
    AfterSize {
        size: u64,
    },
    /// In a chunk extension, which is skipped.
    Extension {
        size: u64,
    },
    /// After the CR of the size line.
    SizeLf {
        size: u64,
    },
    /// So many bytes of a chunk are left.
    Data(u64),
    /// After a chunk's data.
    DataCr,
    DataLf,
    /// At the start of a trailer line, or of the empty one that ends the body.
    Trailer,
    /// Within a trailer line.
    TrailerLine,
    /// After the CR of the empty line.
    EndLf,
    Ended,
}

/// What the next bytes are.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Step<'a> {
    /// Bytes of the body, possibly none.
    pub(crate) data: &'a [u8],
    /// What follows them.
    pub(crate) rest: &'a [u8],
}

impl BodyDecoder {
    pub(crate) fn new(framing: Framing) -> Self {
        let state = match framing {
            Framing::Length(0) => State::Ended,
            Framing::Length(length) => State::Length(length),
            Framing::Chunked => State::Size { size: 0, digits: 0 },
            Framing::UntilClose => State::UntilClose,
        };
        Self { state, line_length: 0 }
    }

    /// Whether the body is over.
    pub(crate) fn is_ended(&self) -> bool {
        self.state == State::Ended
    }

    /// Whether the end of the connection is the end of the body.
    pub(crate) fn ends_with_connection(&self) -> bool {
        matches!(self.state, State::Ended | State::UntilClose)
    }

    /// Reads on to the next bytes of the body, or to the end of the input.
    ///
    /// # Errors
    /// What is wrong with the framing.
    #[inline]
    pub(crate) fn step<'a>(&mut self, input: &'a [u8]) -> Result<Step<'a>, &'static str> {
        let mut rest = input;
        loop {
            match self.state {
                State::Length(left) => return Ok(self.take(rest, left, State::Length, State::Ended)),
                State::Data(left) => return Ok(self.take(rest, left, State::Data, State::DataCr)),
                State::UntilClose => return Ok(Step { data: rest, rest: &[] }),
                State::Ended => return Ok(Step { data: &[], rest }),
                _ => {}
            }
            let Some((&byte, after)) = rest.split_first() else { return Ok(Step { data: &[], rest }) };
            self.state = self.framing_byte(byte)?;
            rest = after;
        }
    }

    fn take<'a>(&mut self, input: &'a [u8], left: u64, more: impl Fn(u64) -> State, end: State) -> Step<'a> {
        let count = usize::try_from(left).unwrap_or(usize::MAX).min(input.len());
        let (data, rest) = input.split_at(count);
        let left = left - count as u64;
        self.state = if left == 0 { end } else { more(left) };
        Step { data, rest }
    }

    fn framing_byte(&mut self, byte: u8) -> Result<State, &'static str> {
        self.line_length += 1;
        let state = match (self.state, byte) {
            (State::Size { size, digits }, b'0'..=b'9' | b'a'..=b'f' | b'A'..=b'F') => {
                let digit = u64::from(char::from(byte).to_digit(16).unwrap_or(0));
                let size =
                    size.checked_mul(16).and_then(|size| size.checked_add(digit)).ok_or("a chunk size is too large")?;
                State::Size { size, digits: digits.saturating_add(1) }
            }
            (State::Size { digits: 0, .. }, _) => return Err("a chunk size is not a hexadecimal number"),
            (State::Size { size, .. } | State::AfterSize { size }, b' ' | b'\t') => State::AfterSize { size },
            (State::Size { size, .. } | State::AfterSize { size }, b';') => State::Extension { size },
            (State::Size { size, .. } | State::AfterSize { size } | State::Extension { size }, b'\r') => {
                State::SizeLf { size }
            }
            (State::Size { .. } | State::AfterSize { .. }, _) => {
                return Err("a chunk size is not a hexadecimal number");
            }
            (State::Extension { .. }, b'\n') => return Err("a chunk extension holds a bare line feed"),
            (State::Extension { size }, _) => State::Extension { size },
            (State::SizeLf { size }, b'\n') => {
                self.line_length = 0;
                if size == 0 { State::Trailer } else { State::Data(size) }
            }
            (State::DataCr, b'\r') => State::DataLf,
            (State::DataLf, b'\n') => {
                self.line_length = 0;
                State::Size { size: 0, digits: 0 }
            }
            (State::Trailer, b'\r') => State::EndLf,
            (State::Trailer | State::TrailerLine, b'\n') => State::Trailer,
            (State::Trailer | State::TrailerLine, _) => State::TrailerLine,
            (State::EndLf, b'\n') => State::Ended,
            (State::SizeLf { .. } | State::EndLf, _) => {
                return Err("a line of the chunk framing has a bare carriage return");
            }
            (State::DataCr | State::DataLf, _) => return Err("a chunk is longer than its size"),
            // The states with data have no framing bytes.
            (state, _) => state,
        };
        let limit =
            if matches!(state, State::Trailer | State::TrailerLine | State::EndLf) { MAX_TRAILERS } else { MAX_LINE };
        if self.line_length > limit { Err("a line of the chunk framing is too long") } else { Ok(state) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Decodes in pieces of `size` bytes; gives the body, what was left over and whether it ended.
    fn decode(framing: Framing, input: &[u8], size: usize) -> Result<(Vec<u8>, Vec<u8>, bool), &'static str> {
        let mut decoder = BodyDecoder::new(framing);
        let (mut body, mut left_over) = (Vec::new(), Vec::new());
        for piece in input.chunks(size.max(1)) {
            let mut rest = piece;
            loop {
                let step = decoder.step(rest)?;
                body.extend_from_slice(step.data);
                rest = step.rest;
                if rest.is_empty() || decoder.is_ended() {
                    left_over.extend_from_slice(rest);
                    break;
                }
            }
        }
        Ok((body, left_over, decoder.is_ended()))
    }

    fn in_any_pieces(framing: Framing, input: &[u8]) -> Result<(Vec<u8>, Vec<u8>, bool), &'static str> {
        let whole = decode(framing, input, input.len());
        for size in 1..=input.len().min(40) {
            assert_eq!(decode(framing, input, size), whole, "in pieces of {size}");
        }
        whole
    }

    #[test]
    fn chunks_become_a_body() {
        let input = b"5\r\nhello\r\n1;name=value\r\n,\r\n0A  \r\n 6789 worl\r\n1 ; x=\"y\"\r\nd\r\n000\r\nTrailer: x\r\nOther: y\r\n\r\nnext";
        assert_eq!(in_any_pieces(Framing::Chunked, input), Ok((b"hello, 6789 world".to_vec(), b"next".to_vec(), true)));
    }

    #[test]
    fn a_body_has_its_length() {
        assert_eq!(in_any_pieces(Framing::Length(5), b"hello!"), Ok((b"hello".to_vec(), b"!".to_vec(), true)));
        assert_eq!(in_any_pieces(Framing::Length(9), b"hello"), Ok((b"hello".to_vec(), vec![], false)));
        assert_eq!(in_any_pieces(Framing::Length(0), b"x"), Ok((vec![], b"x".to_vec(), true)));
        assert_eq!(in_any_pieces(Framing::UntilClose, b"hello"), Ok((b"hello".to_vec(), vec![], false)));
    }

    #[test]
    fn an_unfinished_body_has_not_ended() {
        for input in ["5", "5\r\nhell", "5\r\nhello", "5\r\nhello\r\n", "0", "0\r\n", "0\r\nTrailer: x\r\n", "0\r\n\r"]
        {
            let (_, _, ended) = in_any_pieces(Framing::Chunked, input.as_bytes()).unwrap();
            assert!(!ended, "{input:?}");
        }
    }

    #[test]
    fn wrong_framing_is_refused() {
        for input in [
            "x\r\n",
            "\r\n",
            ";x\r\n",
            "-5\r\nhello\r\n",
            "0x5\r\nhello\r\n",
            "5\nhello",
            "5\r\rhello",
            "5\r\nhello!\r\n",
            "5\r\nhello\n",
            "ffffffffffffffffff\r\n",
            "5 5\r\n",
            "5;a\nb\r\nhello\r\n",
            "0\r\n\rx",
        ] {
            assert!(in_any_pieces(Framing::Chunked, input.as_bytes()).is_err(), "{input:?}");
        }
        let long = format!("5;{}\r\nhello\r\n0\r\n\r\n", "x".repeat(MAX_LINE));
        assert!(decode(Framing::Chunked, long.as_bytes(), 100).is_err());
        let long = format!("0\r\n{}\r\n", "a: b\r\n".repeat(MAX_TRAILERS / 6 + 1));
        assert!(decode(Framing::Chunked, long.as_bytes(), 100).is_err());
    }

    proptest::proptest! {
        /// Any body in any chunks, with any extensions and trailers, in any pieces.
        #[test]
        fn whatever_is_put_into_chunks_comes_out(
            chunks in proptest::collection::vec((proptest::collection::vec(0u8.., 1..40), "(;[a-z]{1,3}(=[a-z0-9]{0,4})?){0,2}"), 0..8),
            trailers in "([A-Z][a-z]{0,4}: [a-z ]{0,8}\r\n){0,3}",
            after in proptest::collection::vec(0u8.., 0..6),
            size in 1usize..60,
        ) {
            let mut input = Vec::new();
            for (data, extension) in &chunks {
                input.extend_from_slice(format!("{:x}{extension}\r\n", data.len()).as_bytes());
                input.extend_from_slice(data);
                input.extend_from_slice(b"\r\n");
            }
            input.extend_from_slice(format!("0\r\n{trailers}\r\n").as_bytes());
            input.extend_from_slice(&after);
            let (body, left_over, ended) = decode(Framing::Chunked, &input, size).unwrap();
            proptest::prop_assert_eq!(left_over, after);
            proptest::prop_assert_eq!(body, chunks.iter().flat_map(|(data, _)| data.clone()).collect::<Vec<u8>>());
            proptest::prop_assert!(ended);
        }

        /// Nothing that comes makes it panic, or depends on where it was cut.
        #[test]
        fn any_bytes_are_framing_or_refused(input in "[0-9a-f;\r\nx ]{0,40}", size in 1usize..20) {
            let whole = decode(Framing::Chunked, input.as_bytes(), input.len());
            proptest::prop_assert_eq!(decode(Framing::Chunked, input.as_bytes(), size), whole);
        }
    }
}
