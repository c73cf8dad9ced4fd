//! A plan for the tests.

use tokamark_conversation::Turn;
use tokamark_plan::{
    Arrival, ConnectMode, EndpointKind, ExportLevel, FailureTolerance, LengthDistribution, LoadPlan, ModelSelection,
    Plan, ProxyPlan, ReportPlan, Reuse, Source, SyntheticPlan, TargetPlan, TlsPlan, Ui, WorkloadPlan,
};
use tokamark_tokenizer::{Resolved, Tokenizer};
use tokamark_workload::Workload;

use crate::vocabularies::{bpe_json, word_json};

/// A plan of synthetic prompts, counted by the compiled-in tokenizer.
pub(crate) fn plan(mean: f64, stddev: f64, seed: u64) -> Plan {
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
            session_count: None,
            duration_s: None,
            grace_s: None,
            warmup_requests: 0,
            seed,
            seed_given: true,
            workers: None,
        },
        workload: WorkloadPlan::prompts(LengthDistribution::normal(mean, stddev)),
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

/// The texts of a turn.
pub(crate) fn texts(turn: &Turn) -> Vec<String> {
    turn.texts().map(str::to_owned).collect()
}

/// All of a turn's text.
pub(crate) fn text_of(turn: &Turn) -> String {
    texts(turn).concat()
}

/// The workload of a plan with a tokenizer.
pub(crate) fn workload_of(plan: &Plan, tokenizer: &Tokenizer) -> Workload {
    let resolved = Resolved { tokenizer: tokenizer.clone(), is_fallback: false };
    Workload::with_tokenizer(plan, resolved).unwrap()
}

/// The part of a plan that says how prompts are made.
pub(crate) fn synthetic_of(plan: &mut Plan) -> &mut SyntheticPlan {
    match &mut plan.workload.source {
        Source::Synthetic(synthetic) => synthetic,
        _ => unreachable!("the plan is of synthetic prompts"),
    }
}

/// The compiled-in tokenizer, one that merges across words, one of single letters, and one of whole words.
pub(crate) fn tokenizers() -> Vec<Tokenizer> {
    let hugging_face =
        |name: &str, json: serde_json::Value| Tokenizer::from_json(name, json.to_string().as_bytes()).unwrap();
    vec![
        Tokenizer::builtin(),
        hugging_face("bpe", bpe_json(&["able", "about", "and", "river", "the the", "a t", "e r"])),
        hugging_face("letters", bpe_json(&[])),
        hugging_face("words", word_json(&["able", "river"], Some("?"))),
        wide(),
    ]
}

/// A unigram tokenizer that has every word as one token, with a space before it and without, and a token that crosses words.
pub(crate) fn wide() -> Tokenizer {
    let signs = (' '..='~').map(|sign| (if sign == ' ' { "▁".to_owned() } else { sign.to_string() }, -10.0));
    let words = include_str!("../../src/text/words.txt").split_whitespace();
    let words = words.flat_map(|word| [(word.to_owned(), -1.0), (format!("▁{word}"), -1.0)]);
    let crossing = [("able▁able".to_owned(), -0.5), ("\n".to_owned(), -10.0)];
    let unknown = ("<unk>".to_owned(), -20.0);
    let mut known = std::collections::HashSet::new();
    let vocab: Vec<(String, f64)> = [unknown]
        .into_iter()
        .chain(words)
        .chain(signs)
        .chain(crossing)
        .filter(|(text, _)| known.insert(text.clone()))
        .collect();
    let json = serde_json::json!({
        "version": "1.0", "truncation": null, "padding": null, "added_tokens": [],
        "normalizer": {"type": "Replace", "pattern": {"String": " "}, "content": "▁"},
        "pre_tokenizer": null, "post_processor": null,
        "decoder": {"type": "Replace", "pattern": {"String": "▁"}, "content": " "},
        "model": {"type": "Unigram", "unk_id": 0, "vocab": vocab, "byte_fallback": false},
    });
    Tokenizer::from_json("wide", json.to_string().as_bytes()).unwrap()
}
