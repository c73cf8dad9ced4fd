//! `input_config`: how the run was asked for, as the JSON report echoes it. The order of fields is that of the file.

mod folder;
mod inferred;
mod input;
mod optional;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Number, Value};

pub use input::{
    AudioConfig, ImageConfig, InputSection, Length, OutputTokens, PrefixPrompt, Sessions, SyntheticTokens, TurnDelay,
};
pub use optional::Blank;

use crate::EndpointType;

/// The whole echo.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct InputConfig {
    /// The models, in the order of the command line.
    pub model_names: Vec<String>,
    /// `profile`, `analyze` or `process`.
    pub subcommand: String,
    /// `-v`.
    pub verbose: bool,
    /// File of `create-template`.
    pub template_filename: String,
    /// What is swept.
    pub analyze: AnalyzeSection,
    /// Where requests go.
    pub endpoint: EndpointSection,
    /// How load is made.
    pub perf_analyzer: PerfAnalyzerSection,
    /// What is sent.
    pub input: InputSection,
    /// Where files go.
    pub output: OutputSection,
    /// What counts tokens.
    pub tokenizer: TokenizerSection,
    /// What is merged.
    pub process: ProcessSection,
}

/// What is swept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AnalyzeSection {
    /// A range `{min, max}` or a list of values for each parameter.
    pub sweep_parameters: Map<String, Value>,
}

/// Where requests go.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EndpointSection {
    /// `round_robin` or `random`.
    pub model_selection_strategy: String,
    /// `tensorrtllm` or `vllm`.
    pub backend: String,
    /// The path of the endpoint.
    pub custom: String,
    /// The endpoint type.
    #[serde(rename = "type")]
    pub kind: EndpointType,
    /// Answers are streamed.
    pub streaming: bool,
    /// Where GPU telemetry is read.
    pub server_metrics_urls: Vec<String>,
    /// The server.
    pub url: String,
    /// The method, for dynamic gRPC.
    pub grpc_method: String,
    /// `openai`, `triton`, `tensorrtllm_engine` or `dynamic_grpc`.
    pub service_kind: String,
    /// The layout of requests.
    pub output_format: String,
}

/// How load is made.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PerfAnalyzerSection {
    /// The program.
    pub path: String,
    /// Its output is shown.
    pub verbose: bool,
    /// The kind of load and its level.
    pub stimulus: Map<String, Value>,
    /// When windows count as stable; a whole number unless the user gave it.
    pub stability_percentage: Number,
    /// How long it is measured.
    pub measurement: Measurement,
    /// Requests before that.
    pub warmup_request_count: u64,
}

/// How long it is measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measurement {
    /// `request_count` or `interval`.
    pub mode: String,
    /// Requests, or milliseconds.
    pub num: Blank<u64>,
}

/// Where files go.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OutputSection {
    /// The folder of run folders.
    pub artifact_directory: String,
    /// The folder of `checkpoint.json`.
    pub checkpoint_directory: String,
    /// The name of the raw record.
    pub profile_export_file: String,
    /// Plots are drawn.
    pub generate_plots: bool,
    /// Finished points of a sweep are remembered.
    pub enable_checkpointing: bool,
}

/// What counts tokens.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TokenizerSection {
    /// Its name or folder.
    pub name: String,
    /// Its revision on the hub.
    pub revision: String,
    /// Code of the hub may be run.
    pub trust_remote_code: bool,
    /// A switch of GenAI-Perf's own.
    #[serde(rename = "_enable_debug_logging")]
    pub enable_debug_logging: bool,
}

/// What is merged.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProcessSection {
    /// The folder of run folders.
    pub input_path: String,
}

impl Default for InputConfig {
    /// What a command line without options gives, for a chat endpoint.
    fn default() -> Self {
        let kind = EndpointType::Chat;
        let (min, max) = (Value::from(1), Value::from(1024));
        let range = Map::from_iter([("min".to_owned(), min), ("max".to_owned(), max)]);
        Self {
            model_names: Vec::new(),
            subcommand: "profile".to_owned(),
            verbose: false,
            template_filename: "genai_perf_config.yaml".to_owned(),
            analyze: AnalyzeSection {
                sweep_parameters: Map::from_iter([("concurrency".to_owned(), Value::Object(range))]),
            },
            endpoint: EndpointSection {
                model_selection_strategy: "round_robin".to_owned(),
                backend: "tensorrtllm".to_owned(),
                custom: "v1/chat/completions".to_owned(),
                kind,
                streaming: false,
                server_metrics_urls: vec!["http://localhost:9400/metrics".to_owned()],
                url: "localhost:8001".to_owned(),
                grpc_method: String::new(),
                service_kind: kind.service_kind().to_owned(),
                output_format: kind.output_format("tensorrtllm").to_owned(),
            },
            perf_analyzer: PerfAnalyzerSection {
                path: "perf_analyzer".to_owned(),
                verbose: false,
                stimulus: Map::from_iter([("concurrency".to_owned(), Value::from(1))]),
                stability_percentage: Number::from(999),
                measurement: Measurement { mode: "request_count".to_owned(), num: Blank(Some(10)) },
                warmup_request_count: 0,
            },
            input: InputSection::default(),
            output: OutputSection {
                artifact_directory: "artifacts".to_owned(),
                checkpoint_directory: "checkpoint".to_owned(),
                profile_export_file: "profile_export.json".to_owned(),
                generate_plots: false,
                enable_checkpointing: false,
            },
            tokenizer: TokenizerSection {
                name: String::new(),
                revision: "main".to_owned(),
                trust_remote_code: false,
                enable_debug_logging: true,
            },
            process: ProcessSection { input_path: "aggregated".to_owned() },
        }
    }
}
