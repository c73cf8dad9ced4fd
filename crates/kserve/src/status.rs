//! How a gRPC call ended.

use std::fmt;

use http::HeaderMap;
use percent_encoding::percent_decode;

/// The names of the status codes from 0 (gRPC's `statuscodes.md`).
const NAMES: [&str; 17] = [
    "OK",
    "CANCELLED",
    "UNKNOWN",
    "INVALID_ARGUMENT",
    "DEADLINE_EXCEEDED",
    "NOT_FOUND",
    "ALREADY_EXISTS",
    "PERMISSION_DENIED",
    "RESOURCE_EXHAUSTED",
    "FAILED_PRECONDITION",
    "ABORTED",
    "OUT_OF_RANGE",
    "UNIMPLEMENTED",
    "INTERNAL",
    "UNAVAILABLE",
    "DATA_LOSS",
    "UNAUTHENTICATED",
];

/// The name of a status code; `UNKNOWN` for one that gRPC does not have.
#[must_use]
pub fn code_name(code: u32) -> &'static str {
    usize::try_from(code).ok().and_then(|at| NAMES.get(at).copied()).unwrap_or("UNKNOWN")
}

/// The status of a call, from its trailers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GrpcStatus {
    /// The code; 0 is success.
    pub code: u32,
    /// What the server says of it.
    pub message: String,
}

impl GrpcStatus {
    /// The code of a method that a server has not got.
    pub const UNIMPLEMENTED: u32 = 12;

    /// The status in trailers, or in the headers of an answer that has nothing else; none if there is none. One that is no
    /// number is unknown, as gRPC has it.
    #[must_use]
    pub fn of(headers: &HeaderMap) -> Option<Self> {
        let code = headers.get("grpc-status")?;
        let code = code.to_str().ok().and_then(|text| text.trim().parse().ok()).unwrap_or(2);
        let message =
            headers.get("grpc-message").map(|value| percent_decode(value.as_bytes()).decode_utf8_lossy().into_owned());
        Some(Self { code, message: message.unwrap_or_default() })
    }

    /// Whether the call succeeded.
    #[must_use]
    pub const fn is_ok(&self) -> bool {
        self.code == 0
    }

    /// The name of its code.
    #[must_use]
    pub fn name(&self) -> &'static str {
        code_name(self.code)
    }
}

impl fmt::Display for GrpcStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.message.trim() {
            "" => f.write_str(self.name()),
            message => write!(f, "{message} ({})", self.name()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::HeaderValue;

    fn status(code: &'static str, message: &'static str) -> Option<GrpcStatus> {
        let mut headers = HeaderMap::new();
        headers.insert("grpc-status", HeaderValue::from_static(code));
        headers.insert("grpc-message", HeaderValue::from_static(message));
        GrpcStatus::of(&headers)
    }

    #[test]
    fn the_status_is_a_number_and_an_escaped_text() {
        let found = status("5", "no model %22m%22 %E2%82%AC").unwrap();
        assert_eq!(found, GrpcStatus { code: 5, message: "no model \"m\" €".to_owned() });
        assert_eq!(found.name(), "NOT_FOUND");
        assert!(!found.is_ok() && status("0", "").unwrap().is_ok());
        assert_eq!(status("good", "").unwrap().name(), "UNKNOWN");
        assert_eq!(code_name(99), "UNKNOWN");
        assert_eq!(code_name(16), "UNAUTHENTICATED");
        assert_eq!(GrpcStatus::of(&HeaderMap::new()), None);
    }
}
