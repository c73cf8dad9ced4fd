//! `genai-perf profile`: one load.

use std::path::Path;

use tokamark_genai_perf::{EndpointType, InputConfig, Report, Telemetry};
use tokamark_run::Finished;

use super::args::GenaiArgs;
use super::measurement::{self, Measurement};
use super::pass_through::PassThrough;
use super::{NAME, echo, files, recorded, translate};
use crate::cli::{Invocation, could_not_run, usage_error};
use crate::commands::profile::{Measured, measure};
use crate::problems::Problems;
use crate::resolve::{Resolved, resolve};
use crate::signals::Signals;
use crate::{console, exit_code};

/// Folder of the runs' folders, as GenAI-Perf has it.
const ARTIFACTS: &str = "artifacts";

/// A run that is to be made.
pub(super) struct Point {
    pub(super) resolved: Resolved,
    pub(super) config: InputConfig,
}

pub(super) fn run(args: &GenaiArgs, passed: &PassThrough, invocation: Invocation) -> u8 {
    match point(args, passed, invocation.problems) {
        Ok(point) => carry_out(point, invocation.command).unwrap_or_else(|error| could_not_run(&error)),
        Err(problems) => usage_error(&format!("{NAME} profile"), &problems),
    }
}

/// Gives the flags their meaning.
///
/// # Errors
/// All that is wrong with them.
pub(super) fn point(args: &GenaiArgs, passed: &PassThrough, mut problems: Problems) -> Result<Point, Problems> {
    let kind = endpoint_type(args, &mut problems);
    refuse(args, kind, &mut problems);
    let measurement = measurement::resolve(args, passed, &mut problems);
    // Both read the objectives: ours judges what is good, and the echo repeats what was asked for.
    let goodput = recorded::objectives(&args.goodput, &mut Problems::default());
    let mut profile = translate::profile_args(args, passed, &mut problems);
    if let Measurement::Windows(windows) = measurement {
        profile.load.request_count = None;
        profile.load.benchmark_duration = Some(windows.longest_s().to_string());
        // What is still in flight when the last window ends is in none of them.
        profile.load.benchmark_grace_period = Some("0".to_owned());
    }
    let mut resolved = resolve(&profile, &|name| std::env::var(name).ok(), problems)?;
    let path = resolved.plan.target.urls.first().map(|url| path_of(url)).unwrap_or_default();
    let mut config = echo::input_config(args, kind, &path, measurement);
    config.set_objectives(&goodput);
    let root = args.artifact_dir.clone().unwrap_or_else(|| ARTIFACTS.to_owned());
    resolved.plan.report.artifact_dir = Some(Path::new(&root).join(config.run_folder()));
    Ok(Point { resolved, config })
}

fn path_of(url: &str) -> String {
    let behind_scheme = url.split_once("://").map_or(url, |(_, rest)| rest);
    behind_scheme.split_once('/').map(|(_, path)| path.to_owned()).unwrap_or_default()
}

fn endpoint_type(args: &GenaiArgs, problems: &mut Problems) -> EndpointType {
    let name = args.endpoint_type.as_deref().unwrap_or(translate::DEFAULT_ENDPOINT_TYPE);
    name.to_lowercase().replace('-', "_").parse().unwrap_or_else(|_| {
        let known = EndpointType::ALL.map(EndpointType::name).join(", ");
        problems.add("--endpoint-type", format!("`{name}` is not known: it must be one of {known}"));
        EndpointType::Chat
    })
}

/// What GenAI-Perf refuses, and what can no longer be had.
fn refuse(args: &GenaiArgs, kind: EndpointType, problems: &mut Problems) {
    let name = kind.name();
    match kind {
        EndpointType::TensorrtllmEngine => problems.add(
            "--endpoint-type",
            "tensorrtllm_engine ran the engine inside GenAI-Perf; serve it with trtllm-serve and use chat or completions",
        ),
        EndpointType::DynamicGrpc => problems.add(
            "--endpoint-type",
            "dynamic_grpc ran shell commands from the input file, which is not done here; use kserve, or an HTTP API",
        ),
        _ => {}
    }
    let cannot_stream = matches!(
        kind,
        EndpointType::Embeddings | EndpointType::Nvclip | EndpointType::Rankings | EndpointType::ImageRetrieval
    );
    if args.streaming && cannot_stream {
        problems.add("--streaming", format!("{name} cannot be streamed"));
    }
    if args.backend.is_some() && kind != EndpointType::Kserve {
        problems.add("--backend", format!("is for --endpoint-type kserve, not for {name}"));
    }
    if args.grpc_method.is_some() && kind != EndpointType::DynamicGrpc {
        problems.add("--grpc-method", "is for --endpoint-type dynamic_grpc");
    }
    if args.output_tokens_stddev.as_deref().is_some_and(|text| text.trim().parse() != Ok(0.0))
        && args.output_tokens_mean.is_none()
    {
        problems.add("--output-tokens-stddev", "needs --output-tokens-mean");
    }
    if args.generate_plots && cannot_stream {
        problems.add("--generate-plots", format!("has nothing to draw for {name}"));
    }
}

fn carry_out(point: Point, command: Vec<String>) -> anyhow::Result<u8> {
    let signals = Signals::watch()?;
    let Point { resolved, config } = point;
    match measure(resolved, command, &signals)? {
        Measured::InterruptedEarly => Ok(exit_code::INTERRUPTED),
        Measured::Run(finished) => report(&finished, &config),
    }
}

/// Writes the dialect's files and prints its table, and below it what GenAI-Perf had no words for: failures, warnings,
/// files.
fn report(finished: &Finished, config: &InputConfig) -> anyhow::Result<u8> {
    let telemetry = Telemetry::default();
    let folder = finished.folder();
    let files = files::write(&folder, &folder, config, &telemetry)?;
    let report = Report { summary: &files.summary, config, telemetry: &telemetry };
    let mut text = report.console();
    text.push_str(&console::remarks(finished, &files.written));
    Ok(console::finish_with(&text, finished))
}
