//! What a reader should know before trusting the figures: each warning has a stable code, a sentence and a remedy.

use serde::ser::{Serialize, SerializeMap, Serializer};
use tokamark_record::StopReason;

mod words;

/// A rule that was broken.
#[derive(Clone, Debug, PartialEq)]
pub enum Warning {
    /// The run did not come to its end.
    Interrupted {
        /// What it was that ended it.
        stop: StopReason,
        /// Requests that were ok until then.
        ok: u64,
    },
    /// No request was answered, though none failed.
    NothingMeasured {
        /// Requests that were cancelled.
        cancelled: u64,
    },
    /// Some requests failed.
    FailedRequests {
        /// How many.
        failed: u64,
        /// Of how many.
        attempted: u64,
        /// The most frequent failure in words.
        most_often: String,
    },
    /// Some warm-up requests failed.
    FailedWarmup {
        /// How many.
        failed: u64,
        /// Of how many.
        attempted: u64,
        /// The most frequent failure in words.
        most_often: String,
    },
    /// Percentiles rest on few samples.
    FewSamples {
        /// Samples.
        samples: u64,
        /// The percentiles, such as `p90 and p99`.
        percentiles: &'static str,
        /// Samples that they need.
        needed: u64,
    },
    /// The first requests were far slower than the rest.
    ColdStart {
        /// How many of them.
        requests: u64,
        /// Their median in milliseconds.
        first_ms: f64,
        /// The median of all in milliseconds.
        median_ms: f64,
        /// Warm-up requests that the plan had.
        warmup: u64,
    },
    /// The server took prompt tokens from a cache, though all prompts were distinct.
    CachedPrompts {
        /// Of a hundred.
        percent: f64,
        /// Cached tokens.
        cached: u64,
        /// Prompt tokens.
        prompt: u64,
    },
    /// Prompts were sent more than once.
    RepeatedPrompts {
        /// Requests whose prompt had been sent before.
        repeated: u64,
        /// All requests.
        attempted: u64,
        /// Prompt tokens that the server took from a cache, of a hundred.
        cached_percent: Option<f64>,
    },
    /// Answers are shorter than asked for.
    ShorterAnswers {
        /// How many.
        shorter: u64,
        /// Of how many.
        ok: u64,
        /// Mean tokens that came.
        came: f64,
        /// Mean tokens asked for.
        asked: f64,
    },
    /// Answers are longer than asked for.
    LongerAnswers {
        /// How many.
        longer: u64,
        /// Of how many.
        ok: u64,
    },
    /// Server and client count tokens differently.
    CountMismatch {
        /// Requests with more than 10 % difference.
        requests: u64,
        /// Of how many.
        ok: u64,
        /// What was counted: `prompt`, `completion` or both.
        what: &'static str,
    },
    /// The server's counts were asked for alone, and did not come.
    MissingUsage {
        /// Requests without.
        requests: u64,
        /// Of how many.
        ok: u64,
    },
    /// Tokens were counted with a tokenizer that is not the model's.
    FallbackTokenizer {
        /// Its name.
        name: String,
        /// Requests whose output was counted with it.
        counted: u64,
    },
    /// Requests were sent late.
    SendLateness {
        /// 99th percentile in milliseconds.
        p99_ms: f64,
        /// What would do.
        allowed_ms: f64,
    },
    /// Fewer requests per second were sent than the schedule wanted.
    RateNotAchieved {
        /// Sent.
        achieved: f64,
        /// Wanted.
        wanted: f64,
        /// The limit of requests in flight, if there was one.
        concurrency: Option<u32>,
    },
    /// Fewer requests were in flight than asked for.
    ConcurrencyNotReached {
        /// The peak.
        peak: u32,
        /// What was asked for.
        wanted: u64,
    },
    /// Events without kernel stamps were read late.
    ReadLag {
        /// 99th percentile of the lag in milliseconds.
        p99_ms: f64,
        /// Reads without a stamp, of a hundred.
        unstamped_pct: f64,
    },
    /// The client used nearly all CPU that it could.
    ClientCpu {
        /// Cores used on average.
        used: f64,
        /// Cores that it could use.
        of: f64,
        /// Worker threads are the limit rather than the machine.
        by_workers: bool,
    },
    /// Connections that were thought to be open had gone away, and requests were sent again.
    RetriedRequests {
        /// How many.
        requests: u64,
    },
    /// Events that mean nothing to us.
    UnknownEvents {
        /// How many.
        events: u64,
        /// Of how many.
        of: u64,
    },
    /// Generated events came in bundles.
    CoalescedEvents {
        /// Of a hundred, events that came with the one before.
        percent: f64,
    },
    /// Events hold several tokens each.
    BundledTokens {
        /// Mean tokens in an event.
        tokens: f64,
    },
    /// Dataset lines were left out.
    SkippedLines {
        /// How many.
        lines: u64,
    },
    /// The wall clock was set during the run.
    WallClockStep {
        /// By how much, in milliseconds.
        step_ms: f64,
    },
    /// Descriptors are nearly used up.
    OpenFiles {
        /// Most that were open.
        open: u64,
        /// The limit.
        limit: u64,
    },
    /// Local ports are nearly used up.
    EphemeralPorts {
        /// Connections opened.
        connections: u64,
        /// Ports.
        ports: u64,
    },
}

impl Warning {
    /// The stable name, in `snake_case`.
    #[must_use]
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Interrupted { .. } => "interrupted",
            Self::NothingMeasured { .. } => "nothing_measured",
            Self::FailedRequests { .. } => "failed_requests",
            Self::FailedWarmup { .. } => "failed_warmup",
            Self::FewSamples { .. } => "few_samples",
            Self::ColdStart { .. } => "cold_start",
            Self::CachedPrompts { .. } => "cached_prompts",
            Self::RepeatedPrompts { .. } => "repeated_prompts",
            Self::ShorterAnswers { .. } => "shorter_answers",
            Self::LongerAnswers { .. } => "longer_answers",
            Self::CountMismatch { .. } => "count_mismatch",
            Self::MissingUsage { .. } => "missing_usage",
            Self::FallbackTokenizer { .. } => "fallback_tokenizer",
            Self::SendLateness { .. } => "send_lateness",
            Self::RateNotAchieved { .. } => "rate_not_achieved",
            Self::ConcurrencyNotReached { .. } => "concurrency_not_reached",
            Self::ReadLag { .. } => "read_lag",
            Self::ClientCpu { .. } => "client_cpu",
            Self::RetriedRequests { .. } => "retried_requests",
            Self::UnknownEvents { .. } => "unknown_events",
            Self::CoalescedEvents { .. } => "coalesced_events",
            Self::BundledTokens { .. } => "bundled_tokens",
            Self::SkippedLines { .. } => "skipped_lines",
            Self::WallClockStep { .. } => "wall_clock_step",
            Self::OpenFiles { .. } => "open_files",
            Self::EphemeralPorts { .. } => "ephemeral_ports",
        }
    }
}

impl Serialize for Warning {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(3))?;
        map.serialize_entry("code", self.code())?;
        map.serialize_entry("message", &self.message())?;
        map.serialize_entry("hint", &self.hint())?;
        map.end()
    }
}
