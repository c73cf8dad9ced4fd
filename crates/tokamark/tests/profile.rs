//! Whole runs against the simulated engine: exit codes, files and what is kept out of them.
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

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
    let more = [
        "--api-key",
        "hunter2",
        "-H",
        "X-Secret: swordfish",
        "--export-outputs-json",
        "--export-level",
        "raw",
        "--export-events",
    ];
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

fn lines(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn raw_rows_and_events_say_the_same_and_can_be_made_again() {
    let folder = tempfile::tempdir().unwrap();
    let (run, again) = (folder.path().join("run"), folder.path().join("again"));
    let load = ["--warmup-request-count", "2", "--concurrency", "3"];
    let models = ["-m", "another", "--model-selection-strategy", "random"];
    let more = [&["--export-level", "raw", "--export-events"][..], &load, &models].concat();
    let (code, said) = profile(&run, "sim:?event-rate=inf&ttft=1", &more);
    assert_eq!(code, Some(0), "{said}");
    let raw = lines(&run.join("profile_export_raw.jsonl"));
    assert_eq!(raw.len(), 12);

    // What was measured is what `inputs.json` says was sent, each request once.
    let inputs = std::fs::read_to_string(run.join("inputs.json")).unwrap();
    let inputs: Value = serde_json::from_str(&inputs).unwrap();
    let mut seen = 0;
    for row in raw.iter().filter(|row| row["metadata"]["benchmark_phase"] == "profiling") {
        let number = usize::try_from(row["metadata"]["session_num"].as_u64().unwrap()).unwrap();
        assert_eq!(row["payload"], inputs["data"][number]["payloads"][0], "{number}");
        assert_eq!(row["payload"]["model"], row["metadata"]["model"]);
        assert_eq!(row["status"], 200);
        let texts = row["responses"].as_array().unwrap().iter().filter(|event| event.get("text").is_some());
        assert_eq!(texts.count(), 6, "one event for each token");
        seen += 1;
    }
    assert_eq!(seen, 10);
    let warmup = raw.iter().filter(|row| row["metadata"]["benchmark_phase"] == "warmup");
    let data = inputs["data"].as_array().unwrap();
    assert!(warmup.into_iter().all(|row| data.iter().all(|input| input["payloads"][0] != row["payload"])));

    let output = tokamark(&["report", run.to_str().unwrap(), "--artifact-dir", again.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(lines(&again.join("profile_export_raw.jsonl")), raw);
    let parquet = |folder: &Path| std::fs::read(folder.join("events.parquet")).unwrap();
    let bytes = parquet(&run);
    assert!(bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1"));
    assert!(parquet(&again) == bytes, "the same events");

    // A run's own folder keeps what it has, and gets what it lacks.
    std::fs::remove_file(run.join("events.parquet")).unwrap();
    assert_eq!(tokamark(&["report", run.to_str().unwrap()]).status.code(), Some(0));
    assert!(parquet(&run) == bytes, "the same events");
}

#[test]
fn payloads_of_a_dataset_that_has_changed_are_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let (run, again) = (folder.path().join("run"), folder.path().join("again"));
    let dataset = folder.path().join("prompts.jsonl");
    std::fs::write(&dataset, "{\"text\":\"one\"}\n{\"text\":\"two\"}\n").unwrap();
    let output = tokamark(&[
        "profile",
        "-m",
        "sim",
        "--streaming",
        "--request-count",
        "4",
        "--url",
        "sim:?event-rate=inf&ttft=1",
        "--tokenizer",
        "builtin",
        "--input-file",
        dataset.to_str().unwrap(),
        "--export-level",
        "raw",
        "--artifact-dir",
        run.to_str().unwrap(),
    ]);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let report = || {
        let output = tokamark(&["report", run.to_str().unwrap(), "--artifact-dir", again.to_str().unwrap()]);
        assert_eq!(output.status.code(), Some(0));
        lines(&again.join("profile_export_raw.jsonl"))
    };
    let mut rows = report();
    assert_eq!(rows, lines(&run.join("profile_export_raw.jsonl")));
    assert_eq!(rows[0]["payload"]["messages"][0]["content"], "one");
    std::fs::write(&dataset, "{\"text\":\"one\"}\n{\"text\":\"three\"}\n").unwrap();
    rows.iter_mut().for_each(|row| drop(row.as_object_mut().unwrap().remove("payload")));
    assert_eq!(report(), rows);
}

#[test]
fn a_folder_without_a_run_has_no_report() {
    let folder = tempfile::tempdir().unwrap();
    let output = tokamark(&["report", folder.path().to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8(output.stderr).unwrap().contains("holds no run record"));
    assert_eq!(tokamark(&["report"]).status.code(), Some(2));
}

#[test]
fn a_run_that_cannot_begin_leaves_nothing_and_takes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    // Port 9 of the loopback interface: nothing listens there.
    assert_eq!(profile(&run, "http://127.0.0.1:9", &[]).0, Some(1));
    assert!(!run.exists());
    assert_eq!(profile(&run, "sim:?event-rate=inf&ttft=1", &[]).0, Some(0));
    let files = || {
        let entries = std::fs::read_dir(&run).unwrap().map(|entry| entry.unwrap().path());
        let mut files: Vec<_> = entries.map(|path| (path.clone(), std::fs::read(path).unwrap())).collect();
        files.sort();
        files
    };
    let before = files();
    assert_eq!(profile(&run, "http://127.0.0.1:9", &[]).0, Some(1));
    assert!(files() == before, "the earlier run is as it was");
    // One that begins takes its place, and leaves no more files than it has.
    assert_eq!(profile(&run, "sim:?event-rate=inf&ttft=1", &["--random-seed", "3"]).0, Some(0));
    let after = files();
    assert!(after.iter().map(|(path, _)| path).eq(before.iter().map(|(path, _)| path)));
    assert_eq!(summary(&run)["run"]["seed"], 3);
}

#[test]
fn a_killed_run_can_be_reported_and_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let run = folder.path().join("run");
    let mut child = Command::new(env!("CARGO_BIN_EXE_tokamark"))
        .args(["profile", "-m", "sim", "--streaming", "--isl", "20", "--osl", "6", "--request-count", "1000000"])
        .args(["--url", "sim:?event-rate=inf&ttft=1", "--tokenizer", "builtin", "--export-level", "summary"])
        .args(["--artifact-dir", run.to_str().unwrap()])
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    // The record begins with some kilobytes of facts; more of them are requests.
    let record = run.join("profile_export_record.tkm");
    while std::fs::metadata(&record).map_or(0, |record| record.len()) < 50_000 {
        assert!(child.try_wait().unwrap().is_none(), "it has a long time to go");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    for _ in 0..2 {
        let output = tokamark(&["report", run.to_str().unwrap()]);
        assert_eq!(output.status.code(), Some(130));
        let said = String::from_utf8(output.stdout).unwrap();
        assert!(said.contains("the record breaks off"), "{said}");
        assert!(!said.contains("at most 0 in flight") && !said.contains("0.00 s in all"), "{said}");
    }
    let found = summary(&run);
    let ok = found["counts"]["ok"].as_u64().unwrap();
    assert!(ok > 10);
    assert_eq!(found["counts"]["attempted"], ok);
    assert_eq!(found["metrics"]["total_osl"]["avg"], 6.0 * ok as f64);
    assert_eq!(found["health"]["peak_in_flight"], Value::Null);
    let span = |key: &str| found["run"][key].as_u64().unwrap();
    assert!(span("start_ns") <= span("window_start_ns") && span("window_end_ns") <= span("end_ns"));
}

#[test]
fn a_damaged_record_does_not_replace_the_report_of_the_whole() {
    let folder = tempfile::tempdir().unwrap();
    let (run, again) = (folder.path().join("run"), folder.path().join("again"));
    assert_eq!(profile(&run, "sim:?event-rate=inf&ttft=1", &[]).0, Some(0));
    let whole = summary(&run);
    let record = run.join("profile_export_record.tkm");
    let mut bytes = std::fs::read(&record).unwrap();
    let place = bytes.len() / 2;
    bytes[place] ^= 0xff;
    std::fs::write(&record, &bytes).unwrap();
    let output = tokamark(&["report", run.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("is damaged") && said.contains("--artifact-dir"), "{said}");
    assert_eq!(summary(&run), whole);
    let output = tokamark(&["report", run.to_str().unwrap(), "--artifact-dir", again.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(130));
    let part = summary(&again);
    assert!(part["counts"]["ok"].as_u64().unwrap() < 10);
    assert_eq!(part["warnings"][0]["code"], "interrupted");
}

#[cfg(target_os = "linux")]
#[test]
fn a_report_that_cannot_be_printed_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_tokamark"))
        .args(["profile", "-m", "sim", "--url", "sim:?event-rate=inf&ttft=1", "--osl", "2", "--tokenizer", "builtin"])
        .args(["--artifact-dir", folder.path().to_str().unwrap()])
        .stdout(full)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8(output.stderr).unwrap().contains("the report could not be printed"));
    assert_eq!(summary(folder.path())["counts"]["ok"], 10);
}
