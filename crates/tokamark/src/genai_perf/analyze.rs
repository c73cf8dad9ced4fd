//! `genai-perf analyze`: one run for each value of a parameter.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};
use tokamark_genai_perf::{AnalyzePoint, Metric, sweep_figures, sweep_table, write_analyze_csv};
use tokamark_record::StopReason;
use tokamark_sweep::{Checkpoint, DEFAULT_TTFT_SLO_MS, Knee, LoadPoint, Parameter, find_knee, from_list, from_range};

use super::args::{GenaiArgs, SweepArgs};
use super::files::PLOTS;
use super::kept::{kept, of_kept, representation};
use super::pass_through::PassThrough;
use super::profile::{Outcome, Point, measure_point, point};
use super::{NAME, knee_text};
use crate::cli::{Invocation, could_not_run, usage_error};
use crate::problems::Problems;
use crate::resolve::values::{Range, choice, decimal};
use crate::signals::Signals;
use crate::{console, exit_code};

const ARTIFACTS: &str = "artifacts";
const CHECKPOINTS: &str = "checkpoint";

/// What is swept.
struct Sweep {
    parameter: Parameter,
    values: Vec<u64>,
    slo_ms: f64,
}

pub(super) fn run(args: &GenaiArgs, sweep: &SweepArgs, passed: &PassThrough, invocation: Invocation) -> u8 {
    let mut problems = invocation.problems;
    let sweep = resolve(sweep, args, &mut problems);
    if args.num_runs.is_some() {
        problems.add("--num-runs", "is for profile: a sweep measures each point once");
    }
    // Every point is looked at before the first is measured; what is wrong with one is mostly wrong with all.
    let mut points = Vec::new();
    for value in &sweep.values {
        match point(&at(args, sweep.parameter, *value), passed, Problems::default()) {
            Ok(mut point) => {
                // The same prompts once more would be found in a prefix cache, and each point look better than it is.
                let seed = &mut point.resolved.plan.load.seed;
                *seed = seed.wrapping_add(*value);
                place(&mut point, args, &sweep, *value);
                points.push((*value, point));
            }
            Err(wrong) => {
                problems.extend(wrong);
                break;
            }
        }
    }
    if !problems.is_empty() {
        return usage_error(&format!("{NAME} analyze"), &problems);
    }
    carry_out(args, &sweep, points, invocation.command).unwrap_or_else(|error| could_not_run(&error))
}

fn resolve(sweep: &SweepArgs, args: &GenaiArgs, problems: &mut Problems) -> Sweep {
    let parameter = choice(
        "--sweep-type",
        sweep.sweep_type.as_ref(),
        &Parameter::ALL.map(|parameter| (parameter.name(), parameter)),
        &[],
        problems,
    );
    if sweep.sweep_type.is_none() {
        problems.add("--sweep-type", "is required: what changes from point to point?");
    }
    let parameter = parameter.unwrap_or(Parameter::Concurrency);
    let values = match (&sweep.sweep_range, &sweep.sweep_list) {
        (Some(_), Some(_)) => {
            problems.add("--sweep-list", "conflicts with --sweep-range: both give the values");
            Vec::new()
        }
        (Some(range), None) => from_range(range, parameter).unwrap_or_else(|error| {
            problems.add("--sweep-range", error.to_string());
            Vec::new()
        }),
        (None, Some(list)) => from_list(list).unwrap_or_else(|error| {
            problems.add("--sweep-list", error.to_string());
            Vec::new()
        }),
        (None, None) => {
            problems.add("--sweep-range", "or --sweep-list is required: which values are measured?");
            Vec::new()
        }
    };
    for (flag, swept, given) in [
        ("--concurrency", Parameter::Concurrency, args.concurrency.is_some()),
        ("--request-rate", Parameter::RequestRate, args.request_rate.is_some()),
    ] {
        if parameter == swept && given {
            problems.add(flag, format!("conflicts with --sweep-type {}, which sets it", parameter.name()));
        }
    }
    let slo_ms = decimal("--slo-ttft-p99", sweep.slo_ttft_p99.as_ref(), Range::Positive, problems);
    Sweep { parameter, values, slo_ms: slo_ms.unwrap_or(DEFAULT_TTFT_SLO_MS) }
}

/// The command line of one point.
fn at(args: &GenaiArgs, parameter: Parameter, value: u64) -> GenaiArgs {
    let mut args = args.clone();
    let text = Some(value.to_string());
    match parameter {
        Parameter::Concurrency => args.concurrency = text,
        Parameter::RequestRate => args.request_rate = text,
        Parameter::InputSequenceLength => args.synthetic_input_tokens_mean = text,
        Parameter::NumDatasetEntries => args.num_dataset_entries = text,
        Parameter::BatchSize => args.batch_size = text,
    }
    args
}

/// Names the folder of a point after its value, and notes the sweep in its report.
fn place(point: &mut Point, args: &GenaiArgs, sweep: &Sweep, value: u64) {
    let stimulus = std::mem::take(&mut point.config.perf_analyzer.stimulus);
    point.config.perf_analyzer.stimulus = Map::from_iter([(sweep.parameter.name().to_owned(), value.into())]);
    let folder = match sweep.parameter {
        Parameter::Concurrency | Parameter::RequestRate => point.config.run_folder(),
        // Its own stimulus is not part of the name of these.
        other => {
            point.config.perf_analyzer.stimulus.clear();
            format!("{}-{}{value}", point.config.run_folder(), other.name())
        }
    };
    point.config.perf_analyzer.stimulus = stimulus;
    point.config.subcommand = "analyze".to_owned();
    let swept = sweep.values.iter().copied().map(Value::from).collect::<Vec<_>>();
    point.config.analyze.sweep_parameters = Map::from_iter([(sweep.parameter.name().to_owned(), Value::Array(swept))]);
    let root = args.artifact_dir.clone().unwrap_or_else(|| ARTIFACTS.to_owned());
    point.resolved.plan.report.artifact_dir = Some(Path::new(&root).join(folder));
}

fn carry_out(args: &GenaiArgs, sweep: &Sweep, points: Vec<(u64, Point)>, command: Vec<String>) -> anyhow::Result<u8> {
    let signals = Signals::watch()?;
    let model = args.model.first().map_or("model", String::as_str).replace('/', "_");
    let mut checkpoint = match args.enable_checkpointing {
        true => {
            let folder = args.checkpoint_dir.clone().unwrap_or_else(|| CHECKPOINTS.to_owned());
            Some(Checkpoint::open(Path::new(&folder), &model)?)
        }
        false => None,
    };
    let mut results: Vec<(u64, AnalyzePoint)> = Vec::new();
    let (mut worst, mut failures) = (exit_code::OK, Vec::new());
    for (number, (value, point)) in points.into_iter().enumerate() {
        let representation = representation(&point.config);
        if let Some(kept) = checkpoint.as_ref().and_then(|checkpoint| checkpoint.find(&representation)) {
            eprintln!(
                "{}:{}{value} found in checkpoint. Results in '{}/' - skipping profiling...",
                kept.name,
                sweep.parameter.name(),
                folder_of(&point).display()
            );
            results.push((value, of_kept(kept, &point.config, value)));
            continue;
        }
        let name = checkpoint.as_ref().map_or_else(|| format!("{model}_run_config_{number}"), Checkpoint::next_name);
        println!("\n{} {value}", sweep.parameter.name());
        let config = point.config.clone();
        match measure_point(point, command.clone(), &signals) {
            Ok(Outcome::Done(done)) => {
                worst = worst.max(done.code);
                let was_interrupted = done.stop == StopReason::Interrupted;
                let analyzed = AnalyzePoint {
                    name,
                    level: value.to_string(),
                    num_dataset_entries: config.input.num_dataset_entries,
                    summary: done.summary,
                    telemetry: done.telemetry,
                    extras: done.extras,
                };
                // What was cut short is no result to go on from.
                if let Some(checkpoint) = checkpoint.as_mut().filter(|_| !was_interrupted) {
                    checkpoint.add(kept(&analyzed, &representation, &config, sweep.parameter, value, &done.command))?;
                }
                results.push((value, analyzed));
                if was_interrupted {
                    break;
                }
            }
            Ok(Outcome::InterruptedEarly) => {
                worst = exit_code::INTERRUPTED;
                break;
            }
            // One point that fails does not take the others with it.
            Err(error) => {
                let reason = format!("{error:#}");
                eprintln!("error: {} {value}: {reason}", sweep.parameter.name());
                failures.push(value);
                worst = worst.max(exit_code::COULD_NOT_RUN);
            }
        }
    }
    report(args, sweep, &results, &failures)?;
    Ok(worst)
}

fn folder_of(point: &Point) -> PathBuf {
    point.resolved.plan.report.artifact_dir.clone().unwrap_or_default()
}

fn report(args: &GenaiArgs, sweep: &Sweep, results: &[(u64, AnalyzePoint)], failures: &[u64]) -> anyhow::Result<()> {
    let root = PathBuf::from(args.artifact_dir.clone().unwrap_or_else(|| ARTIFACTS.to_owned()));
    std::fs::create_dir_all(&root)?;
    let csv = root.join("analyze_export_genai_perf.csv");
    let points: Vec<AnalyzePoint> = results.iter().map(|(_, point)| point.clone()).collect();
    write_analyze_csv(&csv, &points, sweep.parameter.name())?;
    let mut text = String::from("\n");
    if !points.is_empty() {
        text.push_str(&sweep_table(&points, sweep.parameter.name()));
        text.push('\n');
    }
    if sweep.parameter.is_load() {
        text.push_str(&knee_text::knee(&knee(results, sweep.slo_ms), sweep.parameter, sweep.slo_ms));
    }
    if !failures.is_empty() {
        let values = failures.iter().map(u64::to_string).collect::<Vec<_>>().join(", ");
        text.push_str(&format!("Failed: {} {values}\n", sweep.parameter.name()));
    }
    text.push_str(&format!("Written: {}\n", csv.display()));
    if args.generate_plots && !points.is_empty() {
        let (limit, marks) = match sweep.parameter.is_load() {
            true => (Some(sweep.slo_ms), knee_text::marks(&knee(results, sweep.slo_ms), sweep.parameter)),
            false => (None, Vec::new()),
        };
        let figures = sweep_figures(&points, sweep.parameter.name(), limit, &marks);
        let title = format!("{}: {}", args.model.join(", "), sweep.parameter.name());
        let page = tokamark_plot::write_files(&root.join(PLOTS), &title, &figures)?;
        text.push_str(&format!("Written: {}\n", page.display()));
    }
    console::print(&text)?;
    Ok(())
}

/// The knee by TTFT and output tokens; by latency and requests where answers are not streamed or have no tokens.
fn knee(results: &[(u64, AnalyzePoint)], slo_ms: f64) -> Knee {
    let points: Vec<LoadPoint> = results
        .iter()
        .map(|(value, point)| {
            let values = &point.summary.values;
            let p99 = |metric| values.get(metric).and_then(|value| value.stat("p99"));
            let avg = |metric| values.get(metric).map(|value| value.avg());
            #[expect(clippy::cast_precision_loss, reason = "loads are far below 2^53")]
            let load = *value as f64;
            LoadPoint {
                load,
                latency_p99_ms: p99(Metric::TimeToFirstToken).or_else(|| p99(Metric::RequestLatency)),
                throughput: avg(Metric::OutputTokenThroughput).or_else(|| avg(Metric::RequestThroughput)),
            }
        })
        .collect();
    find_knee(&points, slo_ms)
}
