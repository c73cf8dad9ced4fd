//! From a finished response to the outcome in its record.

use http::StatusCode;
use tokamark_endpoint::{Dialect, Ending, Verdict, VerdictKind, http_error, judge};
use tokamark_kserve::GrpcStatus;
use tokamark_record::{Failure, FailureKind, Outcome};

use crate::failure::failure;
use crate::reading::Reading;

/// Whether a response with this status can be an answer. Those without content are none.
pub(crate) fn may_answer(status: u16) -> bool {
    matches!(status, 200..=299) && !matches!(status, 204 | 205)
}

/// A response whose status says that it is no answer.
pub(crate) fn of_status(status: u16, body: &[u8]) -> Failure {
    let reason = StatusCode::from_u16(status).ok().and_then(|status| status.canonical_reason()).unwrap_or_default();
    let error = http_error(status, reason, body);
    let kind = if status >= 400 { FailureKind::HttpStatus } else { FailureKind::UnexpectedStatus };
    Failure { kind, code: error.code, label: error.kind, message: error.message }
}

/// A gRPC call whose status says that it failed.
pub(crate) fn of_grpc_status(status: &GrpcStatus) -> Failure {
    let message = match status.message.trim() {
        "" => format!("the call ended with the status {}", status.name()),
        message => message.to_owned(),
    };
    Failure {
        kind: FailureKind::ServerError,
        code: Some(status.code.to_string()),
        label: Some(status.name().to_owned()),
        message,
    }
}

/// A gRPC call that ended without a status.
pub(crate) fn of_missing_grpc_status() -> Failure {
    failure(FailureKind::Incomplete, "the call ended without a gRPC status")
}

/// A body that was read to its end.
pub(crate) fn of_answer(dialect: &dyn Dialect, reading: &Reading, requested_output_tokens: Option<u64>) -> Outcome {
    let ending = Ending {
        streamed: reading.is_stream(),
        generated_events: reading.events.iter().filter(|event| event.flags.is_generated()).count() as u64,
        requested_output_tokens,
    };
    match judge(dialect, &reading.answer, &ending) {
        Verdict::Ok => Outcome::Ok,
        Verdict::Failed { kind, code, label, message } => {
            Outcome::Failed(Failure { kind: kind_of(kind), code, label, message })
        }
    }
}

/// A body that could not be understood.
pub(crate) fn of_undecodable(reason: String) -> Failure {
    Failure { kind: FailureKind::Undecodable, code: None, label: None, message: reason }
}

fn kind_of(kind: VerdictKind) -> FailureKind {
    match kind {
        VerdictKind::ServerError => FailureKind::ServerError,
        VerdictKind::Incomplete => FailureKind::Incomplete,
        VerdictKind::Empty => FailureKind::Empty,
        VerdictKind::Undecodable => FailureKind::Undecodable,
    }
}
