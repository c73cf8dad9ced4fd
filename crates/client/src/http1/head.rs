//! Response heads (RFC 9112 §4 to §6).

use super::body::Framing;

/// Most header fields of a response.
const MAX_FIELDS: usize = 256;
/// Longest head.
pub(super) const MAX_HEAD: usize = 256 * 1024;

/// What of a response head matters here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) status: u16,
    pub(crate) framing: Framing,
    /// The connection may serve another request afterwards.
    pub(crate) keeps_alive: bool,
    /// In lower case.
    pub(crate) content_type: Option<String>,
    /// Other than none, in lower case.
    pub(crate) content_encoding: Option<String>,
}

/// Reads a head at the beginning of `bytes`: the head and its length, or `None` if it is not complete.
///
/// # Errors
/// What is wrong with it.
pub(super) fn parse(bytes: &[u8]) -> Result<Option<(Head, usize)>, String> {
    let mut fields = [httparse::EMPTY_HEADER; MAX_FIELDS];
    let mut response = httparse::Response::new(&mut fields);
    let length = match httparse::ParserConfig::default()
        .allow_spaces_after_header_name_in_responses(false)
        .parse_response(&mut response, bytes)
    {
        Ok(httparse::Status::Complete(length)) => length,
        Ok(httparse::Status::Partial) if bytes.len() > MAX_HEAD => return Err("the head is too long".to_owned()),
        Ok(httparse::Status::Partial) => return Ok(None),
        Err(error) => return Err(error.to_string()),
    };
    let status = response.code.unwrap_or(0);
    let is_http_11 = response.version == Some(1);
    let all = |name: &'static str| {
        response
            .headers
            .iter()
            .filter(move |field| field.name.eq_ignore_ascii_case(name))
            .map(|field| String::from_utf8_lossy(field.value).trim().to_ascii_lowercase())
    };
    let tokens =
        |name| all(name).flat_map(|value| value.split(',').map(|token| token.trim().to_owned()).collect::<Vec<_>>());
    let wants = |token: &str| tokens("connection").any(|found| found == token);
    let mut keeps_alive = if is_http_11 { !wants("close") } else { wants("keep-alive") };
    let codings: Vec<String> = tokens("transfer-encoding").filter(|coding| !coding.is_empty()).collect();
    let framing = if matches!(status, 100..=199 | 204 | 304) {
        Framing::Length(0)
    } else if let Some(last) = codings.last() {
        if !is_http_11 {
            return Err("an HTTP/1.0 response has a transfer encoding".to_owned());
        }
        if codings.len() > 1 {
            return Err(format!("the transfer encoding `{}` is not understood", codings.join(", ")));
        }
        // A length beside it is overridden, and may be an attempt to smuggle something (RFC 9112 §6.3).
        keeps_alive &= all("content-length").next().is_none();
        match last.as_str() {
            "chunked" => Framing::Chunked,
            other => return Err(format!("the transfer encoding `{other}` is not understood")),
        }
    } else {
        match content_length(tokens("content-length"))? {
            Some(length) => Framing::Length(length),
            None => Framing::UntilClose,
        }
    };
    keeps_alive &= framing != Framing::UntilClose && status != 101;
    let content_encoding = all("content-encoding").find(|value| !value.is_empty() && value != "identity");
    let head = Head { status, framing, keeps_alive, content_type: all("content-type").next(), content_encoding };
    Ok(Some((head, length)))
}

/// The one length that all fields agree on.
fn content_length(values: impl Iterator<Item = String>) -> Result<Option<u64>, String> {
    let mut found = None;
    for value in values {
        let is_number = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit());
        let length = value.parse::<u64>().ok().filter(|_| is_number);
        let length = length.ok_or_else(|| format!("the content length `{value}` is not a number"))?;
        if found.is_some_and(|found| found != length) {
            return Err("the response has two different content lengths".to_owned());
        }
        found = Some(length);
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(text: &str) -> Head {
        let (head, length) = parse(text.as_bytes()).unwrap().unwrap();
        assert_eq!(length, text.len());
        for end in 0..text.len() {
            assert_eq!(parse(&text.as_bytes()[..end]), Ok(None), "{end}");
        }
        head
    }

    #[test]
    fn framing_is_what_the_fields_say() {
        let framing = |fields: &str| {
            let head = head(&format!("HTTP/1.1 200 OK\r\n{fields}\r\n"));
            (head.framing, head.keeps_alive)
        };
        assert_eq!(framing("Content-Length: 5\r\n"), (Framing::Length(5), true));
        assert_eq!(framing("content-length: 5\r\nConnection: Close\r\n"), (Framing::Length(5), false));
        assert_eq!(framing("content-length: 5, 5\r\nContent-Length: 5\r\n"), (Framing::Length(5), true));
        assert_eq!(framing("Transfer-Encoding: Chunked\r\n"), (Framing::Chunked, true));
        assert_eq!(framing("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n"), (Framing::Chunked, false));
        assert_eq!(framing(""), (Framing::UntilClose, false));
    }

    #[test]
    fn older_servers_close_unless_they_say_otherwise() {
        assert!(!head("HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\n").keeps_alive);
        assert!(head("HTTP/1.0 200 OK\r\nContent-Length: 5\r\nConnection: keep-alive\r\n\r\n").keeps_alive);
    }

    #[test]
    fn some_statuses_have_no_body() {
        for status in [100, 103, 204, 304] {
            let head = head(&format!("HTTP/1.1 {status} X\r\nContent-Length: 5\r\n\r\n"));
            assert_eq!((head.status, head.framing), (status, Framing::Length(0)));
        }
    }

    #[test]
    fn types_and_encodings_are_lower_case() {
        let head =
            head("HTTP/1.1 200 OK\r\nContent-Type: Text/Event-Stream; charset=UTF-8\r\nContent-Encoding: GZIP\r\n\r\n");
        assert_eq!(head.content_type.as_deref(), Some("text/event-stream; charset=utf-8"));
        assert_eq!(head.content_encoding.as_deref(), Some("gzip"));
    }

    #[test]
    fn what_is_ambiguous_is_refused() {
        for text in [
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: +5\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: \r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n",
            "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
            "HTTP/1.1 200 OK\r\nA: b\r\n folded\r\n\r\n",
            "HTTP/2 200 OK\r\n\r\n",
            "hello\r\n\r\n",
        ] {
            assert!(parse(text.as_bytes()).is_err(), "{text:?}");
        }
    }
}
