//! From errors of sockets and of HTTP to the failures of a record.

use std::error::Error as _;
use std::io;

use tokamark_record::{Failure, FailureKind};

/// A failure without a code of its own.
pub(crate) fn failure(kind: FailureKind, message: impl Into<String>) -> Failure {
    Failure { kind, code: None, label: None, message: message.into() }
}

/// A connection that could not be opened.
pub(crate) fn of_connect(error: &io::Error) -> Failure {
    match shortage(error) {
        Some(message) => failure(FailureKind::ClientResource, message),
        None => failure(FailureKind::Connect, describe(error)),
    }
}

/// What this machine has run out of, if that is what the error says.
fn shortage(error: &io::Error) -> Option<String> {
    match error.raw_os_error()? {
        libc::EMFILE | libc::ENFILE => {
            Some("no file descriptor is left for a connection (raise `ulimit -n`)".to_owned())
        }
        libc::EADDRNOTAVAIL => Some("no local port is left for a connection".to_owned()),
        libc::ENOBUFS | libc::ENOMEM => Some("the kernel has no memory left for a connection".to_owned()),
        _ => None,
    }
}

/// An exchange that broke. `got_response` says whether any byte of an answer had come.
pub(crate) fn of_exchange(error: &hyper::Error, got_response: bool) -> Failure {
    if error.is_parse() || error.is_parse_status() {
        return failure(FailureKind::Undecodable, format!("the response is not valid HTTP: {}", root(error)));
    }
    if let Some(io) = io_cause(error) {
        if let Some(message) = shortage(io) {
            return failure(FailureKind::ClientResource, message);
        }
        let invalid = matches!(io.kind(), io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput);
        if invalid && io.get_ref().is_some_and(|inner| inner.is::<rustls::Error>()) {
            return failure(FailureKind::Tls, describe(io));
        }
        // hyper has no kind of its own for chunk sizes that are not numbers and the like.
        if invalid {
            return failure(FailureKind::Undecodable, format!("the response body is not valid HTTP: {io}"));
        }
        let kind =
            if got_response || io.kind() != io::ErrorKind::BrokenPipe { FailureKind::Reset } else { FailureKind::Send };
        return failure(kind, describe(io));
    }
    if error.is_incomplete_message() || error.is_closed() || error.is_canceled() || error.is_body_write_aborted() {
        let when = if got_response { "before the response was complete" } else { "before any response" };
        return failure(FailureKind::Reset, format!("the server closed the connection {when}"));
    }
    failure(FailureKind::Reset, root(error))
}

fn io_cause(error: &hyper::Error) -> Option<&io::Error> {
    let mut cause = error.source();
    while let Some(inner) = cause {
        if let Some(io) = inner.downcast_ref::<io::Error>() {
            return Some(io);
        }
        cause = inner.source();
    }
    None
}

fn root(error: &hyper::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        text = format!("{text}: {inner}");
        cause = inner.source();
    }
    text
}

/// An I/O error in words, without the operating system's number.
pub(crate) fn describe(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::ConnectionRefused => "connection refused".to_owned(),
        io::ErrorKind::ConnectionReset => "connection reset by the server".to_owned(),
        io::ErrorKind::BrokenPipe => "the server closed the connection while the request was written".to_owned(),
        io::ErrorKind::TimedOut => "the connection timed out".to_owned(),
        io::ErrorKind::UnexpectedEof => "the server closed the connection".to_owned(),
        _ => {
            let text = error.to_string();
            match text.find(" (os error") {
                Some(end) => text[..end].to_owned(),
                None => text,
            }
        }
    }
}
