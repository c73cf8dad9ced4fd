//! Whether a finished response is an answer: the one place that decides it.

use tokamark_wire::{Answer, ServerError, openai};

use crate::Dialect;

/// What a finished response came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// A whole answer.
    Ok,
    /// No answer, or not a whole one.
    Failed {
        /// In what way.
        kind: VerdictKind,
        /// The server's own code, if it gave one.
        code: Option<String>,
        /// The server's name for the error, if it gave one.
        label: Option<String>,
        /// What happened, in words; never empty.
        message: String,
    },
}

/// The ways in which a response that arrived can be no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VerdictKind {
    /// The server put an error into the body or the stream.
    ServerError,
    /// A stream that ended without any end mark.
    Incomplete,
    /// No generated token.
    Empty,
    /// A body that could not be understood.
    Undecodable,
}

impl Verdict {
    /// A body that could not be understood, with the reason that [`Dialect::read_body`] gave.
    #[must_use]
    pub fn undecodable(reason: String) -> Self {
        Self::failed(VerdictKind::Undecodable, reason)
    }

    fn failed(kind: VerdictKind, message: String) -> Self {
        Self::Failed { kind, code: None, label: None, message }
    }
}

/// How a response ended, beside what its [`Answer`] holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ending {
    /// It came as a stream of events, rather than as one body.
    pub streamed: bool,
    /// Events with generated text.
    pub generated_events: u64,
    /// Output tokens that the request asked for.
    pub requested_output_tokens: Option<u64>,
}

/// Decides on a response whose body ended cleanly, under a status below 400.
///
/// An end mark is a finish reason, `[DONE]`, token counts on an event of their own at the end, or the full length that was
/// asked for. Token counts on each event (continuous usage) mark no end. Vectors and ranks are answers without a token, also
/// where tokens could have come.
#[must_use]
pub fn judge(dialect: &dyn Dialect, answer: &Answer, ending: &Ending) -> Verdict {
    if let Some(ServerError { code, kind, message }) = answer.error.clone() {
        return Verdict::Failed { kind: VerdictKind::ServerError, code, label: kind, message };
    }
    if !dialect.generates_tokens() || answer.is_data {
        return Verdict::Ok;
    }
    if ending.streamed && dialect.marks_end() && !has_end_mark(answer, ending) {
        let message = match ending.generated_events {
            0 => "the stream ended without a finish reason or [DONE], and before any token".to_owned(),
            1 => "the stream ended without a finish reason or [DONE], after 1 event with text".to_owned(),
            n => format!("the stream ended without a finish reason or [DONE], after {n} events with text"),
        };
        return Verdict::failed(VerdictKind::Incomplete, message);
    }
    if ending.generated_events == 0 {
        return Verdict::failed(VerdictKind::Empty, "no token in the answer".to_owned());
    }
    Verdict::Ok
}

fn has_end_mark(answer: &Answer, ending: &Ending) -> bool {
    let tokens = answer.usage.and_then(|usage| usage.completion).unwrap_or(0).max(ending.generated_events);
    answer.done
        || answer.finish_reason.is_some()
        || answer.ends_with_usage
        || ending.requested_output_tokens.is_some_and(|wanted| wanted > 0 && tokens >= wanted)
}

/// The error that a response with a status of 400 or above stands for.
///
/// Its code is the status; its kind is the server's name for the error, else the reason phrase; its message is the server's
/// in any known shape, else the start of the body as it is, else the reason phrase.
#[must_use]
pub fn http_error(status: u16, reason: &str, body: &[u8]) -> ServerError {
    let reason = reason.trim();
    let said = openai::error_in_body(body).unwrap_or_default();
    let message = [said.message.trim(), openai::text_of(body).unwrap_or_default().trim(), reason]
        .into_iter()
        .find(|text| !text.is_empty())
        .map_or_else(|| format!("HTTP status {status} with an empty body"), str::to_owned);
    ServerError {
        code: Some(status.to_string()),
        kind: said.kind.or_else(|| (!reason.is_empty()).then(|| reason.to_owned())),
        message,
    }
}
