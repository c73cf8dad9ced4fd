//! A simulated server, a plan for it, and a look at the files of a run.
#![allow(dead_code, reason = "each test binary uses its part")]

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use tokamark_plan::*;
use tokamark_run::{Control, Finished, Observer, profile};
use tokamark_sim::Server;

/// A server with these options, such as `event-rate=inf&ttft=0`.
pub(crate) fn serve(options: &str) -> (Server, String) {
    let config = format!("sim:?{options}").parse().unwrap();
    let server = Server::start(config, "127.0.0.1:0".parse().unwrap()).unwrap();
    let url = format!("http://{}/v1/chat/completions", server.addr());
    (server, url)
}

/// A server that answers at once.
pub(crate) fn serve_fast() -> (Server, String) {
    serve("event-rate=inf&ttft=0")
}

/// `count` requests of 20 tokens for 5, two at a time by one worker, with all files.
pub(crate) fn plan(url: &str, count: u64, folder: &Path) -> Plan {
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
            concurrency: Some(2),
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
            output_tokens: Some(LengthDistribution::fixed(5.0)),
            ..WorkloadPlan::prompts(LengthDistribution::fixed(20.0))
        },
        report: ReportPlan {
            goodput: Vec::new(),
            slice_s: None,
            artifact_dir: Some(folder.to_owned()),
            prefix: "profile_export".to_owned(),
            export_level: ExportLevel::Records,
            outputs_json: true,
            events_parquet: false,
            ui: Ui::None,
            verbosity: 0,
            allow_failed: FailureTolerance::default(),
            strict: false,
        },
    }
}

/// Keeps what it is told.
#[derive(Default)]
pub(crate) struct Notes(pub(crate) Vec<String>);

impl Observer for Notes {
    fn started(&mut self, _control: &Control) {}
    fn ended(&mut self) {}
    fn note(&mut self, text: &str) {
        self.0.push(text.to_owned());
    }
    fn detail(&mut self, _text: &str) {}
}

/// Carries the plan out; nothing may go wrong.
pub(crate) fn run(plan: &Plan) -> Finished {
    let finished = profile(plan, vec!["tokamark".to_owned()], &mut Notes::default()).unwrap();
    assert!(finished.error.is_none(), "{:?}", finished.error);
    finished
}

/// Asks the server not to count tokens.
pub(crate) fn without_usage(mut plan: Plan) -> Plan {
    plan.target.extra_inputs.insert("stream_options".to_owned(), json!({"include_usage": false}));
    plan
}

/// A file's JSON.
pub(crate) fn json_of(path: &Path) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

/// The rows of a run, warm-up included.
pub(crate) fn all_rows(folder: &Path) -> Vec<Value> {
    let text = fs::read_to_string(folder.join("profile_export.jsonl")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The measured rows of a run.
pub(crate) fn rows(folder: &Path) -> Vec<Value> {
    all_rows(folder).into_iter().filter(|row| row["metadata"]["benchmark_phase"] == "profiling").collect()
}

/// The values of a metric in rows, where they have it.
pub(crate) fn values(rows: &[Value], tag: &str) -> Vec<f64> {
    rows.iter().filter_map(|row| row["metrics"][tag]["value"].as_f64()).collect()
}

/// The names of the conversations in `inputs.json`, in order.
pub(crate) fn inputs(folder: &Path) -> Vec<String> {
    let inputs = json_of(&folder.join("inputs.json"));
    inputs["data"].as_array().unwrap().iter().map(|entry| entry["session_id"].as_str().unwrap().to_owned()).collect()
}
