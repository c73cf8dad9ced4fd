//! `process-export-files`: the runs of several machines as one.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use tokamark_tokenizer::Tokenizer;

use crate::export::{ExportHead, ProfileExportWriter};
use crate::{
    ExportReader, Fidelity, GenAiPerfError, InputConfig, Options, Recorded, Report, Telemetry, Throughputs, read_export,
};

/// The files of one run.
#[derive(Clone, Debug, PartialEq, Eq)]
struct RunFiles {
    export: PathBuf,
    report: PathBuf,
}

/// Runs that are to be one.
#[derive(Clone, Debug)]
pub struct Merge {
    runs: Vec<RunFiles>,
    /// How the first run was asked for, and how this command; the tokenizer is needed to count again.
    pub config: InputConfig,
    /// The sums of the runs' throughputs, whether or not they ran at the same time.
    pub throughputs: Throughputs,
    /// Means or maxima over the runs.
    pub telemetry: Telemetry,
}

/// What came of a merge.
#[derive(Clone, Debug)]
pub struct Merged {
    /// The folder that the files are in.
    pub folder: PathBuf,
    /// The figures of all runs.
    pub recorded: Recorded,
    /// How the first run was asked for.
    pub config: InputConfig,
    /// The GPUs of all runs.
    pub telemetry: Telemetry,
}

impl Merged {
    /// The report of all runs.
    #[must_use]
    pub fn report(&self) -> Report<'_> {
        Report { summary: &self.recorded.summary, config: &self.config, telemetry: &self.telemetry, extras: &[] }
    }
}

impl Merge {
    /// Finds the runs in the folders within `input`, in the order of their names.
    ///
    /// # Errors
    /// There are none, or a report cannot be read.
    pub fn open(input: &Path) -> Result<Self, GenAiPerfError> {
        let runs = find(input)?;
        let mut config = None;
        let mut throughputs = Throughputs::default();
        let mut telemetry = Vec::new();
        for run in &runs {
            let report = read_report(&run.report)?;
            let avg = |name: &str| report.get(name).and_then(|value| value.get("avg")).and_then(Value::as_f64);
            throughputs.requests += avg("request_throughput").unwrap_or(0.0);
            throughputs.output_tokens += avg("output_token_throughput").unwrap_or(0.0);
            telemetry.extend(report.get("telemetry_stats").and_then(Value::as_object).map(Telemetry::of_json));
            if config.is_none() {
                let echo = report.get("input_config").cloned().unwrap_or_default();
                config =
                    Some(InputConfig::of_json(echo).map_err(|error| GenAiPerfError::json(&run.report, None, error))?);
            }
        }
        let first = config.ok_or_else(|| GenAiPerfError::NothingToMerge { path: input.to_owned() })?;
        // The rest is that of this command.
        let mut config = InputConfig {
            model_names: first.model_names,
            subcommand: "process".to_owned(),
            endpoint: first.endpoint,
            perf_analyzer: first.perf_analyzer,
            input: first.input,
            tokenizer: first.tokenizer,
            ..InputConfig::default()
        };
        config.process.input_path = input.display().to_string();
        Ok(Self { runs, config, throughputs, telemetry: Telemetry::merged(&telemetry) })
    }

    /// Writes the merged export and the reports into the run's folder within `artifacts`.
    ///
    /// # Errors
    /// A file cannot be read or written, or the runs are of different endpoints.
    pub fn write(mut self, artifacts: &Path, tokenizer: &Tokenizer) -> Result<Merged, GenAiPerfError> {
        self.config.output.artifact_directory = artifacts.display().to_string();
        let folder = artifacts.join(self.config.run_folder());
        fs::create_dir_all(&folder).map_err(|source| GenAiPerfError::write(&folder, source))?;
        let path = folder.join(&self.config.output.profile_export_file);
        self.write_export(&path)?;
        let options = Options {
            fidelity: Fidelity::Same,
            endpoint_type: Some(self.config.endpoint.kind),
            streaming: Some(self.config.endpoint.streaming),
            goodput: self.config.input.objectives(),
            throughputs: Some(self.throughputs),
        };
        let recorded = Recorded::of(&read_export(&path)?, tokenizer, &options)?;
        let merged = Merged { folder, recorded, config: self.config, telemetry: self.telemetry };
        merged.report().write_files(&merged.folder)?;
        Ok(merged)
    }

    /// The requests of the first load level of every run, under the head of the first run.
    fn write_export(&self, path: &Path) -> Result<(), GenAiPerfError> {
        let mut first: Option<(ProfileExportWriter, ExportReader)> = None;
        for run in &self.runs {
            let export = read_export(&run.export)?;
            let (mut writer, head) = match first.take() {
                None => (ProfileExportWriter::create_merged(path, head_of(&export))?, None),
                Some((writer, head)) => {
                    check(&head, &export)?;
                    (writer, Some(head))
                }
            };
            let mut error = None;
            export.each_request(|level, request| {
                if level == 0 && error.is_none() {
                    error = writer.append(&request).err();
                }
            })?;
            if let Some(error) = error {
                return Err(error);
            }
            first = Some((writer, head.unwrap_or(export)));
        }
        let Some((writer, head)) = first else { return Ok(()) };
        let windows = head.experiments.first().map_or(&[][..], |level| level.window_boundaries.as_slice());
        writer.finish(windows)
    }
}

fn head_of(export: &ExportReader) -> ExportHead {
    let level = export.experiments.first().cloned().unwrap_or_default();
    ExportHead {
        mode: level.mode,
        value: level.value,
        version: export.version.clone(),
        service_kind: export.service_kind.clone(),
        endpoint: export.endpoint.clone(),
    }
}

fn check(first: &ExportReader, other: &ExportReader) -> Result<(), GenAiPerfError> {
    let of = |export: &ExportReader| format!("{} {}", export.service_kind, export.endpoint).trim_end().to_owned();
    if of(first) == of(other) {
        return Ok(());
    }
    Err(GenAiPerfError::Mismatch { path: other.path().to_owned(), found: of(other), wanted: of(first) })
}

fn read_report(path: &Path) -> Result<Value, GenAiPerfError> {
    let json = fs::read(path).map_err(|source| GenAiPerfError::read(path, source))?;
    serde_json::from_slice(&json).map_err(|error| GenAiPerfError::json(path, None, error))
}

fn find(input: &Path) -> Result<Vec<RunFiles>, GenAiPerfError> {
    if !input.is_dir() {
        return Err(GenAiPerfError::NotAFolder { path: input.to_owned() });
    }
    let list = |folder: &Path| -> Result<Vec<PathBuf>, GenAiPerfError> {
        let entries = fs::read_dir(folder).and_then(Iterator::collect::<Result<Vec<_>, _>>);
        let entries = entries.map_err(|source| GenAiPerfError::read(folder, source))?;
        let mut paths: Vec<PathBuf> = entries.into_iter().map(|entry| entry.path()).collect();
        paths.sort();
        Ok(paths)
    };
    let mut runs = Vec::new();
    for folder in list(input)?.into_iter().filter(|path| path.is_dir()) {
        let of_report = |report: &PathBuf| {
            let name = report.file_name()?.to_str()?;
            // The report carries the name of the export that it was made of.
            let export = folder.join(format!("{}.json", name.strip_suffix("_genai_perf.json")?));
            export.is_file().then(|| RunFiles { export, report: report.clone() })
        };
        runs.extend(list(&folder)?.iter().find_map(of_report));
    }
    if runs.is_empty() {
        return Err(GenAiPerfError::NothingToMerge { path: input.to_owned() });
    }
    Ok(runs)
}
