//! What the server counts, under the names that vLLM uses. Each server thread counts for itself; a scrape reads all.

use std::fmt::Write;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

const TTFT_BOUNDS: &[f64] = &[
    0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5, 10.0, 20.0, 40.0, 80.0,
    160.0, 640.0, 2560.0,
];
const GAP_BOUNDS: &[f64] =
    &[0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5, 10.0, 20.0, 40.0, 80.0];
const LATENCY_BOUNDS: &[f64] = &[
    0.3, 0.5, 0.8, 1.0, 1.5, 2.0, 2.5, 5.0, 10.0, 15.0, 20.0, 30.0, 40.0, 50.0, 60.0, 120.0, 240.0, 480.0, 960.0,
    1920.0, 7680.0,
];

/// A counter or gauge that one thread writes and others read.
#[derive(Debug, Default)]
pub(crate) struct Number(AtomicU64);

impl Number {
    pub(crate) fn add(&self, number: u64) {
        self.0.store(self.0.load(Relaxed) + number, Relaxed);
    }

    pub(crate) fn set(&self, number: u64) {
        self.0.store(number, Relaxed);
    }

    fn get(&self) -> u64 {
        self.0.load(Relaxed)
    }
}

/// A histogram of durations.
#[derive(Debug)]
pub(crate) struct Histogram {
    bounds: &'static [f64],
    /// One for each bound and one for what is above them all.
    counts: Vec<Number>,
    sum_ns: Number,
}

impl Histogram {
    fn new(bounds: &'static [f64]) -> Self {
        let counts = (0..=bounds.len()).map(|_| Number::default()).collect();
        Self { bounds, counts, sum_ns: Number::default() }
    }

    /// Adds `count` observations that took `total_ns` together, each the same share of it.
    pub(crate) fn observe(&self, total_ns: u64, count: u64) {
        if count == 0 {
            return;
        }
        let each = total_ns as f64 / count as f64 / 1e9;
        let at = self.bounds.partition_point(|bound| *bound < each);
        self.counts[at].add(count);
        self.sum_ns.add(total_ns);
    }

    fn push(&self, out: &mut String, name: &str, labels: &str) {
        let mut total = 0;
        for (at, count) in self.counts.iter().enumerate() {
            total += count.get();
            let bound = self.bounds.get(at).map_or("+Inf".to_owned(), |bound| format!("{bound:?}"));
            let _ = writeln!(out, "{name}_bucket{{{labels},le=\"{bound}\"}} {total}");
        }
        let _ = writeln!(out, "{name}_count{{{labels}}} {total}");
        let _ = writeln!(out, "{name}_sum{{{labels}}} {:?}", self.sum_ns.get() as f64 / 1e9);
    }
}

/// How an answer ended, in the engine's words.
pub(crate) const FINISHED_REASONS: [&str; 4] = ["stop", "length", "abort", "error"];

/// What one server thread counts.
#[derive(Debug)]
pub(crate) struct EngineMetrics {
    pub(crate) running: Number,
    pub(crate) waiting: Number,
    pub(crate) kv_used: Number,
    pub(crate) prompt_tokens: Number,
    pub(crate) generation_tokens: Number,
    pub(crate) cache_queries: Number,
    pub(crate) cache_hits: Number,
    /// By [`FINISHED_REASONS`].
    pub(crate) finished: [Number; 4],
    pub(crate) ttft: Histogram,
    pub(crate) gap: Histogram,
    pub(crate) latency: Histogram,
}

impl Default for EngineMetrics {
    fn default() -> Self {
        Self {
            running: Number::default(),
            waiting: Number::default(),
            kv_used: Number::default(),
            prompt_tokens: Number::default(),
            generation_tokens: Number::default(),
            cache_queries: Number::default(),
            cache_hits: Number::default(),
            finished: Default::default(),
            ttft: Histogram::new(TTFT_BOUNDS),
            gap: Histogram::new(GAP_BOUNDS),
            latency: Histogram::new(LATENCY_BOUNDS),
        }
    }
}

impl EngineMetrics {
    /// Counts a sequence that ended for one of [`FINISHED_REASONS`].
    pub(crate) fn finish(&self, reason: &str) {
        if let Some(at) = FINISHED_REASONS.iter().position(|known| *known == reason) {
            self.finished[at].add(1);
        }
    }
}

type Value = fn(&EngineMetrics, u64) -> String;
type Select = fn(&EngineMetrics) -> &Histogram;

const NUMBERS: &[(&str, &str, &str, Value)] = &[
    ("vllm:num_requests_running", "gauge", "Sequences in the batch.", |m, _| m.running.get().to_string()),
    ("vllm:num_requests_waiting", "gauge", "Sequences waiting for the batch.", |m, _| m.waiting.get().to_string()),
    ("vllm:kv_cache_usage_perc", "gauge", "Share of the KV cache in use, 0 to 1.", kv_usage),
    ("vllm:gpu_cache_usage_perc", "gauge", "The same under its older name.", kv_usage),
    ("vllm:prompt_tokens_total", "counter", "Prompt tokens read.", |m, _| m.prompt_tokens.get().to_string()),
    ("vllm:generation_tokens_total", "counter", "Tokens generated.", |m, _| m.generation_tokens.get().to_string()),
    ("vllm:prefix_cache_queries_total", "counter", "Tokens looked up in the prefix cache.", |m, _| {
        m.cache_queries.get().to_string()
    }),
    ("vllm:prefix_cache_hits_total", "counter", "Tokens found in the prefix cache.", |m, _| {
        m.cache_hits.get().to_string()
    }),
];

fn kv_usage(metrics: &EngineMetrics, kv_tokens: u64) -> String {
    let share = metrics.kv_used.get() as f64 / kv_tokens.max(1) as f64;
    format!("{:?}", share.min(1.0))
}

/// All that is counted, in the Prometheus text format.
pub(crate) fn exposition(engines: &[EngineMetrics], model: &str, kv_tokens: u64) -> String {
    let model = model.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    let labels: Vec<_> =
        (0..engines.len()).map(|engine| format!("engine=\"{engine}\",model_name=\"{model}\"")).collect();
    let mut out = String::new();
    for (name, kind, help, value) in NUMBERS {
        header(&mut out, name, kind, help);
        for (metrics, labels) in engines.iter().zip(&labels) {
            let _ = writeln!(out, "{name}{{{labels}}} {}", value(metrics, kv_tokens));
        }
    }
    let name = "vllm:request_success_total";
    header(&mut out, name, "counter", "Sequences that ended, by the reason.");
    for (metrics, labels) in engines.iter().zip(&labels) {
        for (reason, count) in FINISHED_REASONS.iter().zip(&metrics.finished) {
            let _ = writeln!(out, "{name}{{{labels},finished_reason=\"{reason}\"}} {}", count.get());
        }
    }
    let histograms: [(&str, &str, Select); 3] = [
        ("vllm:time_to_first_token_seconds", "From arrival to the first token.", |m| &m.ttft),
        ("vllm:inter_token_latency_seconds", "From one token to the next.", |m| &m.gap),
        ("vllm:e2e_request_latency_seconds", "From arrival to the last token.", |m| &m.latency),
    ];
    for (name, help, histogram) in histograms {
        header(&mut out, name, "histogram", help);
        for (metrics, labels) in engines.iter().zip(&labels) {
            histogram(metrics).push(&mut out, name, labels);
        }
    }
    out
}

fn header(out: &mut String, name: &str, kind: &str, help: &str) {
    let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} {kind}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn observations_fall_into_their_buckets() {
        let engines = [EngineMetrics::default()];
        engines[0].ttft.observe(5_000_000, 1);
        engines[0].ttft.observe(50_000_000, 2);
        engines[0].ttft.observe(3_000_000_000_000, 1);
        engines[0].finish("length");
        let text = exposition(&engines, "a\"b", 100);
        let labels = r#"engine="0",model_name="a\"b""#;
        for line in [
            format!(r#"vllm:time_to_first_token_seconds_bucket{{{labels},le="0.001"}} 0"#),
            format!(r#"vllm:time_to_first_token_seconds_bucket{{{labels},le="0.005"}} 1"#),
            format!(r#"vllm:time_to_first_token_seconds_bucket{{{labels},le="0.02"}} 1"#),
            format!(r#"vllm:time_to_first_token_seconds_bucket{{{labels},le="0.04"}} 3"#),
            format!(r#"vllm:time_to_first_token_seconds_bucket{{{labels},le="2560.0"}} 3"#),
            format!(r#"vllm:time_to_first_token_seconds_bucket{{{labels},le="+Inf"}} 4"#),
            format!(r#"vllm:time_to_first_token_seconds_count{{{labels}}} 4"#),
            format!(r#"vllm:time_to_first_token_seconds_sum{{{labels}}} 3000.055"#),
            format!(r#"vllm:request_success_total{{{labels},finished_reason="length"}} 1"#),
        ] {
            assert!(text.lines().any(|found| found == line), "{line}\n{text}");
        }
    }
}
