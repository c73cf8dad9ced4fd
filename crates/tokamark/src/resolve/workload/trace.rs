//! How traces are replayed.

use tokamark_plan::{DatasetFormat, OpenLoop, SchedulePlan, SynthesisPlan, TracePlan};

use super::super::values::{Range, decimal, whole};
use super::refuse;
use crate::args::{ProfileArgs, TraceArgs};
use crate::problems::Problems;

/// Every flag of the group, and whether it is given.
pub(super) fn given(args: &TraceArgs) -> Vec<(&'static str, bool)> {
    let mut flags = vec![
        ("--fixed-schedule", args.fixed_schedule),
        ("--no-fixed-schedule", args.no_fixed_schedule),
        ("--fixed-schedule-auto-offset", args.fixed_schedule_auto_offset),
        ("--fixed-schedule-start-offset", args.fixed_schedule_start_offset.is_some()),
        ("--fixed-schedule-end-offset", args.fixed_schedule_end_offset.is_some()),
        ("--ignore-trace-delays", args.ignore_trace_delays),
        ("--isl-block-size", args.isl_block_size.is_some()),
    ];
    flags.extend(synthesis_given(args));
    flags.extend(baseten_given(args));
    flags.extend(weka_given(args));
    flags
}

fn synthesis_given(args: &TraceArgs) -> [(&'static str, bool); 7] {
    [
        ("--synthesis-speedup-ratio", args.synthesis_speedup_ratio.is_some()),
        ("--synthesis-prefix-len-multiplier", args.synthesis_prefix_len_multiplier.is_some()),
        ("--synthesis-prefix-root-multiplier", args.synthesis_prefix_root_multiplier.is_some()),
        ("--synthesis-prompt-len-multiplier", args.synthesis_prompt_len_multiplier.is_some()),
        ("--synthesis-output-len-multiplier", args.synthesis_output_len_multiplier.is_some()),
        ("--synthesis-max-isl", args.synthesis_max_isl.is_some()),
        ("--synthesis-max-osl", args.synthesis_max_osl.is_some()),
    ]
}

fn baseten_given(args: &TraceArgs) -> [(&'static str, bool); 9] {
    [
        ("--replay-speedup", args.replay_speedup.is_some()),
        ("--max-idle-gap-cap-seconds", args.max_idle_gap_cap_seconds.is_some()),
        ("--open-loop-replay", args.open_loop_replay),
        ("--no-open-loop-replay", args.no_open_loop_replay),
        ("--open-loop-strict", args.open_loop_strict),
        ("--omit-kv-hints", args.omit_kv_hints),
        ("--force-min-tokens", args.force_min_tokens),
        ("--no-force-min-tokens", args.no_force_min_tokens),
        ("--trace-session-sample-ratio", args.trace_session_sample_ratio.is_some()),
    ]
}

fn weka_given(args: &TraceArgs) -> [(&'static str, bool); 3] {
    [
        ("--use-think-time-only", args.use_think_time_only),
        ("--max-context-length", args.max_context_length.is_some()),
        ("--trace-idle-gap-cap-seconds", args.trace_idle_gap_cap_seconds.is_some()),
    ]
}

/// How the trace is replayed. `format` is the one that was named.
pub(super) fn resolve(args: &ProfileArgs, format: Option<DatasetFormat>, problems: &mut Problems) -> TracePlan {
    let trace = &args.trace;
    fits_format(trace, format, problems);
    for (flag, other, both) in [
        ("--no-fixed-schedule", "--fixed-schedule", trace.fixed_schedule && trace.no_fixed_schedule),
        ("--open-loop-replay", "--no-open-loop-replay", trace.open_loop_replay && trace.no_open_loop_replay),
        ("--open-loop-strict", "--no-open-loop-replay", trace.open_loop_strict && trace.no_open_loop_replay),
        ("--force-min-tokens", "--no-force-min-tokens", trace.force_min_tokens && trace.no_force_min_tokens),
        ("--use-think-time-only", "--ignore-trace-delays", trace.use_think_time_only && trace.ignore_trace_delays),
        ("--fixed-schedule", "--ignore-trace-delays", trace.fixed_schedule && trace.ignore_trace_delays),
    ] {
        if both {
            problems.add(flag, format!("conflicts with {other}"));
        }
    }
    let mut positive = |flag: &str, text: &Option<String>| decimal(flag, text.as_ref(), Range::Positive, problems);
    let replay_speedup = positive("--replay-speedup", &trace.replay_speedup).unwrap_or(1.0);
    let max_idle_gap_s = positive("--max-idle-gap-cap-seconds", &trace.max_idle_gap_cap_seconds);
    let session_sample_ratio = positive("--trace-session-sample-ratio", &trace.trace_session_sample_ratio);
    if session_sample_ratio.is_some_and(|ratio| ratio > 1.0) {
        problems.add("--trace-session-sample-ratio", "must be at most 1: it is a share");
    }
    let mut time = |flag: &str, text: &Option<String>| decimal(flag, text.as_ref(), Range::NotNegative, problems);
    let conversation = &args.conversation;
    let inter_turn_delay_cap_s = time("--inter-turn-delay-cap-seconds", &conversation.inter_turn_delay_cap_seconds);
    let trace_idle_gap_s = time("--trace-idle-gap-cap-seconds", &trace.trace_idle_gap_cap_seconds);
    let delay_ratio = time("--conversation-turn-delay-ratio", &conversation.conversation_turn_delay_ratio);
    TracePlan {
        synthesis: synthesis(trace, problems),
        block_size: whole("--isl-block-size", trace.isl_block_size.as_ref(), 1, u32::MAX, problems),
        ignore_delays: trace.ignore_trace_delays,
        schedule: schedule(args, problems),
        inter_turn_delay_cap_s,
        max_idle_gap_s,
        trace_idle_gap_s,
        replay_speedup,
        open_loop: match (trace.open_loop_strict, trace.no_open_loop_replay) {
            (true, _) => OpenLoop::Strict,
            (false, true) => OpenLoop::Closed,
            (false, false) => OpenLoop::Session,
        },
        omit_kv_hints: trace.omit_kv_hints,
        force_min_tokens: !trace.no_force_min_tokens,
        use_think_time_only: trace.use_think_time_only,
        max_context_length: whole("--max-context-length", trace.max_context_length.as_ref(), 1, u64::MAX, problems),
        session_sample_ratio,
        delay_ratio: delay_ratio.unwrap_or(1.0),
    }
}

/// Options of one format do nothing in another.
fn fits_format(args: &TraceArgs, format: Option<DatasetFormat>, problems: &mut Problems) {
    let Some(format) = format else { return };
    let name = format.name();
    if format != DatasetFormat::BasetenTrace {
        refuse(&baseten_given(args), &format!("is for baseten_trace, not for {name}"), problems);
    }
    if format != DatasetFormat::WekaTrace {
        refuse(&weka_given(args), &format!("is for weka_trace, not for {name}"), problems);
    }
    if !format.is_trace() {
        refuse(&synthesis_given(args), &format!("is for traces, and {name} is none"), problems);
        let block = [("--isl-block-size", args.isl_block_size.is_some())];
        refuse(&block, &format!("is for traces with hash ids, and {name} has none"), problems);
    }
    if format == DatasetFormat::BasetenTrace {
        let flags: Vec<_> = synthesis_given(args).into_iter().take(4).collect();
        refuse(&flags, "is not for baseten_trace, whose prompts are literal: use --replay-speedup for times", problems);
    }
}

/// The fixed schedule: asked for, refused, or as the trace has it.
fn schedule(args: &ProfileArgs, problems: &mut Problems) -> Option<SchedulePlan> {
    let trace = &args.trace;
    if trace.fixed_schedule && args.load.request_rate.is_some() {
        problems.add("--fixed-schedule", "conflicts with --request-rate: both say when requests are sent");
    }
    let offset = |flag: &str, text: &Option<String>, problems: &mut Problems| {
        decimal(flag, text.as_ref(), Range::NotNegative, problems)
    };
    let start_offset_ms = offset("--fixed-schedule-start-offset", &trace.fixed_schedule_start_offset, problems);
    let end_offset_ms = offset("--fixed-schedule-end-offset", &trace.fixed_schedule_end_offset, problems);
    if start_offset_ms.is_some() && trace.fixed_schedule_auto_offset {
        problems
            .add("--fixed-schedule-auto-offset", "conflicts with --fixed-schedule-start-offset: both say the start");
    }
    if let (Some(start), Some(end)) = (start_offset_ms, end_offset_ms)
        && start > end
    {
        problems.add("--fixed-schedule-end-offset", "is before --fixed-schedule-start-offset: nothing is left");
    }
    if trace.no_fixed_schedule {
        let flags = [
            ("--fixed-schedule-auto-offset", trace.fixed_schedule_auto_offset),
            ("--fixed-schedule-start-offset", start_offset_ms.is_some()),
            ("--fixed-schedule-end-offset", end_offset_ms.is_some()),
        ];
        refuse(&flags, "conflicts with --no-fixed-schedule", problems);
        return None;
    }
    // Without its recorded times a trace has no schedule.
    if trace.ignore_trace_delays {
        return None;
    }
    let required = trace.fixed_schedule || start_offset_ms.is_some() || end_offset_ms.is_some();
    if required
        && args
            .dataset
            .dataset_sampling_strategy
            .as_deref()
            .is_some_and(|order| !order.eq_ignore_ascii_case("sequential"))
    {
        problems.add("--dataset-sampling-strategy", "conflicts with --fixed-schedule: the times are the order");
    }
    Some(SchedulePlan { required, auto_offset: start_offset_ms.is_none(), start_offset_ms, end_offset_ms })
}

fn synthesis(args: &TraceArgs, problems: &mut Problems) -> SynthesisPlan {
    let plain = SynthesisPlan::default();
    let mut factor =
        |flag: &str, text: &Option<String>| decimal(flag, text.as_ref(), Range::NotNegative, problems).unwrap_or(1.0);
    let speedup_ratio = factor("--synthesis-speedup-ratio", &args.synthesis_speedup_ratio);
    let prefix_len_multiplier = factor("--synthesis-prefix-len-multiplier", &args.synthesis_prefix_len_multiplier);
    let prompt_len_multiplier = factor("--synthesis-prompt-len-multiplier", &args.synthesis_prompt_len_multiplier);
    let output_len_multiplier = factor("--synthesis-output-len-multiplier", &args.synthesis_output_len_multiplier);
    let mut count = |flag: &str, text: &Option<String>| whole(flag, text.as_ref(), 1, u64::MAX, problems);
    SynthesisPlan {
        speedup_ratio,
        prefix_len_multiplier,
        prefix_root_multiplier: count("--synthesis-prefix-root-multiplier", &args.synthesis_prefix_root_multiplier)
            .unwrap_or(plain.prefix_root_multiplier),
        prompt_len_multiplier,
        output_len_multiplier,
        max_isl: count("--synthesis-max-isl", &args.synthesis_max_isl),
        max_osl: count("--synthesis-max-osl", &args.synthesis_max_osl),
    }
}
