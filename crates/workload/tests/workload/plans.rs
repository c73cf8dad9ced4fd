//! A plan for the tests.

use tokamark_conversation::Turn;
use tokamark_plan::{
    Arrival, ConnectMode, EndpointKind, ExportLevel, FailureTolerance, LengthDistribution, LoadPlan, ModelSelection,
    Plan, ProxyPlan, ReportPlan, Reuse, TargetPlan, TlsPlan, Ui, WorkloadPlan,
};

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
