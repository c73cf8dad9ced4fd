//! What the files of a run say.
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

#[path = "../../metrics/tests/made/mod.rs"]
mod made;

use std::fs;
use std::path::Path;

use made::{Made, WALL_START, answer, facts, ns, plan, worked_example};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokamark_metrics::{Accumulator, Metric, RequestMetrics, Summary};
use tokamark_record::{Anchor, FailureKind, Outcome, Phase, request_id};
use tokamark_report::*;
use tokamark_wire::EventFlags;

fn context() -> RunContext {
    RunContext {
        run_id: "0123456789ab".into(),
        anchor: Anchor { monotonic_ns: 0, wall_ns: WALL_START },
        models: vec!["m".into()],
        names: None,
    }
}

fn example() -> Summary {
    let mut plan = plan();
    plan.report.slice_s = Some(1.0);
    let mut accumulator = Accumulator::new(&plan, None).unwrap();
    accumulator.add(&worked_example());
    accumulator
        .add(&Made::sent(1, 200.0).failed(205.0, FailureKind::HttpStatus, Some("429"), None, "rate limited").done());
    accumulator.finish(&facts(&plan)).unwrap()
}

fn read(path: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

#[test]
fn summary_json() {
    let folder = TempDir::new().unwrap();
    let path = FileNames::new(folder.path(), "profile_export").summary_json();
    write_summary_json(&path, &example()).unwrap();
    assert_eq!(path.file_name().unwrap(), "profile_export_tokamark.json");
    let json = read(&path);
    assert_eq!(json["schema_version"], "1.0");
    assert_eq!(json["start_time"], "2026-11-30T23:55:29.000Z");
    assert_eq!(json["run"]["run_id"], "0123456789ab");
    assert_eq!(json["run"]["dataset_digest"], "d1ge57");
    assert_eq!(json["run"]["window_end_ns"], WALL_START + ns(170.0));
    assert_eq!(json["counts"], json!({"attempted": 2, "ok": 1, "failed": 1, "cancelled": 0}));
    assert_eq!(
        json["metrics"]["time_to_first_token"],
        json!({
            "unit": "ms", "count": 1, "avg": 105.0, "min": 105.0, "max": 105.0, "sum": 105.0, "p1": 105.0, "p5": 105.0,
            "p10": 105.0, "p25": 105.0, "p50": 105.0, "p75": 105.0, "p90": 105.0, "p95": 105.0, "p99": 105.0,
            "p99.9": 105.0, "std": 0.0
        })
    );
    assert_eq!(json["metrics"]["benchmark_duration"], json!({"unit": "sec", "avg": 0.165}));
    assert_eq!(
        json["errors"],
        json!([{"code": 429, "type": "http_status", "kind": "http_status", "message": "rate limited", "count": 1}])
    );
    let warning = &json["warnings"][0];
    assert_eq!(warning["code"], "failed_requests");
    assert!(warning["message"].is_string() && warning["hint"].is_string());
    assert_eq!(json["was_cancelled"], false);
    assert_eq!(json["health"]["samples"], 1);
    assert!(!fs::read_to_string(&path).unwrap().contains("hidden-key"));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "no draft is left");
}

#[test]
fn summary_csv_is_rectangular() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("summary.csv");
    let summary = example();
    write_summary_csv(&path, &summary).unwrap();
    let text = fs::read_to_string(&path).unwrap();
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("metric,tag,unit,count,avg,min,max,sum,p1,p5,p10,p25,p50,p75,p90,p95,p99,p99.9,std"));
    assert_eq!(
        lines.next(),
        Some("Time to First Token,time_to_first_token,ms,1,105,105,105,105,105,105,105,105,105,105,105,105,105,105,0")
    );
    assert!(text.contains("\nBenchmark Duration,benchmark_duration,sec,,0.165,,,,,,,,,,,,,,\n"));
    let mut reader = csv::Reader::from_path(&path).unwrap();
    let rows: Vec<_> = reader.records().map(Result::unwrap).collect();
    assert_eq!(rows.len(), summary.metrics.iter().count());
    assert!(rows.iter().all(|row| row.len() == 19));
}

#[test]
fn one_line_for_each_request() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("profile_export.jsonl");
    let mut writer = RecordsWriter::create(&path, context()).unwrap();
    let records = [
        worked_example(),
        Made::sent(1, 200.0)
            .failed(205.0, FailureKind::HttpStatus, Some("429"), Some("Too Many Requests"), "say \"please\"\n")
            .done(),
        Made::sent(2, 300.0).with(|record| record.outcome = Outcome::Cancelled).done(),
        Made::sent(0, 0.0).content(1.0, "A").with(|record| record.phase = Phase::Warmup).done(),
    ];
    for record in &records {
        writer.append(record, &RequestMetrics::of(record)).unwrap();
    }
    writer.flush().unwrap();
    let rows: Vec<Value> =
        fs::read_to_string(&path).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(rows.len(), 4);
    let metadata = &rows[0]["metadata"];
    for (key, expected) in [
        ("session_num", json!(0)),
        ("x_request_id", json!(request_id("0123456789ab", Phase::Profiling, 0))),
        ("conversation_id", json!("session_000000")),
        ("turn_index", json!(0)),
        ("credit_issued_ns", json!(WALL_START)),
        ("request_start_ns", json!(WALL_START + ns(5.0))),
        ("request_ack_ns", json!(WALL_START + ns(105.0))),
        ("request_end_ns", json!(WALL_START + ns(173.0))),
        ("worker_id", json!("worker_0")),
        ("benchmark_phase", json!("profiling")),
        ("was_cancelled", json!(false)),
        ("model", json!("m")),
        ("finish_reason", json!("stop")),
    ] {
        assert_eq!(metadata[key], expected, "{key}");
    }
    let metrics = &rows[0]["metrics"];
    assert_eq!(metrics["time_to_first_token"], json!({"value": 105.0, "unit": "ms"}));
    assert_eq!(metrics["inter_chunk_latency"], json!({"value": [20.0, 20.0, 20.0], "unit": "ms"}));
    assert_eq!(metrics["output_sequence_length"].to_string(), r#"{"value":5,"unit":"tokens"}"#);
    assert!(rows[0].get("error").is_none());
    assert_eq!(
        rows[1]["error"],
        json!({"code": 429, "type": "Too Many Requests", "message": "say \"please\"\n", "kind": "http_status"})
    );
    assert_eq!(rows[1]["metrics"].get("request_latency"), None);
    assert_eq!(rows[2]["metadata"]["was_cancelled"], true);
    assert_eq!(rows[2]["metadata"]["cancellation_time_ns"], json!(WALL_START + ns(300.0)));
    assert_eq!(rows[3]["metadata"]["benchmark_phase"], "warmup");
}

#[test]
fn goodness_is_in_the_row() {
    let mut plan = plan();
    plan.report.goodput = vec![tokamark_plan::GoodputTarget { tag: "request_latency".into(), limit: 200.0 }];
    let mut accumulator = Accumulator::new(&plan, None).unwrap();
    assert_eq!(accumulator.add(&worked_example()).get(Metric::GoodRequestCount), Some(1.0));
    assert_eq!(accumulator.add(&answer(1, 0.0, 300.0, 0.0, 1)).get(Metric::GoodRequestCount), Some(0.0));
}

#[test]
fn outputs() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("outputs.json");
    let mut writer = OutputsWriter::create(&path, context()).unwrap();
    let records = [
        Made::sent(0, 0.0).event(1.0, EventFlags::REASONING, "hm").content(2.0, "caf").content(3.0, "é").done(),
        Made::sent(1, 0.0).event(1.0, EventFlags::TOOL, "f").event(2.0, EventFlags::TOOL, "{\"a\":1}").done(),
        Made::sent(2, 0.0).content(1.0, "half").failed(2.0, FailureKind::Reset, None, None, "reset").done(),
    ];
    for record in &records {
        writer.append(record, &RequestMetrics::of(record)).unwrap();
    }
    writer.finish().unwrap();
    let json = read(&path);
    assert_eq!(json["schema_version"], "1.0");
    let data = json["data"].as_array().unwrap();
    assert_eq!(data.len(), 3);
    assert_eq!(data[0]["response_text"], "café");
    assert_eq!(data[0]["reasoning_text"], "hm");
    assert_eq!(data[0]["metrics"]["time_to_first_token"], json!({"value": 1.0, "unit": "ms"}));
    assert_eq!(data[1]["response_text"], "f{\"a\":1}");
    assert_eq!(data[2]["response_text"], "half");
    assert_eq!(data[2]["error"]["message"], "reset");
    assert_eq!(data[2]["x_request_id"], request_id("0123456789ab", Phase::Profiling, 2).as_str());
}

#[test]
fn empty_lists_are_whole_too() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("a.json");
    OutputsWriter::create(&path, context()).unwrap().finish().unwrap();
    assert_eq!(read(&path)["data"], json!([]));
    InputsWriter::create(&path).unwrap().finish().unwrap();
    assert_eq!(read(&path), json!({"data": []}));
}

#[test]
fn inputs() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("inputs.json");
    let mut writer = InputsWriter::create(&path).unwrap();
    writer.append("session_000000", [&b"{\"a\":1}"[..]]).unwrap();
    writer.append("session_000001", [&b"{\"b\":2}"[..], &b"{\"c\":3}"[..]]).unwrap();
    writer.finish().unwrap();
    assert_eq!(
        read(&path),
        json!({"data": [
            {"session_id": "session_000000", "payloads": [{"a": 1}]},
            {"session_id": "session_000001", "payloads": [{"b": 2}, {"c": 3}]}
        ]})
    );
}

#[test]
fn timeslices() {
    let folder = TempDir::new().unwrap();
    let names = FileNames::new(folder.path(), "mine.json");
    assert_eq!(names.timeslices_json().file_name().unwrap(), "mine_tokamark_timeslices.json");
    write_timeslices_json(&names.timeslices_json(), &example()).unwrap();
    write_timeslices_csv(&names.timeslices_csv(), &example()).unwrap();
    let slice = &read(&names.timeslices_json())["timeslices"][0];
    assert_eq!(slice["is_complete"], false);
    assert_eq!(slice["counts"]["failed"], 1);
    assert_eq!(slice["time_to_first_token"]["avg"], 105.0);
    let text = fs::read_to_string(names.timeslices_csv()).unwrap();
    assert!(text.starts_with("Timeslice,Start_NS,End_NS,Metric,Unit,Stat,Value\n"));
    assert!(text.contains(",time_to_first_token,ms,p99.9,105\n"));
}

#[test]
fn a_folder_that_is_not_there_is_named() {
    let error = write_summary_json(Path::new("/nowhere/at/all.json"), &example()).unwrap_err();
    let text = error.to_string();
    assert!(text.starts_with("/nowhere/at/all.json could not be written: "), "{text}");
    assert!(text.contains("--artifact-dir"));
}
