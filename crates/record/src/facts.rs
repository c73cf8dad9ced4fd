//! What is known of a run as a whole: everything that a report needs beside the requests.

use serde::{Deserialize, Serialize};
use tokamark_plan::Plan;

/// The same instant on both clocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Anchor {
    /// Monotonic nanoseconds.
    pub monotonic_ns: u64,
    /// Nanoseconds since the Unix epoch.
    pub wall_ns: u64,
}

impl Anchor {
    /// The wall time of a monotonic instant, by this anchor alone: a step of the wall clock during the run changes nothing.
    #[must_use]
    pub fn wall(&self, monotonic_ns: u64) -> u64 {
        self.wall_ns.wrapping_add(monotonic_ns.wrapping_sub(self.monotonic_ns))
    }
}

/// The bounds of a phase, monotonic nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PhaseSpan {
    /// When its dispatch began.
    pub start_ns: u64,
    /// When its last request was sent.
    pub sent_ns: u64,
    /// When its last request was over.
    pub end_ns: u64,
}

/// Why a run ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// All requests were sent and answered.
    #[default]
    Completed,
    /// The time was up.
    Duration,
    /// Somebody interrupted it.
    Interrupted,
    /// The run was cut short by an error of ours, such as a full disk.
    Aborted,
    /// The record breaks off before the end of the run: the program was killed, or the file is damaged.
    Unfinished,
}

impl StopReason {
    /// The run did not come to the end that was planned.
    #[must_use]
    pub const fn is_early(self) -> bool {
        matches!(self, Self::Interrupted | Self::Aborted | Self::Unfinished)
    }
}

/// What the client did to its own machine.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ClientLoad {
    /// CPU seconds in user mode, from the start of the measured phase to its end.
    pub cpu_user_s: f64,
    /// CPU seconds in the kernel.
    pub cpu_system_s: f64,
    /// Cores of the machine.
    pub cores: u32,
    /// Peak resident memory in bytes.
    pub peak_rss_bytes: u64,
    /// Most descriptors open at once, and the limit.
    pub open_files: u64,
    /// The soft limit of open descriptors.
    pub open_files_limit: u64,
    /// Ephemeral ports of the machine for one destination.
    pub ephemeral_ports: Option<u64>,
}

/// A run as a whole. Written beside the requests, versioned with them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunFacts {
    /// Version of the program.
    pub tokamark_version: String,
    /// 12 hex digits, new for each run.
    pub run_id: String,
    /// The command line, secrets redacted.
    pub command: Vec<String>,
    /// The plan that was carried out.
    pub plan: Plan,
    /// Both clocks at the start.
    pub anchor_start: Anchor,
    /// Both clocks at the end; the difference shows steps and drift.
    pub anchor_end: Anchor,
    /// When the workers were there and the connections that are opened ahead were open, monotonic nanoseconds.
    #[serde(default)]
    pub ready_ns: Option<u64>,
    /// When somebody asked the run to stop, monotonic nanoseconds.
    #[serde(default)]
    pub stop_requested_ns: Option<u64>,
    /// The warm-up, if there was one.
    pub warmup: Option<PhaseSpan>,
    /// The measured phase.
    pub profiling: PhaseSpan,
    /// Why it ended.
    pub stop: StopReason,
    /// What the tokenizer calls itself, such as `builtin (o200k)`.
    pub tokenizer: String,
    /// Nobody named the tokenizer and the model's own was not to be had.
    pub tokenizer_is_fallback: bool,
    /// SHA-256 of the workload, in hex.
    pub workload_digest: String,
    /// The distinct rows that were sent share no prefix by construction.
    pub prompts_are_distinct: bool,
    /// Dataset lines that were skipped.
    pub skipped_lines: u64,
    /// Worker threads.
    pub workers: u16,
    /// Most requests in flight at once.
    pub peak_in_flight: u32,
    /// Arrivals are kernel stamps rather than the times of reads.
    pub kernel_timestamps: bool,
    /// Reads whose kernel stamp was missing or implausible, and all reads.
    pub unstamped_reads: u64,
    /// All reads.
    pub reads: u64,
    /// Connections opened.
    pub connections: u64,
    /// What the client did to its machine.
    pub client: ClientLoad,
}
