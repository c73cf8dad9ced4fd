//! Plans made by hand.

use tokamark_plan::*;

/// One request at a time, `count` in all, one worker.
pub(crate) fn plan(url: &str, count: u64) -> Plan {
    Plan {
        target: TargetPlan {
            urls: vec![url.to_owned()],
            endpoint: EndpointKind::Chat,
            models: vec!["m".to_owned()],
            model_selection: ModelSelection::RoundRobin,
            streaming: true,
            api_key: None,
            headers: Vec::new(),
            extra_inputs: Default::default(),
            request_timeout_s: 60.0,
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
            arrival: Arrival::Constant,
            request_count: Some(count),
            session_count: None,
            duration_s: None,
            grace_s: None,
            warmup_requests: 0,
            seed: 1,
            seed_given: true,
            workers: Some(1),
        },
        workload: WorkloadPlan {
            tokenizer: TokenizerPlan { name: None, ..TokenizerPlan::builtin() },
            ..WorkloadPlan::prompts(LengthDistribution::fixed(1.0))
        },
        report: ReportPlan {
            goodput: Vec::new(),
            slice_s: None,
            artifact_dir: None,
            prefix: "profile_export".to_owned(),
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

/// The same, opening connections when they are needed.
pub(crate) fn lazy_plan(url: &str, count: u64) -> Plan {
    let mut plan = plan(url, count);
    plan.target.connect = ConnectMode::Lazy;
    plan
}

/// A closed loop of so many slots.
pub(crate) fn slots(mut plan: Plan, concurrency: u32, workers: u16) -> Plan {
    plan.load.concurrency = Some(concurrency);
    plan.load.workers = Some(workers);
    plan
}

/// Constant arrivals.
pub(crate) fn rate(mut plan: Plan, per_second: f64, cap: Option<u32>, workers: u16) -> Plan {
    plan.load.request_rate = Some(per_second);
    plan.load.concurrency = cap;
    plan.load.workers = Some(workers);
    plan
}
