//! Reports of what perf_analyzer recorded: one run, or several as one.

use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::Context;
use tokamark_genai_perf::{ExportReader, InputConfig, Merge, Options, Recorded, Report, Telemetry, read_export};
use tokamark_plan::TokenizerPlan;
use tokamark_tokenizer::{Tokenizer, resolve};

use crate::problems::Problems;
use crate::{console, exit_code};

/// How tokens are counted again, and what answers are held against.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counting {
    pub(crate) tokenizer: Option<String>,
    pub(crate) revision: Option<String>,
    pub(crate) goodput: Vec<(String, f64)>,
}

impl Counting {
    fn tokenizer(&self, models: &[String]) -> anyhow::Result<Tokenizer> {
        let plan = TokenizerPlan {
            name: self.tokenizer.clone(),
            revision: self.revision.clone().unwrap_or_else(|| "main".to_owned()),
            apply_chat_template: false,
        };
        let found = resolve(&plan, models)?;
        if found.is_fallback {
            eprintln!(
                "warning: no tokenizer was given and the model's own is not on this machine: tokens are counted with `builtin`"
            );
        }
        Ok(found.tokenizer)
    }
}

/// Whether a path is a file of perf_analyzer's, or a folder with one and no record of ours.
pub(crate) fn is_export(path: &Path) -> bool {
    if path.is_dir() {
        let has_record = std::fs::read_dir(path).is_ok_and(|entries| {
            entries.flatten().any(|entry| entry.file_name().to_string_lossy().ends_with("_record.tkm"))
        });
        return !has_record && export_in(path).is_file();
    }
    // A record of ours is not text.
    let mut first = [0];
    std::fs::File::open(path).and_then(|mut file| file.read_exact(&mut first)).is_ok()
        && matches!(first[0], b'{' | b' ' | b'\n' | b'\r' | b'\t')
}

fn export_in(path: &Path) -> PathBuf {
    path.join("profile_export.json")
}

/// Objectives as `--goodput` has them: `metric:value`, one or several in a text.
pub(crate) fn objectives(texts: &[String], problems: &mut Problems) -> Vec<(String, f64)> {
    let mut objectives = Vec::new();
    for item in texts.iter().flat_map(|text| text.split_whitespace()) {
        let pair = item.split_once(':').map(|(name, limit)| (name.trim().to_owned(), limit.trim().parse::<f64>()));
        match pair {
            Some((name, Ok(limit))) if limit.is_finite() && limit >= 0.0 => objectives.push((name, limit)),
            _ => problems.add("--goodput", format!("`{item}` is not metric:value, such as time_to_first_token:100")),
        }
    }
    objectives
}

/// Makes the reports of one recorded run.
///
/// # Errors
/// It cannot be read, its tokenizer is not to be had, or the files cannot be written.
pub(crate) fn report(path: &Path, out: Option<&Path>, counting: &Counting) -> anyhow::Result<u8> {
    let path = if path.is_dir() { export_in(path) } else { path.to_owned() };
    let export = read_export(&path)?;
    let tokenizer = counting.tokenizer(&first_model(&export))?;
    let echo = InputConfig::beside(&path)?;
    let goodput = match &echo {
        Some(echo) if counting.goodput.is_empty() => echo.input.objectives(),
        _ => counting.goodput.clone(),
    };
    let options = Options {
        endpoint_type: echo.as_ref().map(|echo| echo.endpoint.kind),
        streaming: echo.as_ref().map(|echo| echo.endpoint.streaming),
        goodput,
        ..Options::default()
    };
    let run = Recorded::of(&export, &tokenizer, &options)?;
    let mut config = echo.unwrap_or_else(|| InputConfig::of_recorded(&export, &run, tokenizer.name()));
    config.set_objectives(&options.goodput);
    let folder = out.map_or_else(|| path.parent().unwrap_or(Path::new(".")).to_owned(), Path::to_owned);
    std::fs::create_dir_all(&folder).with_context(|| format!("the folder {} cannot be made", folder.display()))?;
    let report = Report { summary: &run.summary, config: &config, telemetry: &Telemetry::default(), extras: &[] };
    finish(&report, &report.write_files(&folder)?)
}

/// The model that the first request asked for.
fn first_model(export: &ExportReader) -> Vec<String> {
    let payload = export.first.request_inputs.get("payload").and_then(serde_json::Value::as_str);
    let body: Option<serde_json::Value> = payload.and_then(|payload| serde_json::from_str(payload).ok());
    body.and_then(|body| Some(body.get("model")?.as_str()?.to_owned())).into_iter().collect()
}

/// Merges the runs in the folders within `input`.
///
/// # Errors
/// As [`report`].
pub(super) fn merge(input: &Path, artifacts: &Path, export_name: &str, counting: &Counting) -> anyhow::Result<u8> {
    let mut merge = Merge::open(input)?;
    let tokenizer = counting.tokenizer(&merge.config.model_names)?;
    merge.config.output.profile_export_file = export_name.to_owned();
    let merged = merge.write(artifacts, &tokenizer)?;
    finish(&merged.report(), std::slice::from_ref(&merged.folder))
}

pub(super) fn finish(report: &Report<'_>, files: &[PathBuf]) -> anyhow::Result<u8> {
    let mut text = report.console();
    for file in files {
        text.push_str(&format!("Written: {}\n", file.display()));
    }
    let counts = &report.summary.counts;
    if counts.failed > 0 {
        let reasons = report.summary.failures.join("; ");
        eprintln!("warning: {} of the recorded requests failed and are in no figure: {reasons}", counts.failed);
    }
    console::print(&text).context("the report could not be printed")?;
    Ok(exit_code::OK)
}
