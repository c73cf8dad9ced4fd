//! `genai-perf profile`: one load.

use std::path::Path;

use tokamark_genai_perf::{EndpointType, Extra, InputConfig, Metric, Report, Summary, Telemetry, Value};
use tokamark_record::StopReason;
use tokamark_telemetry::Window;

use super::args::GenaiArgs;
use super::gpu::{Pages, Price, Work};
use super::measurement::{self, Measurement, Windows};
use super::pass_through::PassThrough;
use super::stability::Watch;
use super::{NAME, echo, files, gpu, recorded, repeats, translate};
use crate::cli::{Invocation, could_not_run, usage_error};
use crate::commands::profile::{Measured, measure};
use crate::problems::Problems;
use crate::resolve::values::{Range, decimal, whole};
use crate::resolve::{Resolved, resolve};
use crate::signals::Signals;
use crate::{console, exit_code};

/// Folder of the runs' folders, as GenAI-Perf has it.
const ARTIFACTS: &str = "artifacts";
/// More runs than anybody needs.
const MOST_RUNS: u32 = 1_000;

/// A run that is to be made.
#[derive(Clone)]
pub(super) struct Point {
    pub(super) resolved: Resolved,
    pub(super) config: InputConfig,
    pub(super) pages: Pages,
    pub(super) price: Price,
    /// Windows that must agree, if it is not known beforehand how many.
    pub(super) windows: Option<Windows>,
}

pub(super) fn run(args: &GenaiArgs, passed: &PassThrough, invocation: Invocation) -> u8 {
    let mut problems = invocation.problems;
    let runs = whole("--num-runs", args.num_runs.as_ref(), 1, MOST_RUNS, &mut problems).unwrap_or(1);
    match point(args, passed, problems) {
        Ok(point) if runs > 1 => {
            repeats::run(&point, runs, &invocation.command).unwrap_or_else(|error| could_not_run(&error))
        }
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
    if matches!(kind, EndpointType::TensorrtllmEngine | EndpointType::DynamicGrpc) {
        return Err(problems);
    }
    let measurement = measurement::resolve(args, passed, &mut problems);
    // Both read the objectives: ours judges what is good, and the echo repeats what was asked for.
    let goodput = recorded::objectives(&args.goodput, &mut Problems::default());
    let pages = Pages::resolve(args, &mut problems);
    let price = Price {
        per_hour: decimal("--cost-per-hour", args.cost_per_hour.as_ref(), Range::Positive, &mut problems),
        currency: args.currency.clone().unwrap_or_else(|| "USD".to_owned()),
    };
    if args.currency.is_some() && args.cost_per_hour.is_none() {
        problems.add("--currency", "needs --cost-per-hour");
    }
    let mut profile = translate::profile_args(args, passed, &mut problems);
    if let Measurement::Windows(windows) = measurement {
        profile.load.request_count = None;
        profile.load.benchmark_duration = Some(windows.longest_s().to_string());
        // What is still in flight when the last window ends is in none of them.
        profile.load.benchmark_grace_period = Some("0".to_owned());
    }
    let mut resolved = resolve(&profile, &|name| std::env::var(name).ok(), problems)?;
    // Triton's method is no part of what GenAI-Perf calls the endpoint.
    let url = resolved.plan.target.urls.first().filter(|_| kind != EndpointType::Kserve);
    let path = url.map(|url| path_of(url)).unwrap_or_default();
    let mut config = echo::input_config(args, kind, &path, measurement);
    config.set_objectives(&goodput);
    let root = args.artifact_dir.clone().unwrap_or_else(|| ARTIFACTS.to_owned());
    resolved.plan.report.artifact_dir = Some(Path::new(&root).join(config.run_folder()));
    let windows = match measurement {
        Measurement::Windows(windows) if windows.may_end_early() => Some(windows),
        _ => None,
    };
    Ok(Point { resolved, config, pages, price, windows })
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
    if args.generate_plots && cannot_stream {
        problems.add("--generate-plots", format!("{name} has no tokens to draw: leave it out"));
    }
    if args.streaming && cannot_stream {
        problems.add("--streaming", format!("{name} cannot be streamed"));
    }
    if let Some(backend) = args.backend.as_deref().filter(|backend| !matches!(*backend, "tensorrtllm" | "vllm")) {
        problems.add("--backend", format!("`{backend}` is not known: it must be tensorrtllm or vllm"));
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
}

fn carry_out(point: Point, command: Vec<String>) -> anyhow::Result<u8> {
    match measure_point(point, command, &Signals::watch()?)? {
        Outcome::InterruptedEarly => Ok(exit_code::INTERRUPTED),
        Outcome::Done(done) => Ok(done.code),
    }
}

/// What became of a run.
pub(super) enum Outcome {
    /// It was carried out and reported.
    Done(Box<Done>),
    /// Somebody stopped it before anything was measured.
    InterruptedEarly,
}

/// A run that was carried out and reported.
pub(super) struct Done {
    pub(super) code: u8,
    pub(super) stop: StopReason,
    pub(super) summary: Summary,
    pub(super) telemetry: Telemetry,
    pub(super) extras: Vec<Extra>,
    pub(super) command: Vec<String>,
}

/// Carries out a run, writes the dialect's files and prints its table, and below it what GenAI-Perf had no words for:
/// failures, warnings, files.
///
/// # Errors
/// Nothing could be measured, or the files cannot be written.
pub(super) fn measure_point(point: Point, command: Vec<String>, signals: &Signals) -> anyhow::Result<Outcome> {
    let Point { resolved, config, pages, price, windows } = point;
    let polling = pages.start();
    let finished = match measure(resolved, command.clone(), signals, |control| {
        windows.map(|windows| Watch::start(windows, control))
    })? {
        Measured::InterruptedEarly => return Ok(Outcome::InterruptedEarly),
        Measured::Run(finished) => finished,
    };
    let stop = finished.summary.run.stop;
    let run = &finished.summary.run;
    let window = Window { start_ns: run.start_ns, end_ns: run.end_ns };
    let gpus = gpu::finish(polling, window, stop == StopReason::Interrupted);
    let telemetry = gpu::figures(&gpus);
    let folder = finished.folder();
    let files =
        files::write(&folder, &folder, &config, &telemetry, |summary| gpu::extras(Some(&gpus), &price, work(summary)))?;
    let report = Report { summary: &files.summary, config: &config, telemetry: &telemetry, extras: &files.extras };
    let mut text = report.console();
    text.push_str(&console::remarks(&finished, &files.written));
    let code = console::finish_with(&text, &finished);
    Ok(Outcome::Done(Box::new(Done { code, stop, summary: files.summary, telemetry, extras: files.extras, command })))
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    reason = "counts are whole and far below 2^53"
)]
fn work(summary: &Summary) -> Work {
    let avg = |metric| summary.values.get(metric).map(Value::avg);
    let requests = summary.counts.answered;
    let tokens = |metric| avg(metric).map(|mean| mean * requests as f64);
    let rate = avg(Metric::OutputTokenThroughput);
    let (input, output) = (avg(Metric::InputSequenceLength), avg(Metric::OutputSequenceLength));
    let total = rate.zip(input.zip(output)).filter(|(_, (_, output))| *output > 0.0);
    Work {
        requests,
        output_tokens: tokens(Metric::OutputSequenceLength).map(|tokens| tokens.round() as u64),
        output_tokens_per_s: rate,
        total_tokens_per_s: total.map(|(rate, (input, output))| rate * (input + output) / output),
    }
}
