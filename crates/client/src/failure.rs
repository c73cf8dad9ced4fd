//! From errors of sockets and of HTTP to the failures of a record.

use std::io;

use tokamark_record::{Failure, FailureKind};

use crate::http1::Broken;

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
pub(crate) fn of_exchange(broken: &Broken, got_response: bool) -> Failure {
    match broken {
        Broken::Invalid(reason) => {
            failure(FailureKind::Undecodable, format!("the response is not valid HTTP/1.1: {reason}"))
        }
        Broken::NotHttp2(reason) => {
            failure(FailureKind::Undecodable, format!("the server does not speak HTTP/2, which gRPC needs: {reason}"))
        }
        Broken::Unprocessed(reason) => {
            failure(FailureKind::Reset, format!("the server takes no further request on the connection: {reason}"))
        }
        Broken::Refused(reason) => failure(FailureKind::Reset, reason.clone()),
        Broken::Closed => {
            let when = if got_response { "before the response was complete" } else { "before any response" };
            failure(FailureKind::Reset, format!("the server closed the connection {when}"))
        }
        Broken::Io(error) => of_io(error, got_response),
    }
}

fn of_io(error: &io::Error, got_response: bool) -> Failure {
    if let Some(message) = shortage(error) {
        return failure(FailureKind::ClientResource, message);
    }
    if error.get_ref().is_some_and(|inner| inner.is::<rustls::Error>()) {
        return failure(FailureKind::Tls, describe(error));
    }
    let is_send = !got_response && matches!(error.kind(), io::ErrorKind::BrokenPipe | io::ErrorKind::WriteZero);
    failure(if is_send { FailureKind::Send } else { FailureKind::Reset }, describe(error))
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
