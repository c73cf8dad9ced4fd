//! Responses.

/// How a response's body is delimited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Framing {
    Length(usize),
    Chunked,
    /// By the end of the connection.
    Close,
}

/// A response that is known as a whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) content_type: &'static str,
    /// A header line of its own, complete with its end, or empty.
    pub(crate) extra: &'static str,
    pub(crate) body: Vec<u8>,
}

impl Reply {
    pub(crate) fn json(status: u16, body: impl Into<Vec<u8>>) -> Self {
        Self { status, content_type: "application/json", extra: "", body: body.into() }
    }

    pub(crate) fn text(status: u16, content_type: &'static str, body: impl Into<Vec<u8>>) -> Self {
        Self { status, content_type, extra: "", body: body.into() }
    }

    /// Appends the response.
    pub(crate) fn push(&self, out: &mut Vec<u8>, keep_alive: bool, without_body: bool) {
        push_head(out, self.status, self.content_type, self.extra, Framing::Length(self.body.len()), keep_alive);
        if !without_body {
            out.extend_from_slice(&self.body);
        }
    }
}

/// Appends a response head.
pub(crate) fn push_head(
    out: &mut Vec<u8>,
    status: u16,
    content_type: &str,
    extra: &str,
    framing: Framing,
    keep_alive: bool,
) {
    let framing = match framing {
        Framing::Length(length) => format!("content-length: {length}\r\n"),
        Framing::Chunked => "transfer-encoding: chunked\r\n".to_owned(),
        Framing::Close => String::new(),
    };
    let connection = if keep_alive { "" } else { "connection: close\r\n" };
    let head = format!(
        "HTTP/1.1 {status} {}\r\nserver: tokamark-sim\r\ncontent-type: {content_type}\r\n{framing}{extra}{connection}\r\n",
        reason(status)
    );
    out.extend_from_slice(head.as_bytes());
}

/// Appends the size line of a chunk.
pub(crate) fn push_chunk_head(out: &mut Vec<u8>, len: usize) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut digits = [0u8; 16];
    let (mut at, mut rest) = (digits.len(), len);
    loop {
        at -= 1;
        digits[at] = DIGITS[rest & 15];
        rest >>= 4;
        if rest == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[at..]);
    out.extend_from_slice(b"\r\n");
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        204 => "No Content",
        400 => "Bad Request",
        401 => "Unauthorized",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        408 => "Request Timeout",
        413 => "Content Too Large",
        422 => "Unprocessable Content",
        429 => "Too Many Requests",
        431 => "Request Header Fields Too Large",
        500 => "Internal Server Error",
        502 => "Bad Gateway",
        503 => "Service Unavailable",
        504 => "Gateway Timeout",
        _ if status < 500 => "Client Error",
        _ => "Server Error",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunk_sizes_are_hexadecimal() {
        for len in [0, 1, 15, 16, 255, 256, 65_536, 0xdead_beef] {
            let mut out = Vec::new();
            push_chunk_head(&mut out, len);
            assert_eq!(String::from_utf8(out).unwrap(), format!("{len:x}\r\n"));
        }
    }
}
