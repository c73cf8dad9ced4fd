//! Prompts from files.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::trace::TracePlan;

/// Formats of files with prompts or traces. Names are those of `--custom-dataset-type`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DatasetFormat {
    /// JSONL: one request per line.
    SingleTurn,
    /// JSONL: one conversation per line.
    MultiTurn,
    /// JSONL or a folder of them: pools to draw from.
    RandomPool,
    /// JSONL or a folder: whole request bodies.
    RawPayload,
    /// `inputs.json` of a run.
    InputsJson,
    /// JSONL: conversations that fork and spawn.
    DagJsonl,
    /// JSONL or a folder: Amazon SageMaker data capture.
    SagemakerDataCapture,
    /// JSONL: Mooncake trace.
    MooncakeTrace,
    /// JSONL: Bailian trace.
    BailianTrace,
    /// Parquet: Baseten trace.
    BasetenTrace,
    /// CSV: BurstGPT trace.
    BurstGptTrace,
    /// JSON: Weka agent traces.
    WekaTrace,
    /// JSONL: TraceLab agent rounds.
    Tracelab,
    /// CSV: Azure LLM inference trace.
    AzureTrace,
    /// JSON: ShareGPT conversations.
    Sharegpt,
    /// JSONL: OpenAI batch input.
    OpenaiBatch,
    /// JSON or JSONL: OpenTelemetry spans with GenAI attributes.
    OtelSpans,
    /// JSONL: GenAI-Perf's `payload:` files.
    GenaiPerfPayload,
    /// JSONL: SPEED-Bench splits.
    SpeedBench,
}

impl DatasetFormat {
    /// Every format.
    pub const ALL: [Self; 19] = [
        Self::SingleTurn,
        Self::MultiTurn,
        Self::RandomPool,
        Self::RawPayload,
        Self::InputsJson,
        Self::DagJsonl,
        Self::SagemakerDataCapture,
        Self::MooncakeTrace,
        Self::BailianTrace,
        Self::BasetenTrace,
        Self::BurstGptTrace,
        Self::WekaTrace,
        Self::Tracelab,
        Self::AzureTrace,
        Self::Sharegpt,
        Self::OpenaiBatch,
        Self::OtelSpans,
        Self::GenaiPerfPayload,
        Self::SpeedBench,
    ];

    /// The stable name, as in flags and files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::SingleTurn => "single_turn",
            Self::MultiTurn => "multi_turn",
            Self::RandomPool => "random_pool",
            Self::RawPayload => "raw_payload",
            Self::InputsJson => "inputs_json",
            Self::DagJsonl => "dag_jsonl",
            Self::SagemakerDataCapture => "sagemaker_data_capture",
            Self::MooncakeTrace => "mooncake_trace",
            Self::BailianTrace => "bailian_trace",
            Self::BasetenTrace => "baseten_trace",
            Self::BurstGptTrace => "burst_gpt_trace",
            Self::WekaTrace => "weka_trace",
            Self::Tracelab => "tracelab",
            Self::AzureTrace => "azure_trace",
            Self::Sharegpt => "sharegpt",
            Self::OpenaiBatch => "openai_batch",
            Self::OtelSpans => "otel_spans",
            Self::GenaiPerfPayload => "genai_perf_payload",
            Self::SpeedBench => "speed_bench",
        }
    }

    /// Whether rows are what was once sent, with lengths and times, so that trace options apply.
    #[must_use]
    pub const fn is_trace(self) -> bool {
        matches!(
            self,
            Self::MooncakeTrace
                | Self::BailianTrace
                | Self::BasetenTrace
                | Self::BurstGptTrace
                | Self::WekaTrace
                | Self::Tracelab
                | Self::AzureTrace
                | Self::SagemakerDataCapture
                | Self::OtelSpans
                | Self::GenaiPerfPayload
        )
    }
}

/// The order in which conversations are taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sampling {
    /// One after the other, from the first again after the last.
    #[default]
    Sequential,
    /// Any, each time anew.
    Random,
    /// All in a drawn order, then all in another.
    Shuffle,
}

/// A file or a folder with prompts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DatasetPlan {
    /// The file or folder.
    pub path: PathBuf,
    /// Its format; found out from its content if absent.
    pub format: Option<DatasetFormat>,
    /// Category or split within the format (SPEED-Bench), if the flag's value named one.
    pub split: Option<String>,
    /// Leave faulty lines out and count them.
    pub skip_bad_lines: bool,
    /// How traces are replayed.
    pub trace: TracePlan,
}

impl DatasetPlan {
    /// A file with nothing special.
    #[must_use]
    pub fn of(path: impl Into<PathBuf>, format: Option<DatasetFormat>) -> Self {
        Self { path: path.into(), format, split: None, skip_bad_lines: false, trace: TracePlan::default() }
    }
}

/// A public dataset.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PublicPlan {
    /// Its name, as in `--public-dataset`.
    pub name: String,
    /// Subset in place of the dataset's usual one.
    pub subset: Option<String>,
    /// `key=value` filters.
    pub filters: Vec<(String, String)>,
    /// Repository for `weka_hf`.
    pub repository: Option<String>,
    /// A file or folder that has been downloaded before.
    pub path: Option<PathBuf>,
    /// How traces are replayed.
    pub trace: TracePlan,
}
