//! `--generate-plots`, from the command line to the files.

#![allow(clippy::expect_used, reason = "a test that cannot go on fails")]

use std::path::Path;
use std::process::{Command, Output};

fn genai_perf(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tokamark"))
        .arg("genai-perf")
        .args(arguments)
        .args(["-m", "m", "--tokenizer", "builtin", "-u", "sim:", "--generate-plots"])
        .current_dir(folder)
        .output()
        .expect("the program starts")
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("the folder is there").flatten();
    let mut names: Vec<String> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

fn with_both(stems: &[&str]) -> Vec<String> {
    let mut names: Vec<String> = stems.iter().flat_map(|stem| [format!("{stem}.png"), format!("{stem}.svg")]).collect();
    names.push("index.html".to_owned());
    names.sort();
    names
}

const OF_A_RUN: [&str; 5] = [
    "time_to_first_token",
    "request_latency",
    "distribution_of_input_sequence_lengths_to_output_sequence_lengths",
    "time_to_first_token_vs_input_sequence_lengths",
    "token_to_token_latency_vs_output_token_position",
];

#[test]
fn generate_plots_draws_instead_of_crashing() {
    let folder = tempfile::tempdir().expect("a folder");
    let load = ["--endpoint-type", "chat", "--streaming", "--concurrency", "2", "--request-count", "8"];
    let output = genai_perf(folder.path(), &[&["profile"], &load[..], &["--isl", "20", "--osl", "6"]].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(String::from_utf8_lossy(&output.stdout).contains("plots/index.html"));
    let plots = folder.path().join("artifacts/m-openai-chat-concurrency2/plots");
    assert_eq!(names(&plots), with_both(&OF_A_RUN));
    let dots = |stem: &str| {
        let svg = std::fs::read_to_string(plots.join(format!("{stem}.svg"))).expect("the file is there");
        svg.matches("class=\"dot\"").count()
    };
    assert_eq!(dots("time_to_first_token"), 8);
    // Eight answers of six tokens have forty gaps, and there are means at five positions.
    assert_eq!(dots("token_to_token_latency_vs_output_token_position"), 45);
    let png = std::fs::read(plots.join("request_latency.png")).expect("the file is there");
    assert!(png.starts_with(b"\x89PNG") && png.len() > 5_000);
}

#[test]
fn answers_that_come_whole_have_no_plots_over_tokens() {
    let folder = tempfile::tempdir().expect("a folder");
    let load = ["--endpoint-type", "chat", "--concurrency", "2", "--request-count", "4", "--isl", "20", "--osl", "6"];
    let output = genai_perf(folder.path(), &[&["profile"], &load[..]].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let plots = folder.path().join("artifacts/m-openai-chat-concurrency2/plots");
    assert_eq!(names(&plots), with_both(&OF_A_RUN[1..3]));
}

#[test]
fn a_sweep_has_its_curves_and_each_point_its_own_plots() {
    let folder = tempfile::tempdir().expect("a folder");
    let load = [
        "--endpoint-type",
        "chat",
        "--streaming",
        "--sweep-type",
        "concurrency",
        "--sweep-list",
        "1,2,4",
        "--request-count",
        "8",
    ];
    let output = genai_perf(folder.path(), &[&["analyze"], &load[..], &["--isl", "20", "--osl", "6"]].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let root = folder.path().join("artifacts");
    assert_eq!(
        names(&root.join("plots")),
        with_both(&["time_to_first_token_vs_throughput", "request_latency_vs_throughput"])
    );
    let svg =
        std::fs::read_to_string(root.join("plots/time_to_first_token_vs_throughput.svg")).expect("the file is there");
    assert_eq!(svg.matches("class=\"dot\"").count(), 3);
    assert!(svg.contains("limit: 500 ms"), "{svg}");
    assert!(svg.contains("knee, last within the limit: concurrency 4"), "{svg}");
    assert_eq!(names(&root.join("m-openai-chat-concurrency4/plots")), with_both(&OF_A_RUN));
}

#[test]
fn what_has_no_tokens_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let output = genai_perf(folder.path(), &["profile", "--endpoint-type", "embeddings"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(2) && said.contains("--generate-plots: embeddings has no tokens"), "{said}");
}
