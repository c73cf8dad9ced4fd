//! How traces are replayed.

use serde::{Deserialize, Serialize};

/// How the trace is changed before it is replayed (`--synthesis-*`).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SynthesisPlan {
    /// Times are divided by it; 0 sends all at once.
    pub speedup_ratio: f64,
    /// Shared prefixes are so many times as long.
    pub prefix_len_multiplier: f64,
    /// Rows are spread over so many disjoint families of prefixes.
    pub prefix_root_multiplier: u64,
    /// The unshared parts of prompts are so many times as long.
    pub prompt_len_multiplier: f64,
    /// Answers are so many times as long.
    pub output_len_multiplier: f64,
    /// Rows with longer prompts are left out.
    pub max_isl: Option<u64>,
    /// No answer is longer.
    pub max_osl: Option<u64>,
}

impl Default for SynthesisPlan {
    fn default() -> Self {
        Self {
            speedup_ratio: 1.0,
            prefix_len_multiplier: 1.0,
            prefix_root_multiplier: 1,
            prompt_len_multiplier: 1.0,
            output_len_multiplier: 1.0,
            max_isl: None,
            max_osl: None,
        }
    }
}

/// Which rows are sent when, if the schedule is the trace's own.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SchedulePlan {
    /// Times must be there; else a dataset without them is sent as the load says.
    pub required: bool,
    /// The first row is sent at once.
    pub auto_offset: bool,
    /// Rows before this trace time are left out, milliseconds.
    pub start_offset_ms: Option<f64>,
    /// Rows after this trace time are left out, milliseconds.
    pub end_offset_ms: Option<f64>,
}

impl Default for SchedulePlan {
    fn default() -> Self {
        Self { required: false, auto_offset: true, start_offset_ms: None, end_offset_ms: None }
    }
}

/// When follow-up turns of a replayed session are sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OpenLoop {
    /// At their recorded time, but not before the answer before them.
    #[default]
    Session,
    /// Every row by itself at its recorded time.
    Strict,
    /// After the recorded think time.
    Closed,
}

/// How traces are replayed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TracePlan {
    /// The changes made to the trace.
    pub synthesis: SynthesisPlan,
    /// Tokens of each hash id; the format's own if absent.
    pub block_size: Option<u32>,
    /// Leave recorded times and delays out.
    pub ignore_delays: bool,
    /// The fixed schedule; absent if the load's own pacing rules in any case.
    pub schedule: Option<SchedulePlan>,
    /// No recorded think time is longer, seconds.
    pub inter_turn_delay_cap_s: Option<f64>,
    /// Gaps in which nothing was sent are cut to this, seconds (Baseten, after the speed-up).
    pub max_idle_gap_s: Option<f64>,
    /// Gaps within one trace are cut to this, seconds (Weka).
    pub trace_idle_gap_s: Option<f64>,
    /// Times and delays are divided by it (Baseten).
    pub replay_speedup: f64,
    /// When follow-up turns are sent (Baseten).
    pub open_loop: OpenLoop,
    /// Send no `hash_ids` and `block_size` (Baseten).
    pub omit_kv_hints: bool,
    /// Send `min_tokens` with the recorded answer's length (Baseten).
    pub force_min_tokens: bool,
    /// Recorded think time is the delay (Weka).
    pub use_think_time_only: bool,
    /// Traces with a longer prompt and answer are left out (Weka).
    pub max_context_length: Option<u64>,
    /// Share of whole sessions that is kept (Baseten).
    pub session_sample_ratio: Option<f64>,
    /// What every recorded delay is multiplied by.
    pub delay_ratio: f64,
}

impl Default for TracePlan {
    fn default() -> Self {
        Self {
            synthesis: SynthesisPlan::default(),
            block_size: None,
            ignore_delays: false,
            schedule: Some(SchedulePlan::default()),
            inter_turn_delay_cap_s: None,
            max_idle_gap_s: None,
            trace_idle_gap_s: None,
            replay_speedup: 1.0,
            open_loop: OpenLoop::default(),
            omit_kv_hints: false,
            force_min_tokens: true,
            use_think_time_only: false,
            max_context_length: None,
            session_sample_ratio: None,
            delay_ratio: 1.0,
        }
    }
}
