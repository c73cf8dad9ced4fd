//! What has been read of one answer so far.

use serde::{Deserialize, Serialize};

use crate::EventFlags;

/// Token counts as a server reports them. Absent and `null` are both `None`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Tokens of the prompt.
    pub prompt: Option<u64>,
    /// Tokens of the answer, reasoning included.
    pub completion: Option<u64>,
    /// Prompt and answer together.
    pub total: Option<u64>,
    /// Reasoning tokens within `completion`.
    pub reasoning: Option<u64>,
    /// Prompt tokens read from a prefix cache.
    pub cache_read: Option<u64>,
    /// Prompt tokens written to a prefix cache.
    pub cache_write: Option<u64>,
    /// Draft tokens that speculative decoding accepted.
    pub accepted_prediction: Option<u64>,
    /// Draft tokens that speculative decoding rejected.
    pub rejected_prediction: Option<u64>,
}

/// An error that the server put into a body or a stream.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServerError {
    /// The server's own code, a number or a word.
    pub code: Option<String>,
    /// The server's name for the kind of error.
    pub kind: Option<String>,
    /// What it says; never empty.
    pub message: String,
}

/// What one event is and how much generated text it added, in UTF-8 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EventInfo {
    /// Its roles.
    pub flags: EventFlags,
    /// Bytes of reasoning text, which come first in [`Answer::text`].
    pub reasoning_len: u32,
    /// Bytes of visible text, which come second.
    pub content_len: u32,
    /// Bytes of tool-call text (name and arguments), which come last.
    pub tool_len: u32,
}

/// Collects one answer. Reused from request to request, so that nothing is allocated per event.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    /// The decoded generated text in order of arrival: for each event its reasoning, content, tool text.
    /// Always valid UTF-8 (what was not is replaced, and counted in `replaced`).
    pub text: Vec<u8>,
    /// The last token counts seen.
    pub usage: Option<Usage>,
    /// The last finish reason seen.
    pub finish_reason: Option<String>,
    /// The first error seen.
    pub error: Option<ServerError>,
    /// The end mark was seen.
    pub done: bool,
    /// The last event carried token counts and neither text nor a role: an end mark, where `usage` on each event is not.
    pub ends_with_usage: bool,
    /// An answer of another kind than text came whole: vectors, ranks, boxes.
    pub is_data: bool,
    /// Lone surrogates or bytes that were not UTF-8 and became U+FFFD.
    pub replaced: u32,
}

impl Answer {
    /// Forgets the answer but keeps the memory.
    pub fn clear(&mut self) {
        self.text.clear();
        self.usage = None;
        self.finish_reason = None;
        self.error = None;
        self.done = false;
        self.ends_with_usage = false;
        self.is_data = false;
        self.replaced = 0;
    }
}
