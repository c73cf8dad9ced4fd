//! Warnings in words.

use tokamark_record::StopReason;

use super::Warning;
use crate::text::{counted, decimal, milliseconds, percent, share, whole};

impl Warning {
    /// What happened, in one sentence.
    #[must_use]
    pub fn message(&self) -> String {
        match self {
            Self::Interrupted { stop, ok } => format!(
                "{}; the figures rest on the {} answered until then",
                match stop {
                    StopReason::Aborted => "the run was aborted by an error",
                    StopReason::Unfinished => "the record breaks off: the run was killed, or its file is damaged",
                    _ => "the run was interrupted",
                },
                counted(*ok, "request")
            ),
            Self::NothingMeasured { cancelled: 0 } => "no request was sent, so there are no figures".to_owned(),
            Self::NothingMeasured { cancelled } => format!(
                "none of the requests was answered in time and {} cancelled, so there are no figures",
                if *cancelled == 1 { "1 was".to_owned() } else { format!("{} were", whole(*cancelled)) }
            ),
            Self::FailedRequests { failed, attempted, most_often } => format!(
                "{} of {} failed ({}) and are in no latency or token figure; most often: {most_often}",
                whole(*failed),
                counted(*attempted, "request"),
                share(*failed, *attempted)
            ),
            Self::FailedWarmup { failed, attempted, most_often } => format!(
                "{} of {} failed, so the server may not have been warm; most often: {most_often}",
                whole(*failed),
                counted(*attempted, "warm-up request")
            ),
            Self::FewSamples { samples, percentiles, .. } => {
                format!("{percentiles} rest on only {}", counted(*samples, "sample"))
            }
            Self::ColdStart { requests, first_ms, median_ms, .. } => format!(
                "a cold start: the first {} took {} ms ({} times the median of {} ms) and {} in all figures",
                if *requests == 1 { "request".to_owned() } else { counted(*requests, "request") },
                milliseconds(*first_ms),
                decimal(first_ms / median_ms, 1),
                milliseconds(*median_ms),
                if *requests == 1 { "is" } else { "are" }
            ),
            Self::CachedPrompts { percent: part, cached, prompt } => format!(
                "the server took {} of the prompt tokens ({} of {}) from a cache, though the prompts are distinct",
                percent(*part),
                whole(*cached),
                whole(*prompt)
            ),
            Self::RepeatedPrompts { repeated, attempted, cached_percent } => format!(
                "{} of {} repeated a prompt that had been sent before, which a prefix cache makes faster{}",
                whole(*repeated),
                counted(*attempted, "request"),
                cached_percent
                    .map(|part| format!("; the server took {} of the prompt tokens from its cache", percent(part)))
                    .unwrap_or_default()
            ),
            Self::ShorterAnswers { shorter, ok, came, asked } => format!(
                "{} of {} shorter than requested: {} output tokens came on average, {} were asked for",
                whole(*shorter),
                if *ok == 1 { "1 answer is".to_owned() } else { format!("{} answers are", whole(*ok)) },
                decimal(*came, 1),
                decimal(*asked, 1)
            ),
            Self::LongerAnswers { longer, ok } => {
                format!("{} of {} have more output tokens than requested", whole(*longer), counted(*ok, "answer"))
            }
            Self::CountMismatch { requests, ok, what } => format!(
                "server and client differ by more than 10 % in the {what} tokens of {} of {}; the server's counts are used",
                whole(*requests),
                counted(*ok, "request")
            ),
            Self::MissingUsage { requests, ok } => format!(
                "the server sent no token counts for {} of {}, which are missing from all token figures",
                whole(*requests),
                counted(*ok, "request")
            ),
            Self::FallbackTokenizer { name, counted: requests } => format!(
                "the model's own tokenizer was not found and `{name}` stood in for it; output tokens of {} were counted with it",
                counted(*requests, "request")
            ),
            Self::SendLateness { p99_ms, allowed_ms } => format!(
                "the client sent requests late: p99 of the lateness is {} ms, more than {} ms",
                decimal(*p99_ms, 2),
                decimal(*allowed_ms, 2)
            ),
            Self::RateNotAchieved { achieved, wanted, .. } => {
                format!("{} requests/s were sent where the schedule had {}", decimal(*achieved, 2), decimal(*wanted, 2))
            }
            Self::ConcurrencyNotReached { peak, wanted } => {
                format!(
                    "at most {} were in flight at once, not the {} asked for",
                    counted(u64::from(*peak), "request"),
                    whole(*wanted)
                )
            }
            Self::ReadLag { p99_ms, unstamped_pct } => format!(
                "the client read late (p99 {} ms), and {} of the reads had no kernel timestamp, so their arrivals are too late by as much",
                decimal(*p99_ms, 2),
                percent(*unstamped_pct)
            ),
            Self::ClientCpu { used, of, .. } => format!(
                "the client kept {} of its {} cores busy and may have been the bottleneck",
                decimal(*used, 2),
                decimal(*of, 0)
            ),
            Self::RetriedRequests { requests } => format!(
                "{} found that the server had closed a kept connection and went out again over a new one",
                counted(*requests, "request")
            ),
            Self::UnknownEvents { events, of } => format!(
                "{} of {} are of no known kind and were not counted as tokens",
                whole(*events),
                counted(*of, "event")
            ),
            Self::CoalescedEvents { percent: part } => format!(
                "{} of the generated events came in the same read as the one before, so single gaps say little",
                percent(*part)
            ),
            Self::BundledTokens { tokens } => format!(
                "an event holds {} tokens on average, so gaps between events are not gaps between tokens",
                decimal(*tokens, 1)
            ),
            Self::SkippedLines { lines } => {
                format!("skipped {} of the dataset that had no usable prompt", counted(*lines, "line"))
            }
            Self::WallClockStep { step_ms } => format!(
                "the wall clock was set {} s {} during the run; durations are not affected, timestamps in files are",
                decimal(step_ms.abs() / 1e3, 3),
                if *step_ms < 0.0 { "back" } else { "forward" }
            ),
            Self::OpenFiles { open, limit } => {
                format!("{} of {} descriptors were in use", whole(*open), whole(*limit))
            }
            Self::EphemeralPorts { connections, ports } => {
                format!("{} were opened from {} local ports", counted(*connections, "connection"), whole(*ports))
            }
        }
    }

    /// What to do about it.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            Self::Interrupted { stop: StopReason::Aborted, .. } => "see the error, and run it again".to_owned(),
            Self::Interrupted { stop: StopReason::Unfinished, .. } => "run it again for final figures".to_owned(),
            Self::Interrupted { .. } => {
                "run it to its end for final figures, or bound it with --benchmark-duration".to_owned()
            }
            Self::NothingMeasured { cancelled: 0 } => "raise --benchmark-duration, or --request-rate".to_owned(),
            Self::NothingMeasured { .. } => "raise --benchmark-duration or --benchmark-grace-period".to_owned(),
            Self::FailedRequests { .. } => {
                "look at the errors first: a server that refuses load looks faster; --allow-failed-requests says how many to put up with".to_owned()
            }
            Self::FailedWarmup { .. } => "see why in profile_export.jsonl (benchmark_phase is warmup), and run it again".to_owned(),
            Self::FewSamples { needed, .. } => {
                format!("raise --request-count or --benchmark-duration to at least {} samples", whole(*needed))
            }
            Self::ColdStart { requests, warmup: 0, .. } => {
                format!("add a warm-up: --warmup-request-count {}", (requests * 2).max(5))
            }
            Self::ColdStart { requests, warmup, .. } => {
                format!("raise --warmup-request-count from {} to {}", warmup, warmup + requests * 2)
            }
            Self::CachedPrompts { .. } => {
                "switch the server's prefix cache off or restart it, or take another --random-seed: it has seen these prompts, or their common template".to_owned()
            }
            Self::RepeatedPrompts { .. } => {
                "use as many prompts as requests (--num-dataset-entries, or a longer input file)".to_owned()
            }
            Self::ShorterAnswers { .. } => {
                "ask the server to go on with --extra-inputs ignore_eos:true and min_tokens, if it knows them".to_owned()
            }
            Self::LongerAnswers { .. } => {
                "the server may know the limit by another name; try --use-legacy-max-tokens".to_owned()
            }
            Self::CountMismatch { what: "prompt", .. } => {
                "chat templates add tokens to short prompts; if it is more than that, give the model's --tokenizer".to_owned()
            }
            Self::CountMismatch { .. } => "give the model's own --tokenizer".to_owned(),
            Self::MissingUsage { .. } => {
                "leave --use-server-token-count out, so that the client counts where the server does not".to_owned()
            }
            Self::FallbackTokenizer { .. } => "name a tokenizer with --tokenizer: a folder, a tokenizer.json, or builtin".to_owned(),
            Self::SendLateness { .. } => "give the client more or less busy cores, or lower the load".to_owned(),
            Self::RateNotAchieved { concurrency: Some(limit), .. } => {
                format!("the limit of {limit} requests in flight (--concurrency) may hold requests back; raise it or leave it out")
            }
            Self::RateNotAchieved { concurrency: None, .. } => "give the client more cores, or lower --request-rate".to_owned(),
            Self::ConcurrencyNotReached { .. } => {
                "raise --request-count: requests ended before all slots were filled".to_owned()
            }
            Self::ReadLag { .. } => "give the client more or less busy cores".to_owned(),
            Self::ClientCpu { by_workers: true, .. } => "raise --max-threads, or spread the load over several clients".to_owned(),
            Self::ClientCpu { by_workers: false, .. } => {
                "use a machine with more cores, or spread the load over several clients".to_owned()
            }
            Self::RetriedRequests { .. } => {
                "raise the server's keep-alive timeout, or use --connection-reuse-strategy never".to_owned()
            }
            Self::UnknownEvents { .. } => "look at them with --export-level raw".to_owned(),
            Self::CoalescedEvents { .. } => {
                "look for a proxy that buffers, or a server that sends in bursts; inter_token_latency is an average and still holds".to_owned()
            }
            Self::BundledTokens { .. } => {
                "read inter_token_latency (per token) rather than inter_chunk_latency (per event)".to_owned()
            }
            Self::SkippedLines { .. } => "mend the lines that were named when the file was read".to_owned(),
            Self::WallClockStep { .. } => "nothing to do, unless timestamps are compared with other logs".to_owned(),
            Self::OpenFiles { .. } => "raise the limit: ulimit -n".to_owned(),
            Self::EphemeralPorts { .. } => {
                "keep connections (no --connection-reuse-strategy never), or widen net.ipv4.ip_local_port_range".to_owned()
            }
        }
    }
}
