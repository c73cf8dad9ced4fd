//! How traces are replayed.

use clap::Args;

/// The times of a trace and the changes made to it.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Trace replay")]
pub(crate) struct TraceArgs {
    /// Send every request at its recorded time [default: for traces whose rows have times]
    #[arg(long)]
    pub(crate) fixed_schedule: bool,

    /// Send the requests of a trace as the load says, whatever their times
    #[arg(long)]
    pub(crate) no_fixed_schedule: bool,

    /// Send the first request at once [default: unless --fixed-schedule-start-offset is given]
    #[arg(long)]
    pub(crate) fixed_schedule_auto_offset: bool,

    /// Leave out what was sent before this time of the trace, which becomes the start
    #[arg(long, value_name = "MS")]
    pub(crate) fixed_schedule_start_offset: Option<String>,

    /// Leave out what was sent after this time of the trace
    #[arg(long, value_name = "MS")]
    pub(crate) fixed_schedule_end_offset: Option<String>,

    /// Leave out recorded times and think times
    #[arg(long)]
    pub(crate) ignore_trace_delays: bool,

    /// Divide the times of the trace by this; 0 sends all at once [default: 1]
    #[arg(long, value_name = "RATIO")]
    pub(crate) synthesis_speedup_ratio: Option<String>,

    /// Make shared prefixes so many times as long [default: 1]
    #[arg(long, value_name = "FACTOR")]
    pub(crate) synthesis_prefix_len_multiplier: Option<String>,

    /// Spread the rows over so many families of prefixes [default: 1]
    #[arg(long, value_name = "N")]
    pub(crate) synthesis_prefix_root_multiplier: Option<String>,

    /// Make what prompts do not share so many times as long [default: 1]
    #[arg(long, value_name = "FACTOR")]
    pub(crate) synthesis_prompt_len_multiplier: Option<String>,

    /// Make outputs so many times as long [default: 1]
    #[arg(long, value_name = "FACTOR")]
    pub(crate) synthesis_output_len_multiplier: Option<String>,

    /// Leave out rows with more input tokens
    #[arg(long, value_name = "TOKENS")]
    pub(crate) synthesis_max_isl: Option<String>,

    /// No output is longer
    #[arg(long, value_name = "TOKENS")]
    pub(crate) synthesis_max_osl: Option<String>,

    /// Tokens of each hash id [default: the format's own]
    #[arg(long, visible_aliases = ["prompt-input-tokens-block-size", "synthetic-input-tokens-block-size"], value_name = "TOKENS")]
    pub(crate) isl_block_size: Option<String>,

    /// Baseten: divide times and think times by this [default: 1]
    #[arg(long, value_name = "FACTOR")]
    pub(crate) replay_speedup: Option<String>,

    /// Baseten: cut gaps in which nothing was sent to this
    #[arg(long, value_name = "SECONDS")]
    pub(crate) max_idle_gap_cap_seconds: Option<String>,

    /// Baseten: follow-up turns at their recorded times [default]
    #[arg(long)]
    pub(crate) open_loop_replay: bool,

    /// Baseten: follow-up turns after their recorded think times
    #[arg(long)]
    pub(crate) no_open_loop_replay: bool,

    /// Baseten: every row by itself at its recorded time
    #[arg(long)]
    pub(crate) open_loop_strict: bool,

    /// Baseten: send no hash_ids and block_size
    #[arg(long)]
    pub(crate) omit_kv_hints: bool,

    /// Baseten: send min_tokens with the recorded output length [default]
    #[arg(long)]
    pub(crate) force_min_tokens: bool,

    /// Baseten: send no min_tokens
    #[arg(long)]
    pub(crate) no_force_min_tokens: bool,

    /// Baseten: keep this share of whole sessions, above 0 to 1
    #[arg(long, value_name = "SHARE")]
    pub(crate) trace_session_sample_ratio: Option<String>,

    /// Weka: think times are the recorded ones alone
    #[arg(long)]
    pub(crate) use_think_time_only: bool,

    /// Weka: leave out traces with a longer prompt and output
    #[arg(long, value_name = "TOKENS")]
    pub(crate) max_context_length: Option<String>,

    /// Weka: cut gaps within a trace to this
    #[arg(long, value_name = "SECONDS")]
    pub(crate) trace_idle_gap_cap_seconds: Option<String>,
}
