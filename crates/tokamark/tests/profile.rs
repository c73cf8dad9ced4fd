//! Whole runs against the simulated engine: exit codes, files and what is kept out of them.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

fn tokamark(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tokamark")).args(arguments).output().unwrap()
}

/// A run of ten requests with six tokens each, in `folder`.
fn profile(folder: &Path, url: &str, more: &[&str]) -> (Option<i32>, String) {
    let folder = folder.to_str().unwrap();
    let common = ["profile", "-m", "sim", "--streaming", "--osl", "6", "--isl", "20", "--request-count", "10"];
    let placed = ["--url", url, "--artifact-dir", folder, "--tokenizer", "builtin"];
    let output = tokamark(&[&common[..], &placed, more].concat());
    let said = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8(said).unwrap())
}

fn summary(folder: &Path) -> Value {
    let text = std::fs::read_to_string(folder.join("profile_export_tokamark.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

#[test]
fn a_run_reports_what_the_engine_sent() {
    let folder = tempfile::tempdir().unwrap();
    let (code, said) = profile(folder.path(), "sim:?event-rate=inf&ttft=1", &["--concurrency", "3"]);
    assert_eq!(code, Some(0), "{said}");
    let summary = summary(folder.path());
    let counts = &summary["counts"];
    for (name, expected) in [("attempted", 10), ("ok", 10), ("failed", 0), ("cancelled", 0)] {
        assert_eq!(counts[name], expected, "{name}");
    }
    assert_eq!(summary["metrics"]["total_osl"]["avg"], 60.0);
    assert_eq!(summary["metrics"]["total_isl"]["avg"], 200.0);
    let rows = std::fs::read_to_string(folder.path().join("profile_export.jsonl")).unwrap();
    assert_eq!(rows.lines().count(), 10);
}

#[test]
fn the_same_seed_sends_the_same_prompts_with_any_number_of_threads() {
    let digest = |more: &[&str]| {
        let folder = tempfile::tempdir().unwrap();
        let (code, said) = profile(folder.path(), "sim:?event-rate=inf&ttft=1", more);
        assert_eq!(code, Some(0), "{said}");
        summary(folder.path())["run"]["dataset_digest"].as_str().unwrap().to_owned()
    };
    let first = digest(&["--random-seed", "7", "--max-threads", "1"]);
    assert_eq!(first.len(), 64);
    assert_eq!(digest(&["--random-seed", "7", "--max-threads", "2", "--concurrency", "4"]), first);
    assert_ne!(digest(&["--random-seed", "8"]), first);
}

#[test]
fn failures_end_with_3_unless_they_are_allowed() {
    let folder = tempfile::tempdir().unwrap();
    let url = "sim:?event-rate=inf&ttft=1&error-rate=1&error-status=503";
    let (code, said) = profile(&folder.path().join("none"), url, &[]);
    assert_eq!(code, Some(3), "{said}");
    assert!(said.contains("10 failed"), "{said}");
    let (code, said) = profile(&folder.path().join("count"), url, &["--allow-failed-requests", "9"]);
    assert_eq!(code, Some(3), "{said}");
    let (code, said) = profile(&folder.path().join("share"), url, &["--allow-failed-requests", "100%"]);
    assert_eq!(code, Some(0), "{said}");
}

#[test]
fn strict_runs_end_with_4_if_there_are_warnings() {
    let folder = tempfile::tempdir().unwrap();
    // Ten requests are too few for a 99th percentile.
    let (code, said) = profile(folder.path(), "sim:?event-rate=inf&ttft=1", &["--strict"]);
    assert_eq!(code, Some(4), "{said}");
}

#[test]
fn a_server_that_is_not_there_is_a_failure_of_the_requests() {
    let folder = tempfile::tempdir().unwrap();
    // Port 9 of the loopback interface: nothing listens there.
    let (code, said) = profile(folder.path(), "http://127.0.0.1:9", &[]);
    assert!(matches!(code, Some(1 | 3)), "{said}");
    assert!(said.to_lowercase().contains("refused"), "{said}");
}

#[test]
fn secrets_are_in_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let more = ["--api-key", "hunter2", "-H", "X-Secret: swordfish", "--export-outputs-json"];
    let (code, said) = profile(folder.path(), "sim:?event-rate=inf&ttft=1", &more);
    assert_eq!(code, Some(0), "{said}");
    for entry in std::fs::read_dir(folder.path()).unwrap() {
        let path = entry.unwrap().path();
        let bytes = std::fs::read(&path).unwrap();
        let text = String::from_utf8_lossy(&bytes);
        assert!(!text.contains("hunter2") && !text.contains("swordfish"), "{}", path.display());
    }
}

#[test]
fn a_report_made_again_is_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let (run, again) = (folder.path().join("run"), folder.path().join("again"));
    let (code, said) = profile(&run, "sim:?event-rate=inf&ttft=1&error-rate=0.3&seed=4", &[]);
    assert_eq!(code, Some(3), "{said}");
    let output = tokamark(&["report", run.to_str().unwrap(), "--artifact-dir", again.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(3));
    assert_eq!(summary(&again), summary(&run));
    let rows = |folder: &Path| std::fs::read_to_string(folder.join("profile_export.jsonl")).unwrap();
    assert_eq!(rows(&again), rows(&run));
}

#[test]
fn a_folder_without_a_run_has_no_report() {
    let folder = tempfile::tempdir().unwrap();
    let output = tokamark(&["report", folder.path().to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8(output.stderr).unwrap().contains("holds no run record"));
    assert_eq!(tokamark(&["report"]).status.code(), Some(2));
}
