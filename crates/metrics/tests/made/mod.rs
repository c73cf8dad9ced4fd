//! Plans, runs and requests made by hand. Times are milliseconds since the start of the clock.
#![allow(dead_code, reason = "each test binary uses a part of it")]

use serde_json::Map;
use tokamark_plan::*;
use tokamark_record::*;
use tokamark_wire::{EventFlags, Usage};

pub(crate) const WALL_START: u64 = 1_796_082_929_000_000_000;

pub(crate) fn ns(ms: f64) -> u64 {
    (ms * 1e6).round() as u64
}

pub(crate) fn plan() -> Plan {
    Plan {
        target: TargetPlan {
            urls: vec!["http://127.0.0.1:8000/v1/chat/completions".into()],
            endpoint: EndpointKind::Chat,
            models: vec!["m".into()],
            model_selection: ModelSelection::RoundRobin,
            streaming: true,
            api_key: Some(Secret("hidden-key".into())),
            headers: Vec::new(),
            extra_inputs: Map::new(),
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
            arrival: Arrival::Constant,
            request_count: Some(10),
            session_count: None,
            duration_s: None,
            grace_s: None,
            warmup_requests: 0,
            seed: 7,
            seed_given: true,
            workers: None,
        },
        workload: WorkloadPlan {
            tokenizer: TokenizerPlan { name: None, ..TokenizerPlan::builtin() },
            ..WorkloadPlan::prompts(LengthDistribution::fixed(550.0))
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
            allow_failed: FailureTolerance::Count(0),
            strict: false,
        },
    }
}

pub(crate) fn facts(plan: &Plan) -> RunFacts {
    RunFacts {
        tokamark_version: "0.1.0".into(),
        run_id: "0123456789ab".into(),
        command: ["tokamark", "profile", "-m", "m"].map(String::from).to_vec(),
        plan: plan.clone(),
        anchor_start: Anchor { monotonic_ns: 0, wall_ns: WALL_START },
        anchor_end: Anchor { monotonic_ns: ns(5000.0), wall_ns: WALL_START + ns(5000.0) },
        ready_ns: None,
        stop_requested_ns: None,
        warmup: None,
        profiling: PhaseSpan { start_ns: 0, sent_ns: ns(4000.0), end_ns: ns(5000.0) },
        stop: StopReason::Completed,
        tokenizer: "builtin (o200k)".into(),
        tokenizer_is_fallback: false,
        workload_digest: "d1ge57".into(),
        prompts_are_distinct: true,
        skipped_lines: 0,
        workers: 1,
        peak_in_flight: 1,
        kernel_timestamps: true,
        unstamped_reads: 0,
        reads: 100,
        connections: 1,
        client: ClientLoad {
            cpu_user_s: 0.2,
            cpu_system_s: 0.1,
            cores: 2,
            peak_rss_bytes: 12 << 20,
            open_files: 20,
            open_files_limit: 1024,
            ephemeral_ports: Some(28_232),
        },
    }
}

/// A request that is made step by step.
pub(crate) struct Made(RequestRecord);

impl Made {
    /// Due and sent at `ms`.
    pub(crate) fn sent(seq: u64, ms: f64) -> Self {
        let at = ns(ms);
        Self(RequestRecord {
            seq,
            phase: Phase::Profiling,
            worker: 0,
            session: seq,
            turn: 0,
            dataset_row: seq,
            url_index: 0,
            model_index: 0,
            attempt: 0,
            connection_reused: false,
            times: Times {
                scheduled: at,
                slot: at,
                send_start: Some(at),
                send_end: Some(at),
                end: at,
                ..Times::default()
            },
            bytes_out: 512,
            bytes_in: 2048,
            status: 200,
            requested_output_tokens: None,
            local_input_tokens: None,
            local_output_tokens: None,
            local_reasoning_tokens: None,
            usage: None,
            finish_reason: None,
            streamed: true,
            outcome: Outcome::Ok,
            events: Vec::new(),
            text: String::new(),
        })
    }

    pub(crate) fn with(mut self, change: impl FnOnce(&mut RequestRecord)) -> Self {
        change(&mut self.0);
        self
    }

    pub(crate) fn due(self, ms: f64) -> Self {
        self.with(|record| {
            record.times.scheduled = ns(ms);
            record.times.slot = ns(ms);
        })
    }

    pub(crate) fn event(mut self, ms: f64, flags: EventFlags, text: &str) -> Self {
        let at = ns(ms);
        let len = text.len() as u32;
        self.0.events.push(Event {
            arrival: at,
            read: at + 20_000,
            read_number: self.0.events.len() as u32,
            bytes: 200,
            flags,
            reasoning_len: if flags.has(EventFlags::REASONING) { len } else { 0 },
            content_len: if flags.has(EventFlags::CONTENT) { len } else { 0 },
            tool_len: if flags.has(EventFlags::TOOL) { len } else { 0 },
        });
        self.0.text.push_str(text);
        self.0.times.headers.get_or_insert(at);
        self.0.times.first_byte.get_or_insert(at);
        self.0.times.end = at;
        self
    }

    pub(crate) fn content(self, ms: f64, text: &str) -> Self {
        self.event(ms, EventFlags::CONTENT, text)
    }

    pub(crate) fn usage(self, prompt: u64, completion: u64) -> Self {
        self.with(|record| {
            record.usage = Some(Usage {
                prompt: Some(prompt),
                completion: Some(completion),
                total: Some(prompt + completion),
                ..record.usage.unwrap_or_default()
            });
        })
    }

    pub(crate) fn failed(
        self,
        ms: f64,
        kind: FailureKind,
        code: Option<&str>,
        label: Option<&str>,
        message: &str,
    ) -> Self {
        self.with(|record| {
            record.times.end = ns(ms);
            record.outcome = Outcome::Failed(Failure {
                kind,
                code: code.map(str::to_owned),
                label: label.map(str::to_owned),
                message: message.to_owned(),
            });
        })
    }

    pub(crate) fn done(self) -> RequestRecord {
        self.0
    }
}

/// An answer of `n` one-token events from `first` on, `gap` apart.
pub(crate) fn answer(seq: u64, sent: f64, first: f64, gap: f64, n: u64) -> RequestRecord {
    (0..n).fold(Made::sent(seq, sent).usage(10, n), |made, i| made.content(first + gap * i as f64, "A")).done()
}

/// The request of the worked example: twelve tools give twelve answers for it.
pub(crate) fn worked_example() -> RequestRecord {
    Made::sent(0, 5.0)
        .due(0.0)
        .event(105.0, EventFlags::ROLE, "")
        .content(110.0, "a")
        .content(130.0, "b")
        .content(150.0, "c d")
        .content(170.0, "e")
        .event(171.0, EventFlags::FINISH | EventFlags::EMPTY, "")
        .event(172.0, EventFlags::USAGE, "")
        .event(172.5, EventFlags::DONE, "")
        .usage(7, 5)
        .with(|record| {
            record.times.end = ns(173.0);
            record.requested_output_tokens = Some(8);
            record.finish_reason = Some("stop".into());
        })
        .done()
}
