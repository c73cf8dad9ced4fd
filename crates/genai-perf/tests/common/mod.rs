//! Small exports made by hand. All times are milliseconds after `START`.

#![allow(dead_code, unreachable_pub, reason = "each test file uses a part of it")]
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::path::PathBuf;

use serde_json::{Value, json};
use tokamark_genai_perf::{Fidelity, Metric, Options, Recorded, read_export};
use tokamark_tokenizer::Tokenizer;

pub const START: u64 = 1_796_082_604_000_000_000;

/// A request sent at a time, with its body and the reads of its answer.
pub fn request(sent: u64, payload: &Value, reads: &[(u64, &str)]) -> Value {
    let at = |ms: u64| START + ms * 1_000_000;
    json!({
        "timestamp": at(sent),
        "request_inputs": {"payload": payload.to_string()},
        "response_timestamps": reads.iter().map(|(ms, _)| at(*ms)).collect::<Vec<_>>(),
        "response_outputs": reads.iter().map(|(_, text)| json!({"response": text})).collect::<Vec<_>>(),
    })
}

/// A streamed chat whose prompt has two tokens.
pub fn chat(sent: u64, reads: &[(u64, &str)]) -> Value {
    let payload = json!({"model": "m", "messages": [{"role": "user", "content": " the king"}], "stream": true});
    request(sent, &payload, reads)
}

/// A stream event with some content.
pub fn chunk(text: &str) -> String {
    let object = json!({"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"content": text}}]});
    format!("data: {object}\n\n")
}

pub struct Export {
    pub folder: tempfile::TempDir,
    pub path: PathBuf,
}

pub fn export(service: &str, endpoint: &str, requests: &[Value]) -> Export {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("profile_export.json");
    let whole = json!({
        "experiments": [{
            "experiment": {"mode": "concurrency", "value": 1}, "requests": requests, "window_boundaries": [1, 2],
        }],
        "version": "0.0.0", "service_kind": service, "endpoint": endpoint,
    });
    std::fs::write(&path, whole.to_string()).unwrap();
    Export { folder, path }
}

pub fn chats(requests: &[Value]) -> Export {
    export("openai", "v1/chat/completions", requests)
}

impl Export {
    pub fn read(&self, fidelity: Fidelity) -> Recorded {
        self.read_with(&Options { fidelity, ..Options::default() })
    }

    pub fn read_with(&self, options: &Options) -> Recorded {
        Recorded::of(&read_export(&self.path).unwrap(), &Tokenizer::builtin(), options).unwrap()
    }
}

/// A statistic, NaN if there is none.
pub fn stat(recorded: &Recorded, metric: Metric, name: &str) -> f64 {
    recorded.summary.values.get(metric).and_then(|value| value.stat(name)).unwrap_or(f64::NAN)
}

pub fn avg(recorded: &Recorded, metric: Metric) -> f64 {
    stat(recorded, metric, "avg")
}

pub fn assert_near(ours: f64, expected: f64) {
    assert!((ours - expected).abs() <= 1e-12 * expected.abs().max(1.0), "{ours} for {expected}");
}
