//! GenAI-Perf's figures and files: from a run that perf_analyzer recorded, or from a run of our own.
//!
//! [`read_export`] opens a recorded run, [`Recorded::of`] computes its figures, and a [`Report`] of them with an
//! [`InputConfig`] writes the JSON, CSV and console tables. [`Accumulator`] takes the requests of a run of our own.
//!
//! ```no_run
//! # use std::path::Path;
//! # use tokamark_genai_perf::{InputConfig, Options, Recorded, Report, Telemetry, read_export};
//! # fn report(tokenizer: &tokamark_tokenizer::Tokenizer) -> Result<(), tokamark_genai_perf::GenAiPerfError> {
//! let export = read_export(Path::new("profile_export.json"))?;
//! let run = Recorded::of(&export, tokenizer, &Options::default())?;
//! let config = InputConfig::of_recorded(&export, &run, tokenizer.name());
//! let report = Report { summary: &run.summary, config: &config, telemetry: &Telemetry::default(), extras: &[] };
//! report.write_files(Path::new("out"))?;
//! print!("{}", report.console());
//! # Ok(())
//! # }
//! ```
//!
//! Where this differs from GenAI-Perf 0.0.16, and why, is in `DEVIATIONS.md` beside this crate.

mod answer;
mod config;
mod endpoint_type;
mod error;
mod export;
mod figures;
mod goodput;
mod inputs_json;
mod live;
mod merged;
mod metric;
mod number_text;
mod plots;
mod prompt;
mod python_json;
mod recorded;
mod report;
mod stats;
mod summary;
mod telemetry;

pub use answer::Fidelity;
pub use config::{
    AnalyzeSection, AudioConfig, Blank, EndpointSection, ImageConfig, InputConfig, InputSection, Length, Measurement,
    OutputSection, OutputTokens, PerfAnalyzerSection, PrefixPrompt, ProcessSection, Sessions, SyntheticTokens,
    TokenizerSection, TurnDelay,
};
pub use endpoint_type::{EndpointType, Figures};
pub use error::GenAiPerfError;
pub use export::{
    Api, Experiment, ExportHead, ExportReader, ExportRequest, ProfileExportWriter, RawText, ResponseOutput, read_export,
};
pub use figures::RequestFigures;
pub use inputs_json::{Input, InputsWriter};
pub use live::{LiveRun, Sent};
pub use merged::{Merge, Merged};
pub use metric::Metric;
pub use plots::{PlotData, SweepMark, sweep_figures};
pub use recorded::{Options, Recorded};
pub use report::{AnalyzePoint, Extra, Report, sweep_table, write_analyze_csv};
pub use stats::{PERCENTILES, Spread};
pub use summary::{Accumulator, Counts, Summary, Throughputs, Value, Values};
pub use telemetry::{GpuMetric, GpuValue, Telemetry, TelemetrySamples};
