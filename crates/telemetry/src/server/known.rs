//! What the engines' names mean, so that a report need not know each engine.

use serde::{Deserialize, Serialize};

/// A meaning that several engines have a name for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Meaning {
    /// Requests being worked on.
    RunningRequests,
    /// Requests in the queue.
    WaitingRequests,
    /// The part of the KV cache in use, 0 to 1.
    KvCacheUsage,
    /// Prompt tokens looked up in the prefix cache.
    PrefixCacheQueries,
    /// Prompt tokens found in it.
    PrefixCacheHits,
    /// The part of prompt tokens found in the prefix cache, 0 to 1.
    PrefixCacheHitRate,
    /// Prompt tokens worked on.
    PromptTokens,
    /// Tokens generated.
    GeneratedTokens,
    /// Requests put back into the queue.
    Preemptions,
    /// Requests finished.
    FinishedRequests,
    /// Time to first token, in seconds.
    TimeToFirstToken,
    /// Time between tokens, in seconds.
    InterTokenLatency,
    /// Time of a whole request, in seconds.
    RequestLatency,
    /// Time in the queue, in seconds.
    QueueTime,
    /// Tokens proposed by speculation.
    DraftTokens,
    /// Tokens of them accepted.
    AcceptedDraftTokens,
}

use Meaning as M;

#[rustfmt::skip]
const NAMES: &[(&str, Meaning)] = &[
    ("vllm:num_requests_running", M::RunningRequests),
    ("vllm:num_requests_waiting", M::WaitingRequests),
    ("vllm:kv_cache_usage_perc", M::KvCacheUsage),
    ("vllm:gpu_cache_usage_perc", M::KvCacheUsage),
    ("vllm:prefix_cache_queries", M::PrefixCacheQueries),
    ("vllm:prefix_cache_hits", M::PrefixCacheHits),
    ("vllm:prompt_tokens", M::PromptTokens),
    ("vllm:generation_tokens", M::GeneratedTokens),
    ("vllm:num_preemptions", M::Preemptions),
    ("vllm:request_success", M::FinishedRequests),
    ("vllm:time_to_first_token_seconds", M::TimeToFirstToken),
    ("vllm:inter_token_latency_seconds", M::InterTokenLatency),
    ("vllm:time_per_output_token_seconds", M::InterTokenLatency),
    ("vllm:e2e_request_latency_seconds", M::RequestLatency),
    ("vllm:request_queue_time_seconds", M::QueueTime),
    ("vllm:spec_decode_num_draft_tokens", M::DraftTokens),
    ("vllm:spec_decode_num_accepted_tokens", M::AcceptedDraftTokens),
    ("sglang:num_running_reqs", M::RunningRequests),
    ("sglang:num_queue_reqs", M::WaitingRequests),
    ("sglang:token_usage", M::KvCacheUsage),
    ("sglang:cache_hit_rate", M::PrefixCacheHitRate),
    ("sglang:prompt_tokens", M::PromptTokens),
    ("sglang:generation_tokens", M::GeneratedTokens),
    ("sglang:num_requests", M::FinishedRequests),
    ("sglang:time_to_first_token_seconds", M::TimeToFirstToken),
    ("sglang:inter_token_latency_seconds", M::InterTokenLatency),
    ("sglang:time_per_output_token_seconds", M::InterTokenLatency),
    ("sglang:e2e_request_latency_seconds", M::RequestLatency),
    ("sglang:queue_time_seconds", M::QueueTime),
    ("trtllm_request_success", M::FinishedRequests),
    ("trtllm_time_to_first_token_seconds", M::TimeToFirstToken),
    ("trtllm_time_per_output_token_seconds", M::InterTokenLatency),
    ("trtllm_e2e_request_latency_seconds", M::RequestLatency),
    ("trtllm_request_queue_time_seconds", M::QueueTime),
    ("trtllm_kv_cache_utilization", M::KvCacheUsage),
    ("trtllm_kv_cache_hit_rate", M::PrefixCacheHitRate),
    ("nv_inference_pending_request_count", M::WaitingRequests),
    ("nv_inference_request_success", M::FinishedRequests),
    ("llamacpp:requests_processing", M::RunningRequests),
    ("llamacpp:requests_deferred", M::WaitingRequests),
    ("llamacpp:kv_cache_usage_ratio", M::KvCacheUsage),
    ("llamacpp:prompt_tokens", M::PromptTokens),
    ("llamacpp:prompt_tokens_cached", M::PrefixCacheHits),
    ("llamacpp:tokens_predicted", M::GeneratedTokens),
    ("llamacpp:spec_decode_num_draft_tokens", M::DraftTokens),
    ("llamacpp:spec_decode_num_accepted_tokens", M::AcceptedDraftTokens),
    ("tgi_queue_size", M::WaitingRequests),
    ("tgi_batch_current_size", M::RunningRequests),
    ("tgi_request_success", M::FinishedRequests),
    ("tgi_request_duration", M::RequestLatency),
    ("tgi_request_queue_duration", M::QueueTime),
    ("tgi_request_mean_time_per_token_duration", M::InterTokenLatency),
    ("dynamo_frontend_inflight_requests", M::RunningRequests),
    ("dynamo_frontend_queued_requests", M::WaitingRequests),
    ("dynamo_frontend_time_to_first_token_seconds", M::TimeToFirstToken),
    ("dynamo_frontend_inter_token_latency_seconds", M::InterTokenLatency),
    ("dynamo_frontend_request_duration_seconds", M::RequestLatency),
];

impl Meaning {
    /// Of a family's name, with or without the `_total` of counters.
    #[must_use]
    pub fn of(family: &str) -> Option<Self> {
        let family = family.strip_suffix("_total").unwrap_or(family);
        NAMES.iter().find(|(name, _)| *name == family).map(|(_, meaning)| *meaning)
    }
}
