//! A server with faults: what is reported is what the server says it did.

use std::collections::HashMap;
use std::fs;

use tokamark_metrics::Metric;
use tokamark_sim::{End, TruthRecord};

use crate::support::{plan, rows, run, serve};

#[test]
fn every_fault_is_counted_as_the_server_counts_it() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("truth.jsonl");
    let faults = "error-rate=0.5&error-status=503&truncate-rate=0.1&stream-error-rate=0.1&reset-rate=0.1";
    let (server, url) = serve(&format!("event-rate=inf&ttft=0&seed=11&{faults}&log={}", log.display()));
    let mut plan = plan(&url, 200, folder.path());
    plan.load.concurrency = Some(8);
    plan.load.workers = Some(2);
    let summary = run(&plan).summary;
    server.shutdown().unwrap();

    let text = fs::read_to_string(&log).unwrap();
    let truth: Vec<TruthRecord> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(truth.len(), 200);
    let count = |end: End| truth.iter().filter(|record| record.end == end).count() as u64;
    let ends = [End::Complete, End::Rejected, End::Truncated, End::StreamError, End::Reset].map(count);
    assert!(ends.iter().all(|count| *count > 0), "{ends:?}");
    let [complete, rejected, truncated, stream_error, reset] = ends;
    let counts = summary.counts;
    assert_eq!((counts.attempted, counts.ok, counts.failed), (200, complete, 200 - complete));
    let of_kind = |kind: &str| summary.errors.iter().filter(|e| e.kind == kind).map(|e| e.count).sum::<u64>();
    assert_eq!(of_kind("http_status"), rejected);
    assert_eq!(of_kind("incomplete"), truncated);
    assert_eq!(of_kind("server_error"), stream_error);
    assert_eq!(of_kind("reset"), reset);
    let rejections = summary.errors.iter().find(|error| error.kind == "http_status").unwrap();
    assert_eq!(rejections.code.as_deref(), Some("503"));
    assert_eq!(summary.metrics.avg(Metric::ErrorRequestCount), Some(counts.failed as f64));
    assert_eq!(summary.metrics.avg(Metric::RequestErrorRate), Some(100.0 * counts.failed as f64 / 200.0));

    // Request by request, by their ids.
    let truth: HashMap<&str, &TruthRecord> =
        truth.iter().map(|record| (record.x_request_id.as_deref().unwrap(), record)).collect();
    for row in rows(folder.path()) {
        let id = row["metadata"]["x_request_id"].as_str().unwrap();
        let record = truth[id];
        assert_eq!(row["error"].is_null(), record.end == End::Complete, "{id}");
        if record.end == End::Complete {
            let tokens = row["metrics"]["output_sequence_length"]["value"].as_u64();
            assert_eq!(tokens, Some(record.output_tokens), "{id}");
        } else {
            assert!(row["metrics"]["output_sequence_length"].is_null(), "{id}");
            assert!(row["metrics"]["time_to_first_token"].is_null(), "{id}");
        }
    }
}

#[test]
fn a_run_in_which_nothing_succeeds_is_reported_all_the_same() {
    let (_server, url) = serve("event-rate=inf&ttft=0&error-rate=1");
    let folder = tempfile::tempdir().unwrap();
    let summary = run(&plan(&url, 10, folder.path())).summary;
    assert_eq!((summary.counts.ok, summary.counts.failed), (0, 10));
    assert_eq!(summary.metrics.avg(Metric::RequestThroughput), None);
    assert_eq!(summary.metrics.avg(Metric::RequestErrorRate), Some(100.0));
    assert_eq!(rows(folder.path()).len(), 10);
}
