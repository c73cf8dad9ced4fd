//! What is sent depends on the plan alone.

use std::collections::HashSet;
use std::fs;

use tokamark_plan::{ExportLevel, ModelSelection, Plan};

use crate::support::{inputs, json_of, plan, rows, run, serve_fast};

/// `inputs.json` and the digest of a run of 30 requests.
fn sent(url: &str, change: impl FnOnce(&mut Plan)) -> (Vec<u8>, String) {
    let folder = tempfile::tempdir().unwrap();
    let mut plan = plan(url, 30, folder.path());
    plan.load.concurrency = Some(4);
    change(&mut plan);
    let digest = run(&plan).summary.run.dataset_digest;
    assert_eq!(digest.len(), 64);
    (fs::read(folder.path().join("inputs.json")).unwrap(), digest)
}

#[test]
fn the_same_seed_sends_the_same_bytes_however_they_are_sent() {
    let (_server, url) = serve_fast();
    let first = sent(&url, |_| {});
    for workers in 1..=3 {
        let closed = sent(&url, |plan| plan.load.workers = Some(workers));
        assert!(closed == first, "closed loop, {workers} worker(s)");
        let open = sent(&url, |plan| {
            plan.load.workers = Some(workers);
            plan.load.concurrency = None;
            plan.load.request_rate = Some(2_000.0);
        });
        assert!(open == first, "open loop, {workers} worker(s)");
    }
    let warmed = sent(&url, |plan| plan.load.warmup_requests = 7);
    assert!(warmed == first, "after a warm-up");
}

#[test]
fn another_seed_sends_others() {
    let (_server, url) = serve_fast();
    let (bytes, digest) = sent(&url, |_| {});
    let (other_bytes, other_digest) = sent(&url, |plan| plan.load.seed = 2);
    assert_ne!(digest, other_digest);
    assert!(bytes != other_bytes);
}

#[test]
fn rows_that_are_sent_again_are_listed_once() {
    let (_server, url) = serve_fast();
    let folder = tempfile::tempdir().unwrap();
    let mut plan = plan(&url, 30, folder.path());
    plan.workload.entries = Some(4);
    plan.target.models = vec!["a".to_owned(), "b".to_owned(), "c".to_owned()];
    plan.target.model_selection = ModelSelection::RoundRobin;
    run(&plan);
    assert_eq!(inputs(folder.path()), ["session_000000", "session_000001", "session_000002", "session_000003"]);
    for row in rows(folder.path()) {
        let metadata = &row["metadata"];
        let number = metadata["session_num"].as_u64().unwrap();
        assert_eq!(metadata["dataset_row"].as_u64(), Some(number % 4));
        assert_eq!(metadata["model"].as_str(), Some(["a", "b", "c"][number as usize % 3]));
    }
}

#[test]
fn payloads_are_those_of_inputs_and_warm_up_prompts_are_none_of_them() {
    let (_server, url) = serve_fast();
    let folder = tempfile::tempdir().unwrap();
    let mut plan = plan(&url, 12, folder.path());
    plan.load.warmup_requests = 12;
    plan.report.export_level = ExportLevel::Raw;
    run(&plan);
    let listed = json_of(&folder.path().join("inputs.json"));
    let listed: HashSet<String> =
        listed["data"].as_array().unwrap().iter().map(|entry| entry["payloads"][0].to_string()).collect();
    let raw = fs::read_to_string(folder.path().join("profile_export_raw.jsonl")).unwrap();
    let mut seen = [HashSet::new(), HashSet::new()];
    for line in raw.lines() {
        let row: serde_json::Value = serde_json::from_str(line).unwrap();
        let measured = row["metadata"]["benchmark_phase"] == "profiling";
        seen[usize::from(measured)].insert(row["payload"].to_string());
    }
    let [warmup, measured] = seen;
    assert_eq!((warmup.len(), measured.len()), (12, 12));
    assert_eq!(measured, listed);
    assert!(warmup.is_disjoint(&listed));
}

#[test]
fn a_model_that_is_drawn_depends_on_the_seed_and_the_request_alone() {
    let (_server, url) = serve_fast();
    let models = |seed: u64, workers: u16| -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        let mut plan = plan(&url, 40, folder.path());
        plan.target.models = vec!["a".to_owned(), "b".to_owned()];
        plan.target.model_selection = ModelSelection::Random;
        plan.report.export_level = ExportLevel::Raw;
        (plan.load.seed, plan.load.workers, plan.load.concurrency) = (seed, Some(workers), Some(4));
        // Few rows, so that bodies are sent again.
        plan.workload.entries = Some(5);
        run(&plan);
        let raw = fs::read_to_string(folder.path().join("profile_export_raw.jsonl")).unwrap();
        let mut drawn = vec![String::new(); 40];
        for line in raw.lines() {
            let row: serde_json::Value = serde_json::from_str(line).unwrap();
            assert_eq!(row["payload"]["model"], row["metadata"]["model"]);
            let number = row["metadata"]["session_num"].as_u64().unwrap();
            drawn[number as usize] = row["metadata"]["model"].as_str().unwrap().to_owned();
        }
        drawn
    };
    let first = models(1, 1);
    assert_eq!(models(1, 3), first);
    assert_ne!(models(2, 1), first);
    assert!(["a", "b"].iter().all(|model| first.iter().filter(|drawn| drawn == model).count() >= 8));
}
