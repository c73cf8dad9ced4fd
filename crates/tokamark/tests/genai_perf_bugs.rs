//! What GenAI-Perf 0.0.16 got wrong and people ran into, each by the name of what must not come back. Streams that are split,
//! have comments, errors or token counts in them are in the tests of `tokamark-genai-perf` and `tokamark-wire`.

#![allow(clippy::expect_used, reason = "a test that cannot go on fails")]

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

fn genai_perf(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tokamark"))
        .arg("genai-perf")
        .args(arguments)
        .args(["-m", "m", "--tokenizer", "builtin"])
        .current_dir(folder)
        .output()
        .expect("the program starts")
}

/// The report of the one run in the artifacts, or of the one whose folder has this name.
fn report(folder: &Path, name: &str) -> Value {
    let path = folder.join("artifacts").join(name).join("profile_export_genai_perf.json");
    serde_json::from_slice(&std::fs::read(path).expect("the report is there")).expect("it is JSON")
}

#[track_caller]
fn ok(output: &Output) {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

fn folders(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder.join("artifacts")).expect("the artifacts").flatten();
    let runs = entries.filter(|entry| entry.path().is_dir());
    let mut names: Vec<String> = runs.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

const CHAT: [&str; 9] = ["--endpoint-type", "chat", "--streaming", "-u", "sim:", "--isl", "12", "--osl", "5"];

fn analyze(folder: &Path, sweep: &[&str]) {
    let common = ["--request-count", "4", "--num-dataset-entries", "4"];
    ok(&genai_perf(folder, &[&["analyze"], &CHAT[..], &common[..], sweep].concat()));
}

#[test]
fn a_sweep_list_is_not_replaced_by_the_default_range() {
    let folder = tempfile::tempdir().expect("a folder");
    analyze(folder.path(), &["--sweep-type", "concurrency", "--sweep-list", "3,1"]);
    assert_eq!(folders(folder.path()), ["m-openai-chat-concurrency1", "m-openai-chat-concurrency3"]);
    let csv =
        std::fs::read_to_string(folder.path().join("artifacts/analyze_export_genai_perf.csv")).expect("the table");
    assert_eq!(csv.lines().filter(|line| line.starts_with("m_run_config")).count() % 2, 0, "{csv}");
}

#[test]
fn the_step_of_a_sweep_range_is_not_ignored() {
    let folder = tempfile::tempdir().expect("a folder");
    analyze(folder.path(), &["--sweep-type", "request_rate", "--sweep-range", "20:60:20"]);
    let names = ["m-openai-chat-request_rate20", "m-openai-chat-request_rate40", "m-openai-chat-request_rate60"];
    assert_eq!(folders(folder.path()), names);
}

#[test]
fn a_sweep_over_entries_or_batches_changes_what_is_sent() {
    let folder = tempfile::tempdir().expect("a folder");
    let sweep = ["--sweep-type", "batch_size", "--sweep-list", "1,3", "--request-count", "4"];
    let load = ["--endpoint-type", "embeddings", "-u", "sim:", "--isl", "12"];
    ok(&genai_perf(folder.path(), &[&["analyze"], &load[..], &sweep[..]].concat()));
    for (batch, name) in folders(folder.path()).iter().enumerate() {
        let path = folder.path().join("artifacts").join(name).join("inputs.json");
        let inputs: Value = serde_json::from_slice(&std::fs::read(path).expect("the inputs")).expect("JSON");
        let texts = inputs["data"][0]["payload"][0]["input"].as_array().map_or(1, Vec::len);
        assert_eq!(texts, [1, 3][batch], "{name}");
    }
}

#[test]
fn a_request_rate_needs_no_request_count() {
    let folder = tempfile::tempdir().expect("a folder");
    let load = ["--request-rate", "60", "--measurement-interval", "200"];
    ok(&genai_perf(folder.path(), &[&["profile"], &CHAT[..], &load[..]].concat()));
    let report = report(folder.path(), "m-openai-chat-request_rate60.0");
    assert!(report["request_count"]["avg"].as_f64().is_some_and(|count| count >= 12.0), "{report}");
}

#[test]
fn one_refused_request_does_not_lose_the_report() {
    let folder = tempfile::tempdir().expect("a folder");
    let load = ["--concurrency", "2", "--request-count", "40", "-u", "sim:?error-rate=0.3&seed=3"];
    let arguments = [&["profile"], &CHAT[..3], &CHAT[5..], &load[..]].concat();
    let output = genai_perf(folder.path(), &arguments);
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    let report = report(folder.path(), "m-openai-chat-concurrency2");
    let answered = report["request_count"]["avg"].as_f64().expect("a count");
    assert!(answered > 10.0 && answered < 40.0, "{answered}");
    assert!(said.contains(&format!("40 attempted · {answered} ok")), "{said}");
    assert_eq!(report["output_sequence_length"]["avg"], 5.0);
}

#[test]
fn answers_of_one_token_do_not_shift_the_figures_of_others() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(
        folder.path().join("in.jsonl"),
        "{\"text\": \"one two\", \"output_length\": 1}\n{\"text\": \"three four\", \"output_length\": 6}\n",
    )
    .expect("written");
    let load = ["--input-file", "in.jsonl", "--concurrency", "1", "--request-count", "8", "--goodput"];
    let arguments =
        [&["profile"], &CHAT[..5], &load[..], &["inter_token_latency:100000", "request_latency:100000"]].concat();
    ok(&genai_perf(folder.path(), &arguments));
    let report = report(folder.path(), "m-openai-chat-concurrency1");
    assert_eq!(report["output_sequence_length"]["min"], 1.0);
    assert_eq!(report["output_sequence_length"]["max"], 6.0);
    assert_eq!(report["output_sequence_length"]["avg"], 3.5);
    // The gaps are those of the four longer answers alone, so none of them is zero.
    assert!(report["inter_token_latency"]["min"].as_f64().is_some_and(|least| least > 0.0), "{report}");
}

#[test]
fn extra_inputs_need_no_output_length_for_hugging_face() {
    let folder = tempfile::tempdir().expect("a folder");
    let load = ["--endpoint-type", "huggingface_generate", "-u", "sim:", "--isl", "12", "--extra-inputs", "a:1"];
    ok(&genai_perf(folder.path(), &[&["profile"], &load[..], &["--request-count", "3"]].concat()));
    assert_eq!(report(folder.path(), "m-openai-huggingface_generate-concurrency1")["request_count"]["avg"], 3.0);
}

#[test]
fn image_retrieval_has_a_report() {
    let folder = tempfile::tempdir().expect("a folder");
    let images = ["--image-width-mean", "32", "--image-height-mean", "32", "--batch-size-image", "2"];
    let load = ["--endpoint-type", "image_retrieval", "-u", "sim:", "--request-count", "3"];
    ok(&genai_perf(folder.path(), &[&["profile"], &load[..], &images[..]].concat()));
    let report = report(folder.path(), "m-openai-image_retrieval-concurrency1");
    let avg = |metric: &str| report[metric]["avg"].as_f64().expect("a figure");
    // Two images a request.
    assert!((avg("image_latency") * 2.0 / avg("request_latency") - 1.0).abs() < 1e-9, "{report}");
    assert!(avg("image_throughput") >= 2.0 * 1_000.0 / report["request_latency"]["max"].as_f64().expect("a figure"));
}

#[test]
fn no_subcommand_is_told_in_a_sentence() {
    let output = Command::new(env!("CARGO_BIN_EXE_tokamark")).arg("genai-perf").output().expect("the program starts");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("Usage: genai-perf"));
}

#[test]
fn keys_are_in_no_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let load = ["--request-count", "2", "-H", "Authorization: Bearer very-secret"];
    ok(&genai_perf(folder.path(), &[&["profile"], &CHAT[..], &load[..]].concat()));
    let run = folder.path().join("artifacts/m-openai-chat-concurrency1");
    for entry in std::fs::read_dir(run).expect("the run").flatten() {
        let content = std::fs::read(entry.path()).unwrap_or_default();
        assert!(!content.windows(11).any(|part| part == b"very-secret"), "{}", entry.path().display());
    }
}
