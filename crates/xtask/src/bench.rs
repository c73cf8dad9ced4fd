//! `cargo xtask bench`: the project's targets, measured.

use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use comfy_table::{Table, presets};
use serde_json::Value;

use crate::accuracy::{Differences, compare};
use crate::children::{ClientRun, Server, profile};
use crate::machine;
use crate::measured::{self, Sample};

struct Options {
    binary: PathBuf,
    runs: usize,
    only: Vec<String>,
    requests: u64,
}

/// One line of the table.
struct Line {
    what: &'static str,
    target: &'static str,
    others: &'static str,
    /// One value for each run, in the unit of `shown`.
    values: Vec<f64>,
    unit: &'static str,
}

pub(crate) fn run(arguments: &[String]) -> anyhow::Result<()> {
    let options = options(arguments)?;
    let mut lines: Vec<Line> = Vec::new();
    type Measure = fn(&Options) -> anyhow::Result<Vec<(&'static str, &'static str, &'static str, &'static str, f64)>>;
    let measures: [(&str, Measure); 8] = [
        ("1", |options| paced(options, 1, 50, 100, 5)),
        ("100", |options| paced(options, 100, 50, 100, 5)),
        ("1000", |options| paced(options, 1_000, 50, 100, 4)),
        ("8000", |options| paced(options, 8_000, 5, 20, 1)),
        ("unpaced", unpaced),
        ("start", start),
        ("rate", rate),
        ("memory", memory),
    ];
    for (name, measure) in measures {
        if !options.only.is_empty() && !options.only.iter().any(|only| only == name) {
            continue;
        }
        let runs = if name == "memory" { 1 } else { options.runs };
        for number in 1..=runs {
            eprintln!("{name}: run {number} of {runs}");
            for (what, target, others, unit, value) in measure(&options).with_context(|| format!("measuring {name}"))? {
                match lines.iter_mut().find(|line| line.what == what) {
                    Some(line) => line.values.push(value),
                    None => lines.push(Line { what, target, others, unit, values: vec![value] }),
                }
            }
        }
    }
    print(&lines);
    Ok(())
}

fn options(arguments: &[String]) -> anyhow::Result<Options> {
    let mut options = Options { binary: PathBuf::new(), runs: 3, only: Vec::new(), requests: 1_000_000 };
    let mut rest = arguments.iter();
    while let Some(flag) = rest.next() {
        let value = rest.next().with_context(|| format!("{flag} needs a value"))?;
        match flag.as_str() {
            "--binary" => options.binary = value.into(),
            "--runs" => options.runs = value.parse().context("--runs")?,
            "--requests" => options.requests = value.parse().context("--requests")?,
            "--only" => options.only = value.split(',').map(str::to_owned).collect(),
            _ => bail!("unknown flag {flag}"),
        }
    }
    if options.binary.as_os_str().is_empty() {
        let this = std::env::current_exe()?;
        options.binary = this.with_file_name("tokamark");
        let status = std::process::Command::new("cargo").args(["build", "--release", "--quiet"]).status()?;
        if !status.success() {
            bail!("the release build failed");
        }
    }
    Ok(options)
}

type Row = (&'static str, &'static str, &'static str, &'static str, f64);

/// N streams of R events per second each, all opened at once, each answer of `tokens`, `rounds` of them one after another.
fn paced(options: &Options, streams: u32, rate: u32, tokens: u32, rounds: u32) -> anyhow::Result<Vec<Row>> {
    let folder = tempfile::tempdir()?;
    let server = ["--event-rate", &rate.to_string(), "--ttft", "200"];
    let (streams_text, requests) = (streams.to_string(), (streams * rounds).to_string());
    let tokens = tokens.to_string();
    let client = [
        "--streaming",
        "--use-server-token-count",
        "--isl",
        "64",
        "--osl",
        &tokens,
        "--num-prompts",
        "256",
        "--concurrency",
        &streams_text,
        "--request-count",
        &requests,
    ];
    let (found, run) = against_truth(&options.binary, folder.path(), &server, &client)?;
    let summary = measured::summary(&run.folder)?;
    let per_event = number(&summary, &["health", "cpu_us_per_event"])?;
    let (ttft, gaps) = (&found.ttft, &found.gaps);
    Ok(match streams {
        1 => vec![
            ("TTFT error, 1 stream × 50/s, mean", "", "", "ms", ttft.mean()),
            ("inter-event gap, added std, 1 stream", "", "", "ms", gaps.std()),
        ],
        100 => vec![
            (
                "TTFT error, 100 streams × 50/s, mean",
                "≤ 0.3 ms",
                "vllm-bench +3…8 ms; AIPerf +29 ms",
                "ms",
                ttft.mean(),
            ),
            (
                "TTFT error, 100 streams × 50/s, p99",
                "≤ 1 ms",
                "vllm-bench +17 ms; AIPerf +142 ms",
                "ms",
                ttft.percentile(99.0),
            ),
            ("inter-event gap, added std, 100 streams", "≤ 0.1 ms", "AIPerf 7.1 ms", "ms", gaps.std()),
            ("CPU per event, 100 streams", "", "", "µs", per_event),
        ],
        1_000 => vec![
            (
                "TTFT error, 1,000 streams × 50/s, mean",
                "≤ 1 ms",
                "vllm-bench +26…33 ms; AIPerf (500 streams) +115 ms",
                "ms",
                ttft.mean(),
            ),
            (
                "TTFT error, 1,000 streams × 50/s, p99",
                "≤ 3 ms",
                "vllm-bench +87…164 ms; AIPerf (500) +975 ms",
                "ms",
                ttft.percentile(99.0),
            ),
            ("inter-event gap, added std, 1,000 streams", "", "", "ms", gaps.std()),
            ("CPU per event, 1,000 streams", "≤ 9 µs", "vllm-bench 13 µs; AIPerf 97 µs", "µs", per_event),
        ],
        _ => vec![
            ("TTFT error, 8,000 streams at once × 5/s, mean", "≤ 3 ms", "vllm-bench +123 ms", "ms", ttft.mean()),
            (
                "TTFT error, 8,000 streams at once × 5/s, p99",
                "≤ 10 ms",
                "vllm-bench +1,343 ms",
                "ms",
                ttft.percentile(99.0),
            ),
            ("CPU per event, 8,000 streams", "", "", "µs", per_event),
        ],
    })
}

fn against_truth(
    binary: &Path,
    folder: &Path,
    server: &[&str],
    client: &[&str],
) -> anyhow::Result<(Differences, ClientRun)> {
    let server = Server::start(binary, folder, server)?;
    let run = profile(binary, folder, &server.url, client)?;
    let truth = server.stop()?;
    let rows = measured::rows(&run.folder)?;
    let found = compare(&rows, &truth);
    if found.requests != rows.len() as u64 {
        bail!("{} of {} requests are not in the server's log", rows.len() as u64 - found.requests, rows.len());
    }
    Ok((found, run))
}

fn unpaced(options: &Options) -> anyhow::Result<Vec<Row>> {
    let folder = tempfile::tempdir()?;
    let server = Server::start(&options.binary, folder.path(), &["--event-rate", "inf", "--ttft", "0"])?;
    let client = [
        "--streaming",
        "--use-server-token-count",
        "--isl",
        "64",
        "--osl",
        "1000",
        "--num-prompts",
        "256",
        "--concurrency",
        "64",
        "--request-count",
        "5000",
        "--export-level",
        "summary",
    ];
    let run = profile(&options.binary, folder.path(), &server.url, &client)?;
    let summary = measured::summary(&run.folder)?;
    let rate = number(&summary, &["metrics", "output_token_throughput", "avg"])? / 1e3;
    Ok(vec![(
        "unpaced, 64 streams: thousand tokens/s",
        "≥ vllm-bench's",
        "vllm-bench 266–337; GenAI-Perf 175; AIPerf 24",
        "k/s",
        rate,
    )])
}

fn start(options: &Options) -> anyhow::Result<Vec<Row>> {
    let folder = tempfile::tempdir()?;
    let server = Server::start(&options.binary, folder.path(), &["--event-rate", "inf", "--ttft", "0"])?;
    let client = ["--streaming", "--osl", "4", "--num-prompts", "100", "--concurrency", "1", "--request-count", "100"];
    let run = profile(&options.binary, folder.path(), &server.url, &client)?;
    let truth = server.stop()?;
    let first = truth.iter().map(|record| record.arrival_wall_ns).min().context("the server saw no request")?;
    #[expect(clippy::cast_precision_loss, reason = "milliseconds")]
    let ms = first.saturating_sub(run.started_wall_ns) as f64 / 1e6;
    Ok(vec![("process start to first request, builtin tokenizer, 100 prompts", "≤ 100 ms", "AIPerf ≈ 10 s", "ms", ms)])
}

fn rate(options: &Options) -> anyhow::Result<Vec<Row>> {
    let folder = tempfile::tempdir()?;
    let client = [
        "--streaming",
        "--use-server-token-count",
        "--isl",
        "64",
        "--osl",
        "2",
        "--num-prompts",
        "256",
        "--request-rate",
        "1000",
        "--arrival-pattern",
        "constant",
        "--request-count",
        "10000",
    ];
    let (found, run) =
        against_truth(&options.binary, folder.path(), &["--event-rate", "200", "--ttft", "10"], &client)?;
    let summary = measured::summary(&run.folder)?;
    let achieved = number(&summary, &["health", "achieved_rate"])?;
    Ok(vec![
        ("open loop, 1,000 arrivals/s: lateness at the server, p50", "", "", "ms", found.lateness.percentile(50.0)),
        (
            "open loop, 1,000 arrivals/s: lateness at the server, p99",
            "≤ 0.2 ms",
            "vllm-bench 2.6 ms; AIPerf 8 ms at 200/s",
            "ms",
            found.lateness.percentile(99.0),
        ),
        ("open loop, 1,000 arrivals/s: achieved", "1,000/s", "AIPerf 494/s", "/s", achieved),
    ])
}

fn memory(options: &Options) -> anyhow::Result<Vec<Row>> {
    let folder = tempfile::tempdir()?;
    let server = Server::start(&options.binary, folder.path(), &["--event-rate", "inf", "--ttft", "0"])?;
    let requests = options.requests.to_string();
    let client = [
        "--streaming",
        "--use-server-token-count",
        "--isl",
        "64",
        "--osl",
        "100",
        "--num-prompts",
        "256",
        "--concurrency",
        "64",
        "--request-count",
        &requests,
        "--export-level",
        "summary",
    ];
    let run = profile(&options.binary, folder.path(), &server.url, &client)?;
    let peak = Sample::new(run.rss_mib.clone()).percentile(100.0);
    let third = run.rss_mib.get(run.rss_mib.len() / 3).copied().unwrap_or(f64::NAN);
    Ok(vec![
        ("peak memory, 1,000,000 requests × 100 tokens", "≤ 200 MiB", "AIPerf 609 MiB for 4,000 requests", "MiB", peak),
        ("memory after a third of them", "flat", "", "MiB", third),
    ])
}

fn number(value: &Value, path: &[&str]) -> anyhow::Result<f64> {
    let found = path.iter().try_fold(value, |value, key| value.get(key)).and_then(Value::as_f64);
    found.with_context(|| format!("the summary has no {}", path.join(".")))
}

fn print(lines: &[Line]) {
    let mut table = Table::new();
    table.load_preset(presets::ASCII_MARKDOWN).set_header(["what", "target", "measured (median)", "range", "others"]);
    for line in lines {
        let sample = Sample::new(line.values.clone());
        let show = |value: f64| format!("{value:.3} {}", line.unit);
        let range = format!("{:.3} … {:.3}", sample.percentile(0.0), sample.percentile(100.0));
        table.add_row([line.what, line.target, &show(sample.percentile(50.0)), &range, line.others]);
    }
    println!("{}\n\n{table}", machine::description());
}
