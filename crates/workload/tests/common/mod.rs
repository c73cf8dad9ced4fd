//! Plans and small tokenizers for the tests.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use tokamark_plan::{
    Arrival, ConnectMode, EndpointKind, ExportLevel, FailureTolerance, LengthDistribution, LoadPlan, ModelSelection,
    Plan, ProxyPlan, ReportPlan, Reuse, Source, TargetPlan, TlsPlan, TokenizerPlan, Ui, WorkloadPlan,
};

/// A plan of synthetic prompts, counted by the compiled-in tokenizer.
pub fn plan(mean: f64, stddev: f64, seed: u64) -> Plan {
    Plan {
        target: TargetPlan {
            urls: vec!["http://localhost:8000/v1/chat/completions".into()],
            endpoint: EndpointKind::Chat,
            models: vec!["m".into()],
            model_selection: ModelSelection::RoundRobin,
            streaming: true,
            api_key: None,
            headers: Vec::new(),
            extra_inputs: serde_json::Map::new(),
            request_timeout_s: 600.0,
            use_server_token_count: false,
            legacy_max_tokens: false,
            connect: ConnectMode::Ahead,
            reuse: Reuse::Pooled,
            wait_for_model_s: 0.0,
            tls: TlsPlan::default(),
            proxy: ProxyPlan::default(),
        },
        load: LoadPlan {
            concurrency: Some(1),
            request_rate: None,
            arrival: Arrival::Poisson,
            request_count: Some(10),
            duration_s: None,
            grace_s: None,
            warmup_requests: 0,
            seed,
            seed_given: true,
            workers: None,
        },
        workload: WorkloadPlan {
            source: Source::Synthetic { input_tokens: LengthDistribution { mean, stddev } },
            output_tokens: None,
            entries: None,
            batch_size: 1,
            tokenizer: TokenizerPlan { name: Some("builtin".into()), revision: "main".into() },
        },
        report: ReportPlan {
            goodput: Vec::new(),
            slice_s: None,
            artifact_dir: None,
            prefix: "profile_export".into(),
            export_level: ExportLevel::Records,
            outputs_json: false,
            events_parquet: false,
            ui: Ui::None,
            verbosity: 0,
            allow_failed: FailureTolerance::default(),
            strict: false,
        },
    }
}

/// A `tokenizer.json` of byte-pair encoding over characters, whose merges spell out the given words, each with a space
/// before it. Spaces are written as `▁`; nothing splits the text beforehand, so that merges may cross words.
pub fn bpe_json(words: &[&str]) -> Value {
    let mut vocab: BTreeSet<String> = (' '..='~').map(|c| if c == ' ' { "▁".into() } else { c.to_string() }).collect();
    vocab.insert("<unk>".into());
    let mut merges = Vec::new();
    for word in words {
        let mut left = String::from("▁");
        for letter in word.chars() {
            let joined = format!("{left}{letter}");
            if vocab.insert(joined.clone()) {
                merges.push(json!([left, letter.to_string()]));
            }
            left = joined;
        }
    }
    let vocab: Value =
        vocab.into_iter().enumerate().map(|(id, token)| (token, json!(id))).collect::<serde_json::Map<_, _>>().into();
    json!({
        "version": "1.0",
        "truncation": {"direction": "Right", "max_length": 16, "strategy": "LongestFirst", "stride": 0},
        "padding": {"strategy": {"Fixed": 32}, "direction": "Right", "pad_to_multiple_of": null, "pad_id": 0, "pad_type_id": 0, "pad_token": "<unk>"},
        "added_tokens": [],
        "normalizer": {"type": "Replace", "pattern": {"String": " "}, "content": "▁"},
        "pre_tokenizer": null,
        "post_processor": null,
        "decoder": {"type": "Replace", "pattern": {"String": "▁"}, "content": " "},
        "model": {
            "type": "BPE", "dropout": null, "unk_token": "<unk>", "continuing_subword_prefix": null,
            "end_of_word_suffix": null, "fuse_unk": false, "byte_fallback": false, "vocab": vocab, "merges": merges,
        },
    })
}

/// A `tokenizer.json` that knows whole words, split at spaces.
pub fn word_json(words: &[&str], unknown: Option<&str>) -> Value {
    let vocab: serde_json::Map<String, Value> =
        unknown.iter().chain(words).enumerate().map(|(id, word)| ((*word).to_owned(), json!(id))).collect();
    json!({
        "version": "1.0", "truncation": null, "padding": null, "added_tokens": [], "normalizer": null,
        "pre_tokenizer": {"type": "Whitespace"}, "post_processor": null, "decoder": null,
        "model": {"type": "WordLevel", "vocab": vocab, "unk_token": unknown.unwrap_or("<missing>")},
    })
}
