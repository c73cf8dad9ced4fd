//! The head of a request.

use super::{MAX_BODY, MAX_HEAD};

const MAX_HEADERS: usize = 96;

/// A request that cannot be read. The connection ends with it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum HttpError {
    #[error("the request cannot be read: {0}")]
    Malformed(String),
    #[error("the request's head is too large")]
    HeadTooLarge,
    #[error("the request's body is too large")]
    BodyTooLarge,
}

impl HttpError {
    pub(crate) fn status(&self) -> u16 {
        match self {
            Self::Malformed(_) => 400,
            Self::HeadTooLarge => 431,
            Self::BodyTooLarge => 413,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Method {
    Get,
    Head,
    Post,
    Options,
    Other,
}

/// How the body is delimited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Body {
    Length(usize),
    Chunked,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RequestHead {
    pub(crate) method: Method,
    /// Without the query.
    pub(crate) path: String,
    pub(crate) is_http10: bool,
    pub(crate) keep_alive: bool,
    pub(crate) body: Body,
    pub(crate) expects_continue: bool,
    pub(crate) request_id: Option<String>,
    /// Bytes of the head, up to the body.
    pub(crate) len: usize,
}

/// Reads a head at the start of `bytes`; `None` if it is not complete.
pub(crate) fn read_head(bytes: &[u8]) -> Result<Option<RequestHead>, HttpError> {
    let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
    let mut request = httparse::Request::new(&mut headers);
    let len = match request.parse(bytes) {
        Ok(httparse::Status::Complete(len)) if len <= MAX_HEAD => len,
        Ok(httparse::Status::Partial) if bytes.len() <= MAX_HEAD => return Ok(None),
        Ok(_) | Err(httparse::Error::TooManyHeaders) => return Err(HttpError::HeadTooLarge),
        Err(error) => return Err(HttpError::Malformed(error.to_string())),
    };
    let is_http10 = request.version == Some(0);
    let mut head = RequestHead {
        method: match request.method {
            Some("GET") => Method::Get,
            Some("HEAD") => Method::Head,
            Some("POST") => Method::Post,
            Some("OPTIONS") => Method::Options,
            _ => Method::Other,
        },
        path: path_of(request.path.unwrap_or_default()).to_owned(),
        is_http10,
        keep_alive: !is_http10,
        body: Body::Length(0),
        expects_continue: false,
        request_id: None,
        len,
    };
    let mut length = None;
    let mut is_chunked = false;
    for header in request.headers.iter() {
        let value = header.value.trim_ascii();
        if header.name.eq_ignore_ascii_case("content-length") {
            let text = std::str::from_utf8(value).unwrap_or_default();
            let number = text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse::<usize>());
            let Some(Ok(number)) = number else {
                return Err(HttpError::Malformed("a content length that is no number".into()));
            };
            if length.is_some_and(|length| length != number) {
                return Err(HttpError::Malformed("two different content lengths".into()));
            }
            length = Some(number);
        } else if header.name.eq_ignore_ascii_case("transfer-encoding") {
            if !value.eq_ignore_ascii_case(b"chunked") {
                return Err(HttpError::Malformed("an unknown transfer encoding".into()));
            }
            is_chunked = true;
        } else if header.name.eq_ignore_ascii_case("connection") {
            for word in value.split(|byte| *byte == b',').map(<[u8]>::trim_ascii) {
                if word.eq_ignore_ascii_case(b"close") {
                    head.keep_alive = false;
                } else if word.eq_ignore_ascii_case(b"keep-alive") && is_http10 {
                    head.keep_alive = true;
                }
            }
        } else if header.name.eq_ignore_ascii_case("expect") {
            head.expects_continue = value.eq_ignore_ascii_case(b"100-continue");
        } else if header.name.eq_ignore_ascii_case("x-request-id") {
            head.request_id = Some(String::from_utf8_lossy(value).into_owned());
        }
    }
    head.body = match (is_chunked, length) {
        (true, Some(_)) => return Err(HttpError::Malformed("both a length and chunks".into())),
        (true, None) => Body::Chunked,
        (false, length) => Body::Length(length.unwrap_or(0)),
    };
    match head.body {
        Body::Length(length) if length > MAX_BODY => Err(HttpError::BodyTooLarge),
        _ => Ok(Some(head)),
    }
}

/// The path of a request target, which may be absolute (as sent to a proxy).
fn path_of(target: &str) -> &str {
    let target = target.split(['?', '#']).next().unwrap_or_default();
    match target.split_once("://") {
        Some((_, rest)) => rest.find('/').map_or("/", |at| &rest[at..]),
        None => target,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> RequestHead {
        read_head(text.as_bytes()).unwrap().unwrap()
    }

    #[test]
    fn a_head_is_read_when_it_is_complete() {
        let text =
            "POST /v1/chat/completions?x=1 HTTP/1.1\r\nHost: a\r\nContent-Length: 12\r\nX-Request-ID: r-1\r\n\r\n";
        for end in 0..text.len() {
            assert_eq!(read_head(&text.as_bytes()[..end]), Ok(None), "{end}");
        }
        let head = read(&format!("{text}more"));
        assert_eq!((head.method, head.path.as_str()), (Method::Post, "/v1/chat/completions"));
        assert_eq!((head.body, head.len, head.keep_alive), (Body::Length(12), text.len(), true));
        assert_eq!(head.request_id.as_deref(), Some("r-1"));
    }

    #[test]
    fn connections_stay_open_as_the_version_and_the_header_say() {
        assert!(read("GET / HTTP/1.1\r\n\r\n").keep_alive);
        assert!(!read("GET / HTTP/1.1\r\nConnection: foo, Close\r\n\r\n").keep_alive);
        assert!(!read("GET / HTTP/1.0\r\n\r\n").keep_alive);
        assert!(read("GET / HTTP/1.0\r\nconnection: Keep-Alive\r\n\r\n").keep_alive);
    }

    #[test]
    fn bodies_are_delimited_in_one_way() {
        let with = |headers: &str| read_head(format!("POST / HTTP/1.1\r\n{headers}\r\n\r\n").as_bytes());
        assert_eq!(with("Transfer-Encoding: chunked").unwrap().unwrap().body, Body::Chunked);
        assert!(with("Transfer-Encoding: chunked\r\nContent-Length: 3").is_err());
        assert!(with("Content-Length: 3\r\nContent-Length: 4").is_err());
        assert!(with("Content-Length: +3").is_err());
        assert!(with("Content-Length: ").is_err());
        assert!(with("Transfer-Encoding: gzip").is_err());
        assert_eq!(with("Content-Length: 999999999999"), Err(HttpError::BodyTooLarge));
        assert!(with("Expect: 100-continue").unwrap().unwrap().expects_continue);
    }

    #[test]
    fn what_is_no_request_is_refused() {
        assert_eq!(read_head(b"\x16\x03\x01").unwrap_err().status(), 400);
        let long = format!("GET / HTTP/1.1\r\nA: {}", "x".repeat(MAX_HEAD));
        assert_eq!(read_head(long.as_bytes()), Err(HttpError::HeadTooLarge));
        let many = format!("GET / HTTP/1.1\r\n{}\r\n", "A: b\r\n".repeat(MAX_HEADERS + 1));
        assert_eq!(read_head(many.as_bytes()), Err(HttpError::HeadTooLarge));
    }

    #[test]
    fn absolute_targets_have_a_path() {
        assert_eq!(read("GET http://host:1/v1/models?a HTTP/1.1\r\n\r\n").path, "/v1/models");
        assert_eq!(read("GET http://host HTTP/1.1\r\n\r\n").path, "/");
    }
}
