//! When requests are sent, and how many.

use clap::Args;

/// The load.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Load")]
pub(crate) struct LoadArgs {
    /// Requests in flight: exactly so many without --request-rate, at most so many with it
    /// [default: 1 without --request-rate, else no limit]
    #[arg(long, value_name = "N")]
    pub(crate) concurrency: Option<String>,

    /// Requests sent per second, whether or not earlier ones were answered
    #[arg(long, value_name = "PER_SECOND")]
    pub(crate) request_rate: Option<String>,

    /// Gaps between the arrivals of --request-rate: constant, poisson or gamma [default: poisson]
    #[arg(long, visible_alias = "request-rate-mode", value_name = "PATTERN")]
    pub(crate) arrival_pattern: Option<String>,

    /// Shape of gamma gaps: 1 is poisson, less is burstier, more is smoother. Implies --arrival-pattern gamma
    #[arg(long, visible_alias = "vllm-burstiness", value_name = "SHAPE")]
    pub(crate) arrival_smoothness: Option<String>,

    /// Stop after so many requests [default: max(10, 2 x concurrency) without --benchmark-duration]
    #[arg(long, visible_alias = "num-requests", value_name = "N")]
    pub(crate) request_count: Option<String>,

    /// Stop sending after so many seconds
    #[arg(long, value_name = "SECONDS")]
    pub(crate) benchmark_duration: Option<String>,

    /// Seconds to wait for answers after --benchmark-duration, `inf` to wait for all; what is then unanswered is
    /// cancelled [default: 30]
    #[arg(long, value_name = "SECONDS")]
    pub(crate) benchmark_grace_period: Option<String>,

    /// Requests sent before the measured ones, and reported apart [default: 0]
    #[arg(long, visible_alias = "num-warmup-requests", value_name = "N")]
    pub(crate) warmup_request_count: Option<String>,

    /// Seed of the workload and the arrivals; the same seed gives the same bytes [default: drawn, and reported]
    #[arg(long, value_name = "SEED")]
    pub(crate) random_seed: Option<String>,

    /// Worker threads; results do not depend on it [default: from the cores]
    #[arg(long, visible_aliases = ["workers-max", "max-workers"], value_name = "N")]
    pub(crate) max_threads: Option<String>,
}
