//! The rules behind warnings, most important first.

use tokamark_record::RunFacts;

use crate::definitions::Metric;
use crate::errors::ErrorGroup;
use crate::summary::Summary;
use crate::text::shortened;
use crate::warnings::Warning;

/// Prompt tokens that a chat template may add before a difference is worth a word.
const TEMPLATE_TOKENS: f64 = 32.0;

/// All warnings of a run.
pub(crate) fn of(summary: &Summary, facts: &RunFacts) -> Vec<Warning> {
    let mut found = Vec::new();
    outcome(summary, &mut found);
    samples(summary, &mut found);
    workload(summary, facts, &mut found);
    tokens(summary, facts, &mut found);
    load(summary, &mut found);
    client(summary, &mut found);
    stream(summary, &mut found);
    found
}

fn outcome(summary: &Summary, found: &mut Vec<Warning>) {
    let counts = summary.counts;
    if summary.run.stop.is_early() {
        found.push(Warning::Interrupted { stop: summary.run.stop, ok: counts.ok });
    } else if counts.ok == 0 && counts.failed == 0 {
        found.push(Warning::NothingMeasured { cancelled: counts.cancelled });
    }
    if counts.failed > 0 {
        let most_often = in_words(summary.errors.first());
        found.push(Warning::FailedRequests { failed: counts.failed, attempted: counts.attempted, most_often });
    }
    if let Some(warmup) = summary.warmup.as_ref().filter(|warmup| warmup.counts.failed > 0) {
        found.push(Warning::FailedWarmup {
            failed: warmup.counts.failed,
            attempted: warmup.counts.attempted,
            most_often: in_words(warmup.errors.first()),
        });
    }
}

fn in_words(group: Option<&ErrorGroup>) -> String {
    let Some(group) = group else { return "unknown".to_owned() };
    let code = group.code.as_deref().map(|code| format!("{code} ")).unwrap_or_default();
    format!("{code}{}: {}", group.label, shortened(&group.message, 160))
}

fn samples(summary: &Summary, found: &mut Vec<Warning>) {
    let samples = summary.health.samples;
    if (1..100).contains(&samples) {
        let percentiles = if samples < 10 { "p90, p95 and p99" } else { "p99 figures" };
        found.push(Warning::FewSamples { samples, percentiles, needed: 100 });
    }
    if let Some(cold) = summary.health.cold_start {
        found.push(Warning::ColdStart {
            requests: cold.requests,
            first_ms: cold.first_ms,
            median_ms: cold.median_ms,
            warmup: summary.plan.load.warmup_requests,
        });
    }
}

fn workload(summary: &Summary, facts: &RunFacts, found: &mut Vec<Warning>) {
    let health = &summary.health;
    let total = |metric| summary.metrics.avg(metric).unwrap_or(0.0);
    if let Some(percent) = health.cached_prompt_pct.filter(|percent| *percent >= 1.0 && facts.prompts_are_distinct) {
        found.push(Warning::CachedPrompts {
            percent,
            cached: total(Metric::TotalUsagePromptCacheReadTokens) as u64,
            prompt: total(Metric::TotalUsagePromptTokens) as u64,
        });
    }
    if health.repeated_prompts > 0 {
        found.push(Warning::RepeatedPrompts {
            repeated: health.repeated_prompts,
            attempted: summary.counts.attempted,
            cached_percent: health.cached_prompt_pct.filter(|percent| *percent >= 1.0),
        });
    }
    if health.skipped_lines > 0 {
        found.push(Warning::SkippedLines { lines: health.skipped_lines });
    }
}

fn tokens(summary: &Summary, facts: &RunFacts, found: &mut Vec<Warning>) {
    let health = &summary.health;
    let metrics = &summary.metrics;
    let ok = summary.counts.ok;
    if health.shorter_answers > 0 {
        found.push(Warning::ShorterAnswers {
            shorter: health.shorter_answers,
            ok,
            came: metrics.avg(Metric::OutputSequenceLength).unwrap_or(0.0),
            asked: metrics.avg(Metric::RequestedOsl).unwrap_or(0.0),
        });
    }
    if health.longer_answers > 0 {
        found.push(Warning::LongerAnswers { longer: health.longer_answers, ok });
    }
    let above = |metric, limit: f64| metrics.distribution(metric).is_some_and(|d| d.max > limit);
    let prompt_gap = metrics.avg(Metric::UsagePromptTokens).zip(prompt_by_client(summary));
    let prompt = above(Metric::UsagePromptTokensDiffPct, 10.0)
        && prompt_gap.is_none_or(|(server, client)| (server - client).abs() > TEMPLATE_TOKENS);
    let completion =
        above(Metric::UsageCompletionTokensDiffPct, 10.0) || above(Metric::UsageReasoningTokensDiffPct, 10.0);
    let what = match (prompt, completion) {
        (true, true) => Some("prompt and completion"),
        (true, false) => Some("prompt"),
        (false, true) => Some("completion"),
        (false, false) => None,
    };
    if let Some(what) = what {
        found.push(Warning::CountMismatch { requests: health.count_mismatches, ok, what });
    }
    let sources = health.token_sources;
    if facts.plan.target.use_server_token_count {
        let missing = ok.saturating_sub(sources.output_from_server);
        if missing > 0 && facts.plan.target.endpoint.generates_tokens() {
            found.push(Warning::MissingUsage { requests: missing, ok });
        }
    }
    if facts.tokenizer_is_fallback && sources.output_from_client + sources.input_from_client > 0 {
        found.push(Warning::FallbackTokenizer { name: facts.tokenizer.clone(), counted: sources.output_from_client });
    }
}

/// The mean prompt length by the client, as far as the mean difference tells.
fn prompt_by_client(summary: &Summary) -> Option<f64> {
    let server = summary.metrics.avg(Metric::UsagePromptTokens)?;
    let percent = summary.metrics.avg(Metric::UsagePromptTokensDiffPct)?;
    Some(server / (1.0 + percent / 100.0))
}

fn load(summary: &Summary, found: &mut Vec<Warning>) {
    let health = &summary.health;
    let ttft = summary.metrics.distribution(Metric::TimeToFirstToken).and_then(|d| d.percentile("p50"));
    let allowed_ms = ttft.map_or(1.0, |ttft| (0.01 * ttft).max(1.0));
    if let Some(lateness) = health.send_lateness_ms.filter(|lateness| lateness.p99 > allowed_ms) {
        found.push(Warning::SendLateness { p99_ms: lateness.p99, allowed_ms });
    }
    if let (Some(achieved), Some(wanted)) = (health.achieved_rate, health.scheduled_rate)
        && achieved < 0.99 * wanted
    {
        found.push(Warning::RateNotAchieved { achieved, wanted, concurrency: health.target_concurrency });
    }
    if let (Some(concurrency), None, Some(peak)) =
        (health.target_concurrency, health.offered_rate, health.peak_in_flight)
    {
        let wanted = u64::from(concurrency).min(summary.counts.attempted);
        if u64::from(peak) < wanted && !summary.was_cancelled {
            found.push(Warning::ConcurrencyNotReached { peak, wanted });
        }
    }
    if let Some(lag) = health.read_lag_ms.filter(|lag| lag.p99 > allowed_ms) {
        let unstamped_pct = 100.0 * health.unstamped_reads as f64 / health.reads.max(1) as f64;
        if unstamped_pct > 1.0 {
            found.push(Warning::ReadLag { p99_ms: lag.p99, unstamped_pct });
        }
    }
}

fn client(summary: &Summary, found: &mut Vec<Warning>) {
    let health = &summary.health;
    let usable = f64::from(health.cores.min(u32::from(health.workers)).max(1));
    if let Some(used) = health.cpu_cores_used.filter(|used| *used >= 0.9 * usable) {
        let by_workers = u32::from(health.workers) < health.cores;
        found.push(Warning::ClientCpu { used, of: usable, by_workers });
    }
    if health.retried_requests > 0 {
        found.push(Warning::RetriedRequests { requests: health.retried_requests });
    }
    if health.open_files_limit > 0 && health.open_files * 10 > health.open_files_limit * 9 {
        found.push(Warning::OpenFiles { open: health.open_files, limit: health.open_files_limit });
    }
    if let Some(ports) = health.ephemeral_ports.filter(|ports| health.connections * 10 > ports * 8) {
        found.push(Warning::EphemeralPorts { connections: health.connections, ports });
    }
    let elapsed_ms = summary.run.end_ns.saturating_sub(summary.run.start_ns) as f64 / 1e6;
    // Time synchronisation may slew the clock by a thousandth; more than that is a step.
    if health.wall_clock_step_ms.abs() > 50.0 + 1e-3 * elapsed_ms {
        found.push(Warning::WallClockStep { step_ms: health.wall_clock_step_ms });
    }
}

fn stream(summary: &Summary, found: &mut Vec<Warning>) {
    let health = &summary.health;
    if health.unknown_events > 0 {
        found.push(Warning::UnknownEvents { events: health.unknown_events, of: health.events });
    }
    if let Some(tokens) = health.tokens_per_event.filter(|tokens| *tokens > 1.5) {
        found.push(Warning::BundledTokens { tokens });
    }
    if let Some(percent) = health.coalesced_events_pct.filter(|percent| *percent > 20.0) {
        found.push(Warning::CoalescedEvents { percent });
    }
}
