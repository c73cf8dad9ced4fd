//! The truth log: what was sent, and when.
//!
//! One JSON object a line for each request, in the order in which they ended. All times are nanoseconds of the machine's
//! monotonic clock, except those that are named `wall`. Records are handed to a thread of their own, so that nothing waits
//! for the disk.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use serde::{Deserialize, Serialize};

/// How a request ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum End {
    /// Answered to the end.
    Complete,
    /// Answered with an error status.
    Rejected,
    /// The connection was reset on purpose.
    Reset,
    /// Ended halfway on purpose.
    Truncated,
    /// Ended by an error event on purpose.
    StreamError,
    /// The client went away.
    ClientGone,
    /// The server was shut down.
    Shutdown,
}

/// What a write carried: names joined by `+`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Carried(u8);

impl Carried {
    pub(crate) const HEAD: Self = Self(1);
    pub(crate) const ROLE: Self = Self(2);
    pub(crate) const FIRST: Self = Self(4);
    pub(crate) const TOKEN: Self = Self(8);
    pub(crate) const FINISH: Self = Self(16);
    pub(crate) const ERROR: Self = Self(32);
    pub(crate) const BODY: Self = Self(64);
    pub(crate) const PARTIAL: Self = Self(128);
    const NAMES: [&str; 8] = ["head", "role", "first", "token", "finish", "error", "body", "partial"];

    pub(crate) fn add(&mut self, other: Self) {
        self.0 |= other.0;
    }

    fn names(self) -> String {
        let set = Self::NAMES.iter().enumerate().filter(|(bit, _)| self.0 & (1 << bit) != 0);
        set.map(|(_, name)| *name).collect::<Vec<_>>().join("+")
    }
}

/// A write, as it is kept until the request ends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Written {
    pub(crate) before_ns: u64,
    pub(crate) took_ns: u32,
    pub(crate) events: u32,
    pub(crate) tokens: u32,
    pub(crate) carried: Carried,
}

/// A write in the log: the array `[before_ns, after_ns, events, tokens, carried]`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "(u64, u64, u32, u32, String)", into = "(u64, u64, u32, u32, String)")]
pub struct TruthWrite {
    /// Right before the system call.
    pub before_ns: u64,
    /// Right after it.
    pub after_ns: u64,
    /// Events that it completed.
    pub events: u32,
    /// Tokens in them.
    pub tokens: u32,
    /// What it carried, joined by `+`: `head`, `role`, `first` (the first token), `token` (further ones), `finish` (the
    /// finish reason and all that follows), `error`, `body`; `partial` if the socket took a part only, whose events are
    /// counted with the write that completes it.
    pub carried: String,
}

impl From<(u64, u64, u32, u32, String)> for TruthWrite {
    fn from((before_ns, after_ns, events, tokens, carried): (u64, u64, u32, u32, String)) -> Self {
        Self { before_ns, after_ns, events, tokens, carried }
    }
}

impl From<TruthWrite> for (u64, u64, u32, u32, String) {
    fn from(write: TruthWrite) -> Self {
        (write.before_ns, write.after_ns, write.events, write.tokens, write.carried)
    }
}

impl From<Written> for TruthWrite {
    fn from(write: Written) -> Self {
        Self {
            before_ns: write.before_ns,
            after_ns: write.before_ns + u64::from(write.took_ns),
            events: write.events,
            tokens: write.tokens,
            carried: write.carried.names(),
        }
    }
}

/// A request in the log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TruthRecord {
    /// The answer's id, or empty if there was none.
    pub id: String,
    /// The request's number, counted over all threads.
    pub request: u64,
    /// The connection's number.
    pub connection: u64,
    /// The server thread.
    pub thread: usize,
    /// The request's `x-request-id` header.
    pub x_request_id: Option<String>,
    /// The path asked for.
    pub path: String,
    /// The answer's status.
    pub status: u16,
    /// It was streamed.
    pub is_stream: bool,
    /// Tokens of the prompt, and those that the prefix cache had.
    pub prompt_tokens: u64,
    /// Tokens that the prefix cache had.
    pub cached_tokens: u64,
    /// Tokens sent.
    pub output_tokens: u64,
    /// The connection was accepted.
    pub accepted_ns: u64,
    /// The request's last byte arrived.
    pub arrival_ns: u64,
    /// The same by the wall clock.
    pub arrival_wall_ns: u64,
    /// The arrival is the kernel's receive stamp; else it is the time right after the read.
    pub arrival_by_kernel: bool,
    /// Right after the read that completed the request.
    pub read_ns: u64,
    /// The writes of the answer, in order.
    pub writes: Vec<TruthWrite>,
    /// The answer was complete, or given up.
    pub end_ns: u64,
    /// How it ended.
    pub end: End,
}

impl TruthRecord {
    /// When the first token was handed to the socket: before and after the system call.
    #[must_use]
    pub fn first_token_ns(&self) -> Option<(u64, u64)> {
        let first = self.writes.iter().find(|write| write.carried.split('+').any(|name| name == "first"));
        first.map(|write| (write.before_ns, write.after_ns))
    }
}

/// A record and its writes in their compact form, on the way to the writer.
pub(crate) struct Entry {
    pub(crate) record: TruthRecord,
    pub(crate) writes: Vec<Written>,
}

/// The thread that writes the log. It ends when all senders are gone.
#[derive(Debug)]
pub(crate) struct LogWriter {
    thread: JoinHandle<io::Result<()>>,
}

/// How long records gather before they are written.
const GATHER: Duration = Duration::from_millis(20);

impl LogWriter {
    pub(crate) fn start(path: &Path) -> io::Result<(Self, Sender<Entry>)> {
        let file = BufWriter::with_capacity(1 << 20, File::create(path)?);
        let (sender, receiver) = channel();
        let thread = std::thread::Builder::new().name("sim-log".into()).spawn(move || write_all(file, &receiver))?;
        Ok((Self { thread }, sender))
    }

    /// Waits for the last record to be on its way to the disk.
    pub(crate) fn join(self) -> io::Result<()> {
        self.thread.join().unwrap_or_else(|_| Err(io::Error::other("the log's thread has died")))
    }
}

fn write_all(mut file: impl Write, receiver: &Receiver<Entry>) -> io::Result<()> {
    while let Ok(first) = receiver.recv() {
        // Senders need not wake a thread that sleeps, so a busy server pays one wake-up for many records.
        write_one(&mut file, first)?;
        std::thread::sleep(GATHER);
        for entry in receiver.try_iter() {
            write_one(&mut file, entry)?;
        }
        file.flush()?;
    }
    file.flush()
}

fn write_one(file: &mut impl Write, entry: Entry) -> io::Result<()> {
    let mut record = entry.record;
    record.writes = entry.writes.into_iter().map(TruthWrite::from).collect();
    serde_json::to_writer(&mut *file, &record)?;
    file.write_all(b"\n")
}
