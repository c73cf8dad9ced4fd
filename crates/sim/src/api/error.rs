//! Errors in the form that clients of the API know.

use super::json_string;
use crate::http::Reply;

/// A request that is answered with an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ApiError {
    pub(crate) status: u16,
    pub(crate) message: String,
}

impl ApiError {
    pub(crate) fn bad_request(message: impl Into<String>) -> Self {
        Self { status: 400, message: message.into() }
    }

    pub(crate) fn not_found(message: impl Into<String>) -> Self {
        Self { status: 404, message: message.into() }
    }

    pub(crate) fn injected(status: u16) -> Self {
        Self { status, message: format!("status {status} on purpose: the simulated server was told to fail") }
    }

    pub(crate) fn reply(&self) -> Reply {
        Reply::json(self.status, error_body(self.status, &self.message))
    }
}

/// The body of an error, also used as an event.
pub(crate) fn error_body(status: u16, message: &str) -> String {
    let kind = match status {
        400 => "BadRequestError",
        401 => "AuthenticationError",
        403 => "PermissionDeniedError",
        404 => "NotFoundError",
        429 => "RateLimitError",
        503 => "ServiceUnavailableError",
        _ if status < 500 => "InvalidRequestError",
        _ => "InternalServerError",
    };
    format!(r#"{{"error":{{"message":{},"type":"{kind}","param":null,"code":{status}}}}}"#, json_string(message))
}
