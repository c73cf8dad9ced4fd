//! When requests are sent, and how many.

use tokamark_plan::{Arrival, LoadPlan};

use super::values::{Range, choice, decimal, whole};
use crate::args::{ConversationArgs, LoadArgs};
use crate::problems::Problems;

/// Seconds to wait for answers after the duration.
const DEFAULT_GRACE_S: f64 = 30.0;
/// Beyond this a machine has neither ports nor descriptors.
const MOST_CONCURRENCY: u32 = 1_000_000;
const MOST_WORKERS: u16 = 1_024;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Pattern {
    Constant,
    Poisson,
    Gamma,
}

/// The load that the flags describe.
pub(crate) fn resolve(args: &LoadArgs, conversation: &ConversationArgs, problems: &mut Problems) -> LoadPlan {
    let request_rate = decimal("--request-rate", args.request_rate.as_ref(), Range::Positive, problems);
    let concurrency = whole("--concurrency", args.concurrency.as_ref(), 1, MOST_CONCURRENCY, problems);
    let request_count = whole("--request-count", args.request_count.as_ref(), 1, u64::MAX, problems);
    let duration_s = decimal("--benchmark-duration", args.benchmark_duration.as_ref(), Range::Positive, problems);
    let seed = whole("--random-seed", args.random_seed.as_ref(), 0, u64::MAX, problems);
    LoadPlan {
        concurrency,
        request_rate,
        arrival: arrival(args, problems),
        request_count,
        session_count: whole("--num-conversations", conversation.num_conversations.as_ref(), 1, u64::MAX, problems),
        duration_s,
        grace_s: grace(args, problems),
        warmup_requests: whole("--warmup-request-count", args.warmup_request_count.as_ref(), 0, u64::MAX, problems)
            .unwrap_or(0),
        seed: seed.unwrap_or_else(|| u64::from(rand::random::<u32>())),
        seed_given: args.random_seed.is_some(),
        workers: whole("--max-threads", args.max_threads.as_ref(), 1, MOST_WORKERS, problems),
    }
}

fn arrival(args: &LoadArgs, problems: &mut Problems) -> Arrival {
    let pattern = choice(
        "--arrival-pattern",
        args.arrival_pattern.as_ref(),
        &[("constant", Pattern::Constant), ("poisson", Pattern::Poisson), ("gamma", Pattern::Gamma)],
        &[("concurrency_burst", ": leave out --request-rate and give --concurrency")],
        problems,
    );
    let smoothness = decimal("--arrival-smoothness", args.arrival_smoothness.as_ref(), Range::Positive, problems);
    if args.request_rate.is_none() {
        for (flag, given) in
            [("--arrival-pattern", &args.arrival_pattern), ("--arrival-smoothness", &args.arrival_smoothness)]
        {
            if given.is_some() {
                problems.add(flag, "needs --request-rate: without a rate there are no arrivals to space");
            }
        }
    }
    if args.arrival_smoothness.is_some() && matches!(pattern, Some(Pattern::Constant | Pattern::Poisson)) {
        problems.add("--arrival-smoothness", "is the shape of gamma gaps: it needs --arrival-pattern gamma");
    }
    match (pattern, smoothness) {
        (Some(Pattern::Constant), _) => Arrival::Constant,
        (Some(Pattern::Gamma), smoothness) => Arrival::Gamma { smoothness: smoothness.unwrap_or(1.0) },
        (None, Some(smoothness)) => Arrival::Gamma { smoothness },
        (Some(Pattern::Poisson) | None, _) => Arrival::Poisson,
    }
}

/// Absent means without end.
fn grace(args: &LoadArgs, problems: &mut Problems) -> Option<f64> {
    let given = decimal(
        "--benchmark-grace-period",
        args.benchmark_grace_period.as_ref(),
        Range::NotNegativeOrInfinite,
        problems,
    );
    if args.benchmark_duration.is_none() {
        if args.benchmark_grace_period.is_some() {
            problems.add("--benchmark-grace-period", "needs --benchmark-duration: it begins when that is over");
        }
        return None;
    }
    Some(given.unwrap_or(DEFAULT_GRACE_S)).filter(|seconds| seconds.is_finite())
}
