//! What a conversation learns of an answer.

use tokamark_record::{Outcome, RequestRecord};

/// An answer, as far as the next request may depend on it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reply {
    /// A whole answer came. Else the texts hold what had come before the request failed.
    pub is_ok: bool,
    /// The visible text.
    pub text: String,
    /// The reasoning.
    pub reasoning: String,
    /// The text of tool calls.
    pub tool_calls: String,
    /// The server's finish reason.
    pub finish_reason: Option<String>,
}

impl Reply {
    /// The answer that a record tells of.
    pub fn of(record: &RequestRecord) -> Self {
        let (reasoning, text, tool_calls) = record.texts();
        Self {
            is_ok: record.outcome == Outcome::Ok,
            text,
            reasoning,
            tool_calls,
            finish_reason: record.finish_reason.clone(),
        }
    }
}
