//! Reports that are made again from the record.

use std::fs;
use std::path::Path;

use tokamark_plan::ExportLevel;
use tokamark_run::{RunError, report};

use crate::support::{json_of, plan, run, serve, serve_fast, without_usage};

fn same(a: &Path, b: &Path, name: &str) {
    assert!(fs::read(a.join(name)).unwrap() == fs::read(b.join(name)).unwrap(), "{name}");
}

#[test]
fn another_folder_gets_the_same_report() {
    let (_server, url) = serve("event-rate=inf&ttft=0&error-rate=0.3&seed=5&reasoning=0.4");
    let (folder, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let mut plan = without_usage(plan(&url, 60, folder.path()));
    plan.load.warmup_requests = 2;
    plan.load.workers = Some(2);
    plan.report.export_level = ExportLevel::Raw;
    plan.report.slice_s = Some(0.5);
    plan.report.events_parquet = true;
    let first = run(&plan);
    // The grid of slices starts with the phase, not with whichever request ended first.
    assert_eq!(first.summary.slices[0].start_ns, first.summary.run.start_ns);
    let again = report(folder.path(), Some(out.path())).unwrap();
    assert!(again.error.is_none(), "{:?}", again.error);
    assert_eq!(again.summary.counts, first.summary.counts);
    assert_eq!(again.summary.errors, first.summary.errors);
    assert_eq!(again.summary.warnings, first.summary.warnings);
    assert_eq!(again.summary.health, first.summary.health);
    assert!(again.summary.metrics == first.summary.metrics);
    assert!(again.summary == first.summary);
    for name in [
        "profile_export.jsonl",
        "profile_export_raw.jsonl",
        "outputs.json",
        "events.parquet",
        "profile_export_tokamark.json",
        "profile_export_tokamark.csv",
        "profile_export_tokamark_timeslices.json",
    ] {
        same(folder.path(), out.path(), name);
    }
}

#[test]
fn the_run_s_own_folder_keeps_its_rows() {
    let (_server, url) = serve_fast();
    let folder = tempfile::tempdir().unwrap();
    run(&plan(&url, 10, folder.path()));
    let before = tempfile::tempdir().unwrap();
    let names = ["profile_export.jsonl", "outputs.json", "inputs.json", "profile_export_tokamark.json"];
    for name in names {
        fs::copy(folder.path().join(name), before.path().join(name)).unwrap();
    }
    fs::remove_file(folder.path().join("profile_export_tokamark.json")).unwrap();
    report(folder.path(), None).unwrap();
    for name in names {
        same(before.path(), folder.path(), name);
    }
}

#[test]
fn a_record_can_be_named_itself() {
    let (_server, url) = serve_fast();
    let (folder, out) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let mut plan = plan(&url, 5, folder.path());
    plan.report.prefix = "mine".to_owned();
    let first = run(&plan);
    let again = report(&folder.path().join("mine_record.tkm"), Some(out.path())).unwrap();
    assert!(again.summary == first.summary);
    assert!(json_of(&out.path().join("mine_tokamark.json"))["metrics"].is_object());
}

#[test]
fn a_folder_without_a_run_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    for path in [folder.path().to_owned(), folder.path().join("missing")] {
        let error = report(&path, None).unwrap_err();
        assert!(matches!(&error, RunError::NoRun(named) if *named == path), "{error}");
    }
    let other = folder.path().join("notes.txt");
    fs::write(&other, "not a record").unwrap();
    assert!(matches!(report(&other, None), Err(RunError::Record(_))));
}
