//! The files of `examples/workloads`, one for each format, are sent as the page on workloads says.

#![allow(clippy::expect_used, reason = "a test that cannot go on fails")]

use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// The file, further flags, and the requests that come of it.
const EXAMPLES: [(&str, &str, u64); 18] = [
    ("single_turn.jsonl", "", 4),
    ("multi_turn.jsonl", "", 4),
    ("random_pool.jsonl", "--custom-dataset-type random_pool", 10),
    ("raw_payload.jsonl", "", 10),
    ("inputs.json", "", 10),
    ("dag.jsonl", "", 4),
    ("sagemaker.jsonl", "", 2),
    ("mooncake.jsonl", "", 3),
    ("bailian.jsonl", "", 2),
    ("burst_gpt.csv", "", 2),
    ("azure.csv", "", 2),
    ("weka.json", "", 2),
    ("tracelab.jsonl", "", 2),
    ("sharegpt.json", "", 10),
    ("openai_batch.jsonl", "", 10),
    ("otel_spans.jsonl", "", 2),
    ("payload.jsonl", "", 2),
    ("speed_bench_qualitative.jsonl", "--custom-dataset-type speed_bench_qualitative", 10),
];

#[test]
fn every_format_is_sent() {
    let folder = tempfile::tempdir().expect("a folder");
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/workloads");
    let mut files: Vec<String> = std::fs::read_dir(&examples)
        .expect("the examples are there")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    for (file, flags, requests) in EXAMPLES {
        files.retain(|name| name != file);
        let out = folder.path().join(file);
        let prefix = if file == "payload.jsonl" { "payload:" } else { "" };
        let output = Command::new(env!("CARGO_BIN_EXE_tokamark"))
            .args("profile -m sim --url sim: --streaming --tokenizer builtin --ui none".split(' '))
            .arg("--input-file")
            .arg(format!("{prefix}{}", examples.join(file).display()))
            .arg("--artifact-dir")
            .arg(&out)
            .args(flags.split_whitespace())
            .output()
            .expect("the program starts");
        assert!(output.status.success(), "{file}: {}", String::from_utf8_lossy(&output.stderr));
        let summary = std::fs::read(out.join("profile_export_tokamark.json")).expect("a summary");
        let summary: Value = serde_json::from_slice(&summary).expect("it is JSON");
        assert_eq!(summary["counts"]["ok"], requests, "{file}");
        assert_eq!(summary["counts"]["attempted"], requests, "{file}");
    }
    assert!(files.is_empty(), "no test sends {files:?}");
}

/// What a slip in a file comes to: nothing is sent, and the place is named.
#[test]
fn faults_are_told_with_their_place() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("bad.jsonl");
    std::fs::write(&file, "\u{feff}{\"text\": \"fine\"}\r\n\r\n{\"text\": 5}\n{\"timestamp\": NaN}\n")
        .expect("written");
    let run = |flags: &[&str]| {
        Command::new(env!("CARGO_BIN_EXE_tokamark"))
            .args("profile -m sim --url sim: --tokenizer builtin --ui none --request-count 1 --artifact-dir".split(' '))
            .arg(folder.path().join("out"))
            .arg("--input-file")
            .arg(&file)
            .args(flags)
            .output()
            .expect("the program starts")
    };
    let refused = run(&["--custom-dataset-type", "single_turn"]);
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert_eq!(refused.status.code(), Some(1), "{said}");
    for part in ["bad.jsonl", "2 faults", "line 3: `text`", "line 4"] {
        assert!(said.contains(part), "{part} is not in {said}");
    }
    let skipped = run(&["--custom-dataset-type", "single_turn", "--skip-bad-lines"]);
    let said = String::from_utf8_lossy(&skipped.stderr).into_owned();
    assert!(skipped.status.success() && said.contains("2 faulty line(s)"), "{said}");
}
