//! One request and its events.

use serde::{Deserialize, Serialize};
use tokamark_wire::{EventFlags, Usage};

/// The part of a run that a request belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Sent to warm the server; reported apart.
    Warmup,
    /// Measured.
    Profiling,
}

/// The instants in the life of a request, in order, as monotonic nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Times {
    /// When the schedule wanted it sent. In a closed loop, the moment its slot was free.
    pub scheduled: u64,
    /// When it got its concurrency slot.
    pub slot: u64,
    /// When its bytes were ready to be sent.
    pub built: u64,
    /// When a new connection was begun for it; absent if an open one was used.
    pub connect_start: Option<u64>,
    /// When TCP was connected.
    pub connect_end: Option<u64>,
    /// When TLS was agreed.
    pub tls_end: Option<u64>,
    /// Just before the write of its first byte: the start of service latencies.
    pub send_start: Option<u64>,
    /// Just after the write of its last byte.
    pub send_end: Option<u64>,
    /// When the read that completed the response head arrived.
    pub headers: Option<u64>,
    /// When the first byte of the response body arrived.
    pub first_byte: Option<u64>,
    /// When the answer ended (by its end mark or with the body), or the request failed or was cancelled.
    pub end: u64,
    /// When the body ended, which may be after its end mark; absent if it was not read to its end.
    pub body_end: Option<u64>,
}

/// One event of an answer. A body that is not a stream is one event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Event {
    /// Arrival of its last byte: the kernel's stamp where there is one, else the time of the read.
    pub arrival: u64,
    /// When the program read it.
    pub read: u64,
    /// Which read of this request brought it; events with the same number came together, so that for all but
    /// the last of them `arrival` is an upper bound.
    pub read_number: u32,
    /// Bytes on the wire.
    pub bytes: u32,
    /// What it is.
    pub flags: EventFlags,
    /// UTF-8 bytes of reasoning text that it added to the record's text (first).
    pub reasoning_len: u32,
    /// UTF-8 bytes of visible text (second).
    pub content_len: u32,
    /// UTF-8 bytes of tool-call text (third).
    pub tool_len: u32,
}

/// Why a request failed. The one list of kinds; names are stable and appear in files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureKind {
    /// The host name could not be resolved.
    Dns,
    /// No connection could be made.
    Connect,
    /// TLS could not be agreed.
    Tls,
    /// A proxy refused the tunnel.
    Proxy,
    /// The connection broke while the request was written.
    Send,
    /// The connection broke while the answer was read.
    Reset,
    /// The request's time limit ran out.
    Timeout,
    /// HTTP status 400 or above.
    HttpStatus,
    /// A status, or a redirect, that is not an answer.
    UnexpectedStatus,
    /// The server put an error into the body or the stream.
    ServerError,
    /// A stream that ended without any end mark.
    Incomplete,
    /// An answer without any generated token.
    Empty,
    /// A body that could not be understood.
    Undecodable,
    /// This machine ran out of descriptors, ports or memory.
    ClientResource,
}

impl FailureKind {
    /// Every kind.
    pub const ALL: [Self; 14] = [
        Self::Dns,
        Self::Connect,
        Self::Tls,
        Self::Proxy,
        Self::Send,
        Self::Reset,
        Self::Timeout,
        Self::HttpStatus,
        Self::UnexpectedStatus,
        Self::ServerError,
        Self::Incomplete,
        Self::Empty,
        Self::Undecodable,
        Self::ClientResource,
    ];

    /// The stable name, as in files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Dns => "dns",
            Self::Connect => "connect",
            Self::Tls => "tls",
            Self::Proxy => "proxy",
            Self::Send => "send",
            Self::Reset => "reset",
            Self::Timeout => "timeout",
            Self::HttpStatus => "http_status",
            Self::UnexpectedStatus => "unexpected_status",
            Self::ServerError => "server_error",
            Self::Incomplete => "incomplete",
            Self::Empty => "empty",
            Self::Undecodable => "undecodable",
            Self::ClientResource => "client_resource",
        }
    }
}

/// A failure with what is known of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Its kind.
    pub kind: FailureKind,
    /// HTTP status or the server's own code.
    pub code: Option<String>,
    /// The server's name for the error, or the status line's reason.
    pub label: Option<String>,
    /// What happened, in words; never empty.
    pub message: String,
}

/// How a request ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// A whole answer came.
    Ok,
    /// It failed; what had arrived is kept.
    Failed(Failure),
    /// We stopped it: end of the run, grace period over, or an interrupt.
    Cancelled,
}

/// Everything known of one request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestRecord {
    /// Its number in its phase, from 0, in the order of the schedule.
    pub seq: u64,
    /// Its phase.
    pub phase: Phase,
    /// The worker that sent it.
    pub worker: u16,
    /// The conversation it belongs to, and its turn in it.
    pub session: u64,
    /// Turn within the conversation, from 0.
    pub turn: u32,
    /// Row of the dataset that its prompt came from.
    pub dataset_row: u64,
    /// Which of the plan's URLs.
    pub url_index: u16,
    /// Which of the plan's models.
    pub model_index: u16,
    /// 0, or how often it was sent again because a kept connection had gone away unused.
    pub attempt: u8,
    /// It went over a connection that had served a request before.
    pub connection_reused: bool,
    /// Its instants.
    pub times: Times,
    /// Bytes written, head included.
    pub bytes_out: u64,
    /// Bytes read, head included.
    pub bytes_in: u64,
    /// HTTP status; 0 if there was no response.
    pub status: u16,
    /// Output tokens that it asked for.
    pub requested_output_tokens: Option<u64>,
    /// Tokens of its prompt text by the client's tokenizer.
    pub local_input_tokens: Option<u64>,
    /// Tokens of the visible and tool text by the client's tokenizer, counted on the whole.
    pub local_output_tokens: Option<u64>,
    /// Tokens of the reasoning text by the client's tokenizer.
    pub local_reasoning_tokens: Option<u64>,
    /// The server's counts.
    pub usage: Option<Usage>,
    /// The server's finish reason.
    pub finish_reason: Option<String>,
    /// Streamed as events, rather than one body.
    pub streamed: bool,
    /// How it ended.
    pub outcome: Outcome,
    /// Its events in order of arrival.
    pub events: Vec<Event>,
    /// The generated text in order of arrival; each event says how many bytes it added.
    pub text: String,
}

impl RequestRecord {
    /// Splits the text into (reasoning, visible, tool call), each joined over all events.
    #[must_use]
    pub fn texts(&self) -> (String, String, String) {
        let (mut reasoning, mut content, mut tool) = (String::new(), String::new(), String::new());
        let mut at = 0;
        for event in &self.events {
            for (len, into) in
                [(event.reasoning_len, &mut reasoning), (event.content_len, &mut content), (event.tool_len, &mut tool)]
            {
                let end = at + len as usize;
                into.push_str(self.text.get(at..end).unwrap_or_default());
                at = end;
            }
        }
        (reasoning, content, tool)
    }
}
