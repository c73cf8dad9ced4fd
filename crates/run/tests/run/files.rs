//! The files of a run: there, valid, and of one mind.

use std::collections::HashSet;
use std::fs;

use serde_json::Value;
use tokamark_metrics::Metric;
use tokamark_plan::ExportLevel;
use tokamark_record::StopReason;

use crate::support::{all_rows, inputs, json_of, plan, rows, run, serve_fast, values};

/// Linear interpolation between order statistics.
fn percentile(values: &[f64], percent: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let at = percent / 100.0 * (sorted.len() - 1) as f64;
    let below = at.floor() as usize;
    let above = (below + 1).min(sorted.len() - 1);
    sorted[below] + (sorted[above] - sorted[below]) * (at - below as f64)
}

fn assert_near(got: f64, want: f64, what: &str) {
    assert!((got - want).abs() <= 1e-9 * want.abs(), "{what}: {got} is not {want}");
}

#[test]
fn every_file_that_was_asked_for_is_there_and_valid() {
    let (_server, url) = serve_fast();
    let folder = tempfile::tempdir().unwrap();
    let mut plan = plan(&url, 8, folder.path());
    plan.report.export_level = ExportLevel::Raw;
    plan.report.events_parquet = true;
    plan.report.slice_s = Some(0.5);
    let finished = run(&plan);
    let names: HashSet<_> =
        finished.files.iter().map(|file| file.file_name().unwrap().to_string_lossy().into_owned()).collect();
    let expected = [
        "profile_export_tokamark.json",
        "profile_export_tokamark.csv",
        "profile_export.jsonl",
        "profile_export_raw.jsonl",
        "events.parquet",
        "profile_export_tokamark_timeslices.json",
        "profile_export_tokamark_timeslices.csv",
        "inputs.json",
        "outputs.json",
        "profile_export_record.tkm",
    ];
    assert_eq!(names, expected.map(str::to_owned).into());
    for file in &finished.files {
        let bytes = fs::read(file).unwrap();
        let name = file.display();
        match file.extension().and_then(|ending| ending.to_str()) {
            Some("json") => assert!(serde_json::from_slice::<Value>(&bytes).is_ok(), "{name}"),
            Some("jsonl") => {
                let text = String::from_utf8(bytes).unwrap();
                assert!(text.ends_with('\n'), "{name}");
                assert_eq!(text.lines().count(), 8, "{name}");
                assert!(text.lines().all(|line| serde_json::from_str::<Value>(line).is_ok()), "{name}");
            }
            Some("csv") => {
                let text = String::from_utf8(bytes).unwrap();
                let fields: HashSet<usize> = text.lines().map(|line| line.split(',').count()).collect();
                assert_eq!(fields.len(), 1, "{name}");
            }
            Some("parquet") => {
                assert!(bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1"), "{name}");
            }
            _ => assert!(!bytes.is_empty(), "{name}"),
        }
    }
    let left: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left.len(), expected.len() + 1, "nothing but these and the token counts: {left:?}");
}

#[test]
fn the_summary_is_what_the_rows_say() {
    let (_server, url) = serve_fast();
    let folder = tempfile::tempdir().unwrap();
    let mut plan = plan(&url, 40, folder.path());
    plan.load.warmup_requests = 3;
    plan.load.workers = Some(2);
    plan.workload.output_tokens = Some(tokamark_plan::LengthDistribution::normal(12.0, 4.0));
    let summary = run(&plan).summary;
    let rows = rows(folder.path());
    assert_eq!(all_rows(folder.path()).len(), 43);
    assert_eq!(rows.len(), 40);
    assert_eq!(summary.run.stop, StopReason::Completed);
    assert!(!summary.was_cancelled);
    let counts = summary.counts;
    assert_eq!((counts.attempted, counts.ok, counts.failed, counts.cancelled), (40, 40, 0, 0));
    assert_eq!(summary.warmup.as_ref().unwrap().counts.ok, 3);

    let metrics = &summary.metrics;
    assert_eq!(metrics.avg(Metric::RequestCount), Some(40.0));
    for (total, tag) in [(Metric::TotalOsl, "output_sequence_length"), (Metric::TotalIsl, "input_sequence_length")] {
        let values = values(&rows, tag);
        assert_eq!(values.len(), 40, "{tag}");
        assert_eq!(metrics.avg(total), Some(values.iter().sum()), "{tag}");
    }
    for metric in [
        Metric::TimeToFirstToken,
        Metric::RequestLatency,
        Metric::RequestLatencyFromSchedule,
        Metric::OutputSequenceLength,
    ] {
        let values = values(&rows, metric.tag());
        let got = metrics.distribution(metric).unwrap();
        let what = |stat: &str| format!("{} {stat}", metric.tag());
        assert_eq!(got.count, 40, "{}", metric.tag());
        assert_near(got.avg, values.iter().sum::<f64>() / 40.0, &what("avg"));
        assert_near(got.sum, values.iter().sum(), &what("sum"));
        assert_near(got.min, values.iter().copied().fold(f64::INFINITY, f64::min), &what("min"));
        assert_near(got.max, values.iter().copied().fold(0.0, f64::max), &what("max"));
        for (percent, name) in [(1.0, "p1"), (50.0, "p50"), (90.0, "p90"), (99.0, "p99")] {
            assert_near(got.percentile(name).unwrap(), percentile(&values, percent), &what(name));
        }
    }
    let start = rows.iter().map(|row| row["metadata"]["request_start_ns"].as_u64().unwrap()).min();
    assert_eq!(start, summary.run.window_start_ns);
}

#[test]
fn the_summary_on_disk_is_the_one_that_is_given_back() {
    let (_server, url) = serve_fast();
    let folder = tempfile::tempdir().unwrap();
    let summary = run(&plan(&url, 10, folder.path())).summary;
    let written = json_of(&folder.path().join("profile_export_tokamark.json"));
    let text = serde_json::to_string(&summary).unwrap();
    for (key, value) in serde_json::from_str::<Value>(&text).unwrap().as_object().unwrap() {
        assert!(&written[key] == value, "{key}");
    }
}

#[test]
fn each_request_is_in_every_file_once() {
    let (_server, url) = serve_fast();
    let folder = tempfile::tempdir().unwrap();
    run(&plan(&url, 12, folder.path()));
    let rows = rows(folder.path());
    let ids: HashSet<_> = rows.iter().map(|row| row["metadata"]["x_request_id"].as_str().unwrap()).collect();
    assert_eq!(ids.len(), 12);
    let outputs = json_of(&folder.path().join("outputs.json"));
    let answered: HashSet<_> =
        outputs["data"].as_array().unwrap().iter().map(|entry| entry["x_request_id"].as_str().unwrap()).collect();
    assert_eq!(answered, ids);
    let sent: Vec<String> = (0..12).map(|row| format!("session_{row:06}")).collect();
    assert_eq!(inputs(folder.path()), sent);
}

#[test]
fn fewer_files_are_written_if_fewer_are_wanted() {
    let (_server, url) = serve_fast();
    let folder = tempfile::tempdir().unwrap();
    let mut plan = plan(&url, 4, folder.path());
    plan.report.export_level = ExportLevel::Summary;
    plan.report.outputs_json = false;
    run(&plan);
    assert!(folder.path().join("profile_export_tokamark.json").exists());
    for name in ["profile_export.jsonl", "profile_export_raw.jsonl", "outputs.json", "events.parquet"] {
        assert!(!folder.path().join(name).exists(), "{name}");
    }
}
