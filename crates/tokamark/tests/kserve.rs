//! Triton over gRPC, from the command line to the files, against the simulated engine.

#![allow(clippy::expect_used, reason = "a test that cannot go on fails")]

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

fn genai_perf(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tokamark"))
        .arg("genai-perf")
        .args(["profile", "-m", "m", "--tokenizer", "builtin"])
        .args(arguments)
        .current_dir(folder)
        .output()
        .expect("the program starts")
}

fn json(path: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(path).expect("the file is there")).expect("it is JSON")
}

fn run(arguments: &[&str], name: &str) -> (Value, Value, Value) {
    let folder = tempfile::tempdir().expect("a folder");
    let load = ["-u", "sim:", "--request-count", "12", "--concurrency", "3", "--num-prompts", "12", "--isl", "20"];
    let output = genai_perf(
        folder.path(),
        &[&load[..], &["--osl", "7", "--output-tokens-mean-deterministic"], arguments].concat(),
    );
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let run = folder.path().join("artifacts").join(name);
    let file = |name: &str| json(&run.join(name));
    (file("inputs.json"), file("profile_export.json"), file("profile_export_genai_perf.json"))
}

#[test]
fn the_default_endpoint_type_is_tensorrtllm_over_grpc() {
    let (inputs, export, report) = run(&["--streaming"], "m-triton-tensorrtllm-concurrency3");
    let names: Vec<&String> = inputs["data"][0].as_object().expect("an object").keys().collect();
    assert_eq!(names, ["model", "text_input", "max_tokens", "exclude_input_in_output", "stream", "min_length"]);
    assert_eq!(inputs["data"][0]["min_length"], serde_json::json!([7]));
    assert_eq!((export["service_kind"].as_str(), export["endpoint"].as_str()), (Some("triton"), Some("")));
    let requests = export["experiments"][0]["requests"].as_array().expect("requests");
    assert_eq!(requests.len(), 12);
    for request in requests {
        assert_eq!(request["request_inputs"]["max_tokens"], 7);
        assert_eq!(request["request_inputs"]["stream"], true);
        let responses = request["response_outputs"].as_array().expect("responses");
        assert_eq!(request["response_timestamps"].as_array().map(Vec::len), Some(responses.len()));
        // Seven tokens, and the empty response that says that it is the last.
        assert_eq!(responses.len(), 8, "{responses:?}");
        assert_eq!(responses[7]["text_output"], "");
    }
    for (metric, expected) in
        [("output_sequence_length", 7.0), ("input_sequence_length", 20.0), ("request_count", 12.0)]
    {
        assert_eq!(report[metric]["avg"], expected, "{metric}");
    }
    assert!(report["inter_token_latency"]["avg"].as_f64().is_some_and(|gap| gap > 0.0));
    assert_eq!(report["input_config"]["endpoint"]["service_kind"], "triton");
    assert_eq!(report["input_config"]["endpoint"]["output_format"], "tensorrtllm");
}

#[test]
fn vllm_has_its_own_layout_and_an_answer_may_come_whole() {
    let (inputs, export, report) = run(&["--backend", "vllm"], "m-triton-vllm-concurrency3");
    assert_eq!(inputs["data"][0]["sampling_parameters"], serde_json::json!([r#"{"max_tokens":"7","min_tokens":7}"#]));
    for request in export["experiments"][0]["requests"].as_array().expect("requests") {
        assert_eq!(request["response_outputs"].as_array().map(Vec::len), Some(1));
    }
    assert_eq!(report["output_sequence_length"]["avg"], 7.0);
    assert!(report.get("inter_token_latency").is_none(), "an answer that comes whole has no gaps");
}

#[test]
fn an_export_over_grpc_is_read_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let load =
        ["-u", "sim:", "--streaming", "--backend", "vllm", "--request-count", "6", "--num-prompts", "6", "--isl", "9"];
    let output = genai_perf(folder.path(), &[&load[..], &["--osl", "5"]].concat());
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let again = Command::new(env!("CARGO_BIN_EXE_tokamark"))
        .args(["report", "artifacts/m-triton-vllm-concurrency1/profile_export.json", "--as", "genai-perf"])
        .args(["--tokenizer", "builtin", "--artifact-dir", "again"])
        .current_dir(folder.path())
        .output()
        .expect("the program starts");
    assert!(again.status.success(), "{}", String::from_utf8_lossy(&again.stderr));
    let first = json(&folder.path().join("artifacts/m-triton-vllm-concurrency1/profile_export_genai_perf.json"));
    let second = json(&folder.path().join("again/profile_export_genai_perf.json"));
    for metric in ["time_to_first_token", "output_sequence_length", "input_sequence_length"] {
        let (first, second) = (first[metric]["avg"].as_f64(), second[metric]["avg"].as_f64());
        let difference = first.zip(second).map(|(first, second)| (first - second).abs() / first);
        assert!(difference.is_some_and(|difference| difference < 1e-9), "{metric}: {first:?} {second:?}");
    }
}

#[test]
fn an_inputs_file_of_tensors_is_sent_as_it_is() {
    let folder = tempfile::tempdir().expect("a folder");
    let sent = r#"{"data": [{"model": "m", "text_input": ["one two three"], "max_tokens": [3], "min_length": [3], "stream": [true]}]}"#;
    std::fs::write(folder.path().join("in.json"), sent).expect("written");
    let output = Command::new(env!("CARGO_BIN_EXE_tokamark"))
        .args([
            "profile",
            "-m",
            "m",
            "--tokenizer",
            "builtin",
            "-u",
            "sim:",
            "--endpoint-type",
            "kserve",
            "--streaming",
        ])
        .args(["--input-file", "in.json", "--custom-dataset-type", "inputs_json", "--request-count", "4"])
        .args(["--artifact-dir", "out"])
        .current_dir(folder.path())
        .output()
        .expect("the program starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let records = std::fs::read_to_string(folder.path().join("out/profile_export.jsonl")).expect("records");
    for line in records.lines() {
        let record: Value = serde_json::from_str(line).expect("JSON");
        assert_eq!(record["metrics"]["output_sequence_length"]["value"], 3, "{line}");
    }
    assert_eq!(records.lines().count(), 4);
}

#[test]
fn failures_are_told_in_one_sentence() {
    let folder = tempfile::tempdir().expect("a folder");
    let said = |arguments: &[&str]| {
        let output = genai_perf(folder.path(), arguments);
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let (code, text) = said(&["-u", "sim:?models=other", "--streaming", "--request-count", "2"]);
    assert!(code == Some(1) && text.contains("does not serve the model `m`") && text.contains("NOT_FOUND"), "{text}");
    let (code, text) = said(&["-u", "127.0.0.1:1", "--streaming", "--request-count", "2"]);
    assert!(code == Some(1) && text.contains("connection refused"), "{text}");
    let (code, text) = said(&["-u", "sim:", "--streaming", "--extra-inputs", "top_k:many", "--request-count", "2"]);
    assert!(code == Some(1) && text.contains("`top_k` takes INT32, which \"many\" is not"), "{text}");
    let (code, text) = said(&["-u", "sim:", "--backend", "vllm", "-b", "2", "--request-count", "2"]);
    assert!(code == Some(2) && text.contains("take one text"), "{text}");
}
