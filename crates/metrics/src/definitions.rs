//! The one registry of metrics. Whatever names a metric (console, files, objectives, documentation) reads it from here.

use crate::unit::Unit;

/// How a metric comes about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// One value for each request; a distribution over the run.
    Record,
    /// Several values for each request, pooled into one distribution over the run.
    List,
    /// Added up or counted over the requests of the run.
    Aggregate,
    /// Computed from others once the run is over.
    Derived,
}

impl Kind {
    /// True if single requests have values.
    #[must_use]
    pub const fn is_per_request(self) -> bool {
        matches!(self, Self::Record | Self::List)
    }
}

/// What an endpoint must offer for a metric to exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    /// Any request has it.
    Nothing,
    /// Answers must be made of tokens.
    Tokens,
    /// Answers must be streamed.
    Stream,
    /// Answers must be streamed tokens.
    StreamOfTokens,
}

impl Needs {
    /// True if the metric exists only for streamed answers.
    #[must_use]
    pub const fn stream(self) -> bool {
        matches!(self, Self::Stream | Self::StreamOfTokens)
    }

    /// True if the metric exists only for answers made of tokens.
    #[must_use]
    pub const fn tokens(self) -> bool {
        matches!(self, Self::Tokens | Self::StreamOfTokens)
    }
}

/// Where on the console a metric appears.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Console {
    /// In the main table, sorted by this number.
    Main(u16),
    /// In the main table as well, but only when requests follow a schedule (an open loop), where it differs from its twin.
    OpenLoop(u16),
    /// In files only.
    Hidden,
}

/// One metric.
#[derive(Clone, Copy, Debug)]
pub struct Definition {
    /// Name in files.
    pub tag: &'static str,
    /// Name on the console and in tables.
    pub header: &'static str,
    /// Short name for narrow places.
    pub short: &'static str,
    /// Unit.
    pub unit: Unit,
    /// How it comes about.
    pub kind: Kind,
    /// More is better.
    pub larger_is_better: bool,
    /// What the endpoint must offer.
    pub needs: Needs,
    /// Where on the console.
    pub console: Console,
    /// What it is, with its formula.
    pub doc: &'static str,
}

macro_rules! registry {
    ($($name:ident: $tag:literal, $header:literal, $short:literal, $unit:ident, $kind:ident, $better:ident, $needs:ident,
        $console:expr, $doc:literal;)*) => {
        /// A metric by name.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum Metric {
            $(#[doc = $doc] $name,)*
        }

        impl Metric {
            /// Every metric, in the order of files.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// What there is to know of it.
            #[must_use]
            pub const fn definition(self) -> &'static Definition {
                match self {
                    $(Self::$name => &Definition {
                        tag: $tag,
                        header: $header,
                        short: $short,
                        unit: Unit::$unit,
                        kind: Kind::$kind,
                        larger_is_better: better::$better,
                        needs: Needs::$needs,
                        console: $console,
                        doc: $doc,
                    },)*
                }
            }
        }
    };
}

mod better {
    #![allow(non_upper_case_globals, reason = "words of the table below")]
    pub(super) const Less: bool = false;
    pub(super) const More: bool = true;
}

use Console::{Hidden, Main, OpenLoop};

// In formulas: t0 is just before the first byte of the request is written; t_1 … t_n are the arrivals of the events that
// carry generated text; OSL and ISL are output and input tokens; W is benchmark_duration; Σ is over requests that were ok.
registry! {
    TimeToFirstToken: "time_to_first_token", "Time to First Token", "TTFT", MS, Record, Less, StreamOfTokens, Main(100),
        "From sending the request to the first generated text (content, reasoning or tool call): t_1 − t0.";
    TimeToFirstTokenFromSchedule: "time_to_first_token_from_schedule", "Time to First Token from Schedule", "TTFT (sched.)",
        MS, Record, Less, StreamOfTokens, OpenLoop(101),
        "From the moment the schedule wanted the request sent to the first generated text: t_1 − scheduled.";
    TimeToSecondToken: "time_to_second_token", "Time to Second Token", "TTST", MS, Record, Less, StreamOfTokens, Main(200),
        "From the first generated event to the second: t_2 − t_1.";
    TimeToFirstOutputToken: "time_to_first_output_token", "Time to First Output Token", "TTFO", MS, Record, Less,
        StreamOfTokens, Main(210),
        "From sending the request to the first generated text that is not reasoning.";
    RequestLatency: "request_latency", "Request Latency", "Req Latency", MS, Record, Less, Nothing, Main(300),
        "From sending the request to the last generated text: t_n − t0; without a stream, to the end of the body.";
    RequestLatencyFromSchedule: "request_latency_from_schedule", "Request Latency from Schedule", "Req Latency (sched.)",
        MS, Record, Less, Nothing, OpenLoop(301),
        "From the moment the schedule wanted the request sent to the last generated text: t_n − scheduled.";
    DecodeDuration: "decode_duration", "Decode Duration", "Decode Duration", MS, Record, Less, StreamOfTokens, Main(350),
        "From the first generated event to the last: t_n − t_1.";
    InterTokenLatency: "inter_token_latency", "Inter Token Latency", "ITL", MS, Record, Less, StreamOfTokens, Main(400),
        "Mean time per token after the first: (t_n − t_1) / (OSL − 1); absent for one token, or if all came at once.";
    InterChunkLatency: "inter_chunk_latency", "Inter Chunk Latency", "ICL", MS, List, Less, StreamOfTokens, Main(410),
        "Every gap between two generated events: t_(i+1) − t_i, pooled over all requests.";
    TimePerOutputToken: "time_per_output_token", "Time per Output Token", "TPOT", MS, Record, Less, StreamOfTokens, Hidden,
        "(t_n − t_1) / (OSL − N₁) with N₁ the tokens of the first event: 1, or by its share of the text if events are bundles.";
    OutputTokenThroughputPerUser: "output_token_throughput_per_user", "Output Token Throughput Per User",
        "Output TPS/User", TOKENS_PER_S_PER_USER, Record, More, StreamOfTokens, Main(500),
        "Tokens per second as one reader sees them: 1 / inter_token_latency.";
    E2eOutputTokenThroughput: "e2e_output_token_throughput", "E2E Output Token Throughput", "E2E Output TPS/User",
        TOKENS_PER_S_PER_USER, Record, More, Tokens, Main(510),
        "Tokens per second of a request, waiting included: OSL / request_latency.";
    OutputSequenceLength: "output_sequence_length", "Output Sequence Length", "OSL", TOKENS, Record, More, Tokens, Main(600),
        "Tokens of the answer, reasoning included; the server's count, else the client's.";
    InputSequenceLength: "input_sequence_length", "Input Sequence Length", "ISL", TOKENS, Record, More, Nothing, Main(700),
        "Tokens of the prompt; the server's count, else the client's.";
    OutputTokenThroughput: "output_token_throughput", "Output Token Throughput", "Output TPS", TOKENS_PER_S, Derived, More,
        Tokens, Main(800), "Σ OSL / W.";
    InputTokenThroughput: "input_token_throughput", "Input Token Throughput", "Input TPS", TOKENS_PER_S, Derived, More,
        Nothing, Main(805), "Σ ISL / W.";
    TotalTokenThroughput: "total_token_throughput", "Total Token Throughput", "Total TPS", TOKENS_PER_S, Derived, More,
        Tokens, Hidden, "(Σ ISL + Σ OSL) / W.";
    RequestThroughput: "request_throughput", "Request Throughput", "Req/sec", REQUESTS_PER_S, Derived, More, Nothing,
        Main(900), "Requests that were ok / W.";
    Goodput: "goodput", "Goodput", "Goodput", REQUESTS_PER_S, Derived, More, Nothing, Main(1000),
        "Requests that met every objective / W.";
    GoodRequestCount: "good_request_count", "Good Request Count", "Good", REQUESTS, Aggregate, More, Nothing, Hidden,
        "Requests that met every objective; one that lacks a value for an objective does not.";
    GoodRequestFraction: "good_request_fraction", "Good Request Fraction", "Good Fraction", RATIO, Derived, More, Nothing,
        Hidden, "good_request_count / completed_request_count.";
    RequestCount: "request_count", "Request Count", "Requests", REQUESTS, Aggregate, More, Nothing, Main(1100),
        "Requests that were ok.";
    ErrorRequestCount: "error_request_count", "Error Request Count", "Error Count", REQUESTS, Aggregate, Less, Nothing,
        Hidden, "Requests that failed.";
    CompletedRequestCount: "completed_request_count", "Completed Requests (Success + Error)", "Completed", REQUESTS,
        Derived, Less, Nothing, Hidden, "request_count + error_request_count.";
    RequestErrorRate: "request_error_rate", "Request Error Rate", "Err %", PERCENT, Derived, Less, Nothing, Hidden,
        "100 · error_request_count / completed_request_count.";
    ContextOverflowCount: "context_overflow_count", "Context Overflow Count", "Ctx Overflow", REQUESTS, Aggregate, Less,
        Nothing, Hidden, "Failures whose message says that the prompt did not fit the model's context.";
    BenchmarkDuration: "benchmark_duration", "Benchmark Duration", "Duration", SEC, Derived, Less, Nothing, Hidden,
        "W: from sending the first request to the last generated text, over requests that were ok.";
    EffectiveConcurrency: "effective_concurrency", "Effective Concurrency", "Eff. Concurrency", IN_FLIGHT, Derived, More,
        Nothing, Hidden, "Requests in flight, averaged over W: Σ request_latency / W.";
    EffectivePrefillConcurrency: "effective_prefill_concurrency", "Effective Prefill Concurrency", "Eff. Prefill Conc.",
        IN_FLIGHT, Derived, More, StreamOfTokens, Hidden,
        "Requests that wait for their first token, averaged over W: Σ time_to_first_token / W.";
    EffectiveDecodeConcurrency: "effective_decode_concurrency", "Effective Decode Concurrency", "Eff. Decode Conc.",
        IN_FLIGHT, Derived, More, StreamOfTokens, Hidden,
        "Requests whose answers are arriving, averaged over W: Σ decode_duration / W.";
    SteadyStateDuration: "steady_state_duration", "Steady State Duration", "Steady Dur.", SEC, Derived, More, Nothing,
        Hidden, "From the first moment with at least 95 % of the peak in flight to the last.";
    SteadyStateOutputTokenThroughput: "steady_state_output_token_throughput", "Steady State Output Token Throughput",
        "Steady TPS", TOKENS_PER_S, Derived, More, Tokens, Hidden,
        "Output tokens within the steady state / its duration; a request's tokens are spread evenly over its decoding.";
    SteadyStateRequestThroughput: "steady_state_request_throughput", "Steady State Request Throughput", "Steady Req/sec",
        REQUESTS_PER_S, Derived, More, Nothing, Hidden,
        "Requests that ended well within the steady state / its duration.";
    PrefillThroughputPerUser: "prefill_throughput_per_user", "Prefill Throughput Per User", "Prefill TPS/User",
        TOKENS_PER_S_PER_USER, Record, More, StreamOfTokens, Hidden, "ISL / time_to_first_token.";
    OutputTokenCount: "output_token_count", "Output Token Count", "Output Tokens", TOKENS, Record, More, Tokens, Hidden,
        "Output tokens that are not reasoning; absent if there are none.";
    ReasoningTokenCount: "reasoning_token_count", "Reasoning Token Count", "Reasoning Tokens", TOKENS, Record, More, Tokens,
        Hidden, "Reasoning tokens; absent if there are none.";
    TokensPerEvent: "tokens_per_event", "Tokens per Event", "Tokens/Event", TOKENS_PER_EVENT, Record, Less, StreamOfTokens,
        Hidden, "OSL / n, the number of generated events.";
    RequestedOsl: "requested_osl", "Requested OSL", "Req OSL", TOKENS, Record, More, Tokens, Hidden,
        "Output tokens that the request asked for.";
    OslMismatchDiffPct: "osl_mismatch_diff_pct", "OSL Mismatch Diff %", "OSL Diff", PERCENT, Record, Less, Tokens, Hidden,
        "100 · (OSL − requested_osl) / requested_osl.";
    OslMismatchCount: "osl_mismatch_count", "OSL Mismatch Count", "OSL Mismatches", REQUESTS, Aggregate, Less, Tokens,
        Hidden, "Requests with |OSL − requested_osl| > min(5 % of requested_osl, 50 tokens).";
    ThinkingEfficiency: "thinking_efficiency", "Thinking Efficiency", "Thinking Eff.", RATIO, Record, Less, Tokens, Hidden,
        "reasoning_token_count / output_token_count.";
    OverallThinkingEfficiency: "overall_thinking_efficiency", "Overall Thinking Efficiency", "Overall Eff.", RATIO, Derived,
        Less, Tokens, Hidden, "total_reasoning_tokens / total_output_tokens.";
    TotalIsl: "total_isl", "Total Input Sequence Length", "Total ISL", TOKENS, Derived, More, Nothing, Hidden, "Σ ISL.";
    TotalOsl: "total_osl", "Total Output Sequence Length", "Total OSL", TOKENS, Derived, More, Tokens, Hidden, "Σ OSL.";
    TotalOutputTokens: "total_output_tokens", "Total Output Tokens", "Total Output", TOKENS, Derived, More, Tokens, Hidden,
        "Σ output_token_count.";
    TotalReasoningTokens: "total_reasoning_tokens", "Total Reasoning Tokens", "Total Reasoning", TOKENS, Derived, More,
        Tokens, Hidden, "Σ reasoning_token_count.";
    ErrorIsl: "error_isl", "Error Input Sequence Length", "Error ISL", TOKENS, Record, More, Nothing, Hidden,
        "Input tokens of a request that failed.";
    TotalErrorIsl: "total_error_isl", "Total Error Input Sequence Length", "Total Error ISL", TOKENS, Derived, More, Nothing,
        Hidden, "Sum of error_isl.";
    UsagePromptTokens: "usage_prompt_tokens", "Usage Prompt Tokens", "Usage Prompt", TOKENS, Record, More, Nothing, Hidden,
        "Prompt tokens by the server's count.";
    UsageCompletionTokens: "usage_completion_tokens", "Usage Completion Tokens", "Usage Completion", TOKENS, Record, More,
        Tokens, Hidden, "Completion tokens by the server's count.";
    UsageTotalTokens: "usage_total_tokens", "Usage Total Tokens", "Usage Total", TOKENS, Record, More, Tokens, Hidden,
        "All tokens by the server's count.";
    UsageReasoningTokens: "usage_reasoning_tokens", "Usage Reasoning Tokens", "Usage Reasoning", TOKENS, Record, More,
        Tokens, Hidden, "Reasoning tokens by the server's count.";
    UsagePromptCacheReadTokens: "usage_prompt_cache_read_tokens", "Usage Prompt Cache Read Tokens",
        "Usage Prompt Cache Read", TOKENS, Record, More, Nothing, Hidden,
        "Prompt tokens that the server took from a cache.";
    UsagePromptCacheWriteTokens: "usage_prompt_cache_write_tokens", "Usage Prompt Cache Write Tokens",
        "Usage Prompt Cache Write", TOKENS, Record, Less, Nothing, Hidden,
        "Prompt tokens that the server put into a cache.";
    UsageAcceptedPredictionTokens: "usage_accepted_prediction_tokens", "Usage Accepted Prediction Tokens",
        "Usage Accepted Pred", TOKENS, Record, More, Tokens, Hidden,
        "Draft tokens that the server accepted.";
    UsageRejectedPredictionTokens: "usage_rejected_prediction_tokens", "Usage Rejected Prediction Tokens",
        "Usage Rejected Pred", TOKENS, Record, Less, Tokens, Hidden,
        "Draft tokens that the server rejected.";
    TotalUsagePromptTokens: "total_usage_prompt_tokens", "Total Usage Prompt Tokens", "Total Usage Prompt", TOKENS, Derived,
        More, Nothing, Hidden, "Σ usage_prompt_tokens.";
    TotalUsageCompletionTokens: "total_usage_completion_tokens", "Total Usage Completion Tokens", "Total Usage Completion",
        TOKENS, Derived, More, Tokens, Hidden, "Σ usage_completion_tokens.";
    TotalUsageTotalTokens: "total_usage_total_tokens", "Total Usage Total Tokens", "Total Usage Total", TOKENS, Derived,
        More, Tokens, Hidden, "Σ usage_total_tokens.";
    TotalUsageReasoningTokens: "total_usage_reasoning_tokens", "Total Usage Reasoning Tokens", "Total Usage Reasoning",
        TOKENS, Derived, More, Tokens, Hidden, "Σ usage_reasoning_tokens.";
    TotalUsagePromptCacheReadTokens: "total_usage_prompt_cache_read_tokens", "Total Usage Prompt Cache Read Tokens",
        "Total Usage Prompt Cache Read", TOKENS, Derived, More, Nothing, Hidden, "Σ usage_prompt_cache_read_tokens.";
    TotalUsagePromptCacheWriteTokens: "total_usage_prompt_cache_write_tokens", "Total Usage Prompt Cache Write Tokens",
        "Total Usage Prompt Cache Write", TOKENS, Derived, Less, Nothing, Hidden, "Σ usage_prompt_cache_write_tokens.";
    TotalUsageAcceptedPredictionTokens: "total_usage_accepted_prediction_tokens",
        "Total Usage Accepted Prediction Tokens", "Total Usage Accepted Pred", TOKENS, Derived, More, Tokens, Hidden,
        "Σ usage_accepted_prediction_tokens.";
    TotalUsageRejectedPredictionTokens: "total_usage_rejected_prediction_tokens",
        "Total Usage Rejected Prediction Tokens", "Total Usage Rejected Pred", TOKENS, Derived, Less, Tokens, Hidden,
        "Σ usage_rejected_prediction_tokens.";
    OverallUsagePromptCacheReadPct: "overall_usage_prompt_cache_read_pct", "Overall Usage Prompt Cache Read %",
        "Overall Cache Read %", PERCENT, Derived, More, Nothing, Hidden,
        "100 · Σ usage_prompt_cache_read_tokens / Σ usage_prompt_tokens.";
    UsagePromptTokensDiffPct: "usage_prompt_tokens_diff_pct", "Usage Prompt Diff %", "Prompt Diff", PERCENT, Record, Less,
        Nothing, Hidden, "100 · |server − client| / client, of prompt tokens.";
    UsageCompletionTokensDiffPct: "usage_completion_tokens_diff_pct", "Usage Completion Diff %", "Completion Diff", PERCENT,
        Record, Less, Tokens, Hidden, "100 · |server − client| / client, of output tokens, reasoning included.";
    UsageReasoningTokensDiffPct: "usage_reasoning_tokens_diff_pct", "Usage Reasoning Diff %", "Reasoning Diff", PERCENT,
        Record, Less, Tokens, Hidden, "100 · |server − client| / client, of reasoning tokens.";
    UsageDiscrepancyCount: "usage_discrepancy_count", "Usage Discrepancy Count", "Discrepancies", REQUESTS, Aggregate, Less,
        Nothing, Hidden, "Requests in which server and client differ by more than 10 % in any token count.";
    SendDelay: "send_delay", "Send Delay", "Send Delay", MS, Record, Less, Nothing, OpenLoop(950),
        "From the moment the schedule wanted the request sent to its first byte: t0 − scheduled, over all that were sent.";
    ConnectTcp: "connect_tcp", "TCP Connect", "TCP Connect", MS, Record, Less, Nothing, Hidden,
        "Setting up TCP, for requests that had to wait for a new connection.";
    ConnectTls: "connect_tls", "TLS Handshake", "TLS", MS, Record, Less, Nothing, Hidden,
        "Agreeing on TLS, for requests that had to wait for a new connection.";
    StreamSetupLatency: "stream_setup_latency", "Stream Setup Latency", "Stream Setup", MS, Record, Less, Stream, Hidden,
        "From sending the request to the end of the response head.";
    StreamPrefillLatency: "stream_prefill_latency", "Stream Prefill Latency", "Stream Prefill", MS, Record, Less,
        StreamOfTokens, Hidden, "time_to_first_token − stream_setup_latency.";
    StreamCloseLatency: "stream_close_latency", "Stream Close Latency", "Stream Close", MS, Record, Less, StreamOfTokens,
        Hidden, "From the last generated text to the end of the answer.";
    HttpReqBlocked: "http_req_blocked", "HTTP Blocked", "Blocked", MS, Record, Less, Nothing, Hidden,
        "From the slot to a connection, or to the start of opening one.";
    HttpReqConnecting: "http_req_connecting", "HTTP Connecting", "Connecting", MS, Record, Less, Nothing, Hidden,
        "Opening a connection, TLS included; 0 if one was open.";
    HttpReqSending: "http_req_sending", "HTTP Sending", "Sending", MS, Record, Less, Nothing, Hidden,
        "From the first byte written to the last.";
    HttpReqWaiting: "http_req_waiting", "HTTP Waiting (TTFB)", "TTFB", MS, Record, Less, Nothing, Hidden,
        "From the last byte written to the first byte of the body.";
    HttpReqReceiving: "http_req_receiving", "HTTP Receiving", "Receiving", MS, Record, Less, Nothing, Hidden,
        "From the first byte of the body to its end.";
    HttpReqConnectionOverhead: "http_req_connection_overhead", "HTTP Connection Overhead", "Conn Overhead", MS, Record, Less,
        Nothing, Hidden, "http_req_blocked + http_req_connecting.";
    HttpReqDuration: "http_req_duration", "HTTP Duration (excl. conn)", "Dur (excl)", MS, Record, Less, Nothing, Hidden,
        "From the first byte written to the end of the body.";
    HttpReqTotal: "http_req_total", "HTTP Total Time", "Total", MS, Record, Less, Nothing, Hidden,
        "Blocked, connecting, sending, waiting and receiving together.";
    HttpReqConnectionReused: "http_req_connection_reused", "HTTP Connection Reused", "Conn Reused", RATIO, Record, More,
        Nothing, Hidden, "1 if the connection had served a request before, else 0.";
    HttpReqDataSent: "http_req_data_sent", "HTTP Data Sent", "Sent", KB, Record, Less, Nothing, Hidden,
        "Bytes written, head included.";
    HttpReqDataReceived: "http_req_data_received", "HTTP Data Received", "Received", KB, Record, Less, Nothing, Hidden,
        "Bytes read, head included.";
    HttpReqChunksReceived: "http_req_chunks_received", "HTTP Chunks Received", "Chunks Recv", COUNT, Record, Less, Nothing,
        Hidden, "Socket reads that brought events.";
}

impl Metric {
    /// How many metrics there are.
    pub const COUNT: usize = Self::ALL.len();

    /// Its name in files.
    #[must_use]
    pub const fn tag(self) -> &'static str {
        self.definition().tag
    }

    /// Its unit.
    #[must_use]
    pub const fn unit(self) -> Unit {
        self.definition().unit
    }

    /// Its place in [`Metric::ALL`].
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// Metrics that single requests have, in the order of files.
    pub fn per_request() -> impl Iterator<Item = Self> {
        Self::ALL.iter().copied().filter(|metric| metric.definition().kind.is_per_request())
    }
}

/// Other spellings that GenAI-Perf accepts or prints.
const OTHER_NAMES: &[(&str, Metric)] = &[
    ("request_goodput", Metric::Goodput),
    ("output_token_throughput_per_request", Metric::E2eOutputTokenThroughput),
    ("output_tokens_per_user", Metric::OutputTokenThroughputPerUser),
    ("ttft", Metric::TimeToFirstToken),
    ("itl", Metric::InterTokenLatency),
    ("tpot", Metric::TimePerOutputToken),
];

/// The metric of a name: its tag, or the spelling of an older tool. Case and `-` for `_` do not matter.
#[must_use]
pub fn find(name: &str) -> Option<Metric> {
    let name = name.trim().to_ascii_lowercase().replace('-', "_");
    let by_tag = Metric::ALL.iter().copied().find(|metric| metric.tag() == name);
    by_tag.or_else(|| OTHER_NAMES.iter().find(|(other, _)| *other == name).map(|(_, metric)| *metric))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn names_and_places_are_unique() {
        let tags: HashSet<_> = Metric::ALL.iter().map(|metric| metric.tag()).collect();
        assert_eq!(tags.len(), Metric::COUNT);
        let headers: HashSet<_> = Metric::ALL.iter().map(|metric| metric.definition().header).collect();
        assert_eq!(headers.len(), Metric::COUNT);
        let orders: Vec<_> = Metric::ALL
            .iter()
            .filter_map(|metric| match metric.definition().console {
                Main(order) | OpenLoop(order) => Some(order),
                Hidden => None,
            })
            .collect();
        assert_eq!(orders.iter().collect::<HashSet<_>>().len(), orders.len());
        for (i, metric) in Metric::ALL.iter().enumerate() {
            assert_eq!(metric.index(), i);
        }
    }

    #[test]
    fn every_metric_is_described() {
        for metric in Metric::ALL {
            let definition = metric.definition();
            assert!(definition.doc.ends_with('.'), "{}", definition.tag);
            assert!(definition.tag.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_'));
            assert!(!definition.header.is_empty() && !definition.short.is_empty());
        }
    }

    #[test]
    fn finds_tags_and_older_spellings() {
        assert_eq!(find("time_to_first_token"), Some(Metric::TimeToFirstToken));
        assert_eq!(find(" Request-Latency "), Some(Metric::RequestLatency));
        assert_eq!(find("request_goodput"), Some(Metric::Goodput));
        assert_eq!(find("speed"), None);
    }
}
