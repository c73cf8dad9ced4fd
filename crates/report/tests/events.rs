//! What the files of single events say: `events.parquet` and the raw rows.
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests")]

#[path = "../../metrics/tests/made/mod.rs"]
mod made;

use std::fs::{self, File};
use std::path::Path;

use made::{Made, WALL_START, ns, worked_example};
use parquet::basic::Compression;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokamark_record::{Anchor, FailureKind, Outcome, Phase, RequestRecord, request_id};
use tokamark_report::*;
use tokamark_wire::EventFlags;

const ANCHOR_NS: u64 = 4_000_000;

fn context() -> RunContext {
    RunContext {
        run_id: "0123456789ab".into(),
        anchor: Anchor { monotonic_ns: ANCHOR_NS, wall_ns: WALL_START },
        models: vec!["m".into()],
        names: None,
    }
}

/// Every word is a token.
fn words(text: &str) -> u64 {
    text.split_whitespace().count() as u64
}

fn write_events(path: &Path, records: &[RequestRecord], count: Option<CountTokens<'_>>) {
    let mut writer = EventsWriter::create(path, context()).unwrap();
    for record in records {
        writer.append(record, count).unwrap();
    }
    assert!(!path.exists(), "half a file is not to be seen");
    writer.finish().unwrap();
}

fn rows(path: &Path) -> Vec<Vec<(String, Field)>> {
    let reader = SerializedFileReader::new(File::open(path).unwrap()).unwrap();
    reader.get_row_iter(None).unwrap().map(|row| row.unwrap().into_columns()).collect()
}

fn column<'a>(rows: &'a [Vec<(String, Field)>], name: &str) -> Vec<&'a Field> {
    rows.iter().map(|row| &row.iter().find(|(column, _)| column == name).unwrap().1).collect()
}

fn numbers(rows: &[Vec<(String, Field)>], name: &str) -> Vec<i64> {
    column(rows, name)
        .into_iter()
        .map(|field| match field {
            Field::Long(number) => *number,
            other => panic!("{name} is {other:?}"),
        })
        .collect()
}

fn texts<'a>(rows: &'a [Vec<(String, Field)>], name: &str) -> Vec<&'a str> {
    column(rows, name)
        .into_iter()
        .map(|field| match field {
            Field::Str(text) => text.as_str(),
            other => panic!("{name} is {other:?}"),
        })
        .collect()
}

#[test]
fn every_event_of_every_request_is_a_row() {
    let folder = TempDir::new().unwrap();
    let path = FileNames::new(folder.path(), "mine").events_parquet();
    assert_eq!(path.file_name().unwrap(), "events.parquet");
    let records = [
        Made::sent(3, 1.0)
            .with(|record| record.phase = Phase::Warmup)
            .event(2.0, EventFlags::REASONING | EventFlags::CONTENT, "")
            .with(|record| {
                record.text.push_str("why not é");
                (record.events[0].reasoning_len, record.events[0].content_len) = (7, 3);
            })
            .event(6.0, EventFlags::TOOL, "f x")
            .done(),
        Made::sent(8, 1.0).failed(2.0, FailureKind::Reset, None, None, "reset").done(),
        worked_example(),
    ];
    write_events(&path, &records, Some(&words));
    let rows = rows(&path);
    let names: Vec<&str> = rows[0].iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(
        names,
        [
            "phase",
            "seq",
            "x_request_id",
            "event_index",
            "arrival_ns",
            "arrival_wall_ns",
            "read_ns",
            "read_number",
            "kind",
            "is_generated",
            "bytes",
            "reasoning_bytes",
            "content_bytes",
            "tool_bytes",
            "tokens"
        ]
    );
    assert_eq!(rows.len(), 10);
    assert_eq!(texts(&rows, "phase")[..3], ["warmup", "warmup", "profiling"]);
    assert_eq!(numbers(&rows, "seq"), [3, 3, 0, 0, 0, 0, 0, 0, 0, 0]);
    let ids = texts(&rows, "x_request_id");
    assert_eq!(ids[1], request_id("0123456789ab", Phase::Warmup, 3));
    assert_eq!(ids[2], request_id("0123456789ab", Phase::Profiling, 0));
    assert_eq!(numbers(&rows, "event_index"), [0, 1, 0, 1, 2, 3, 4, 5, 6, 7]);
    // The anchor stands at 4 ms, after the first arrival.
    assert_eq!(numbers(&rows, "arrival_ns")[..3], [-2_000_000, 2_000_000, 101_000_000]);
    assert_eq!(numbers(&rows, "arrival_ns")[9], 168_500_000);
    assert_eq!(numbers(&rows, "arrival_wall_ns")[2], (WALL_START + ns(101.0)) as i64);
    assert_eq!(numbers(&rows, "read_ns")[..3], [-1_980_000, 2_020_000, 101_020_000]);
    assert_eq!(numbers(&rows, "read_number"), [0, 1, 0, 1, 2, 3, 4, 5, 6, 7]);
    assert_eq!(
        texts(&rows, "kind"),
        [
            "content+reasoning",
            "tool",
            "role",
            "content",
            "content",
            "content",
            "content",
            "empty+finish",
            "usage",
            "done"
        ]
    );
    let generated: Vec<bool> =
        column(&rows, "is_generated").into_iter().map(|field| *field == Field::Bool(true)).collect();
    assert_eq!(generated, [true, true, false, true, true, true, true, false, false, false]);
    assert_eq!(numbers(&rows, "bytes"), [200; 10]);
    assert_eq!(numbers(&rows, "reasoning_bytes"), [7, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    assert_eq!(numbers(&rows, "content_bytes"), [3, 0, 0, 1, 1, 3, 1, 0, 0, 0]);
    assert_eq!(numbers(&rows, "tool_bytes"), [0, 3, 0, 0, 0, 0, 0, 0, 0, 0]);
    assert_eq!(numbers(&rows, "tokens"), [3, 2, 0, 1, 1, 2, 1, 0, 0, 0]);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "no draft is left");
}

#[test]
fn tokens_that_nobody_counts_are_null() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("events.parquet");
    write_events(&path, &[worked_example()], None);
    let rows = rows(&path);
    assert_eq!(column(&rows, "tokens"), [&Field::Null; 8]);
    let reader = SerializedFileReader::new(File::open(&path).unwrap()).unwrap();
    let said = reader.metadata().file_metadata().key_value_metadata().unwrap();
    let said: Vec<(&str, &str)> = said.iter().map(|pair| (pair.key.as_str(), pair.value.as_deref().unwrap())).collect();
    let wall = WALL_START.to_string();
    for pair in [
        ("tokamark.run_id", "0123456789ab"),
        ("tokamark.anchor_monotonic_ns", "4000000"),
        ("tokamark.anchor_wall_ns", wall.as_str()),
    ] {
        assert!(said.contains(&pair), "{pair:?}");
    }
}

#[test]
fn row_groups_are_bounded() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("events.parquet");
    let one = |seq, events: usize| {
        Made::sent(seq, 0.0)
            .with(|record| {
                let event = worked_example().events[1];
                record.events = vec![event; events];
                record.text = "a".repeat(events);
            })
            .done()
    };
    write_events(&path, &[one(0, ROW_GROUP_ROWS - 1), one(1, 3), one(2, ROW_GROUP_ROWS)], Some(&words));
    let reader = SerializedFileReader::new(File::open(&path).unwrap()).unwrap();
    let groups: Vec<i64> = reader.metadata().row_groups().iter().map(|group| group.num_rows()).collect();
    let full = ROW_GROUP_ROWS as i64;
    assert_eq!(groups, [full, full, 2]);
    assert!(
        reader.metadata().row_groups()[0].columns().iter().all(|column| column.compression() == Compression::SNAPPY)
    );
    let rows = rows(&path);
    let around = &rows[ROW_GROUP_ROWS - 2..ROW_GROUP_ROWS + 3];
    assert_eq!(numbers(around, "seq"), [0, 1, 1, 1, 2]);
    assert_eq!(numbers(around, "event_index"), [full - 2, 0, 1, 2, 0]);
    assert_eq!(texts(around, "x_request_id")[2], request_id("0123456789ab", Phase::Profiling, 1));
}

#[test]
fn a_file_without_events_is_whole() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("events.parquet");
    write_events(&path, &[], None);
    assert!(rows(&path).is_empty());
}

#[test]
fn a_file_that_is_given_up_leaves_nothing() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("events.parquet");
    let mut writer = EventsWriter::create(&path, context()).unwrap();
    writer.append(&worked_example(), None).unwrap();
    drop(writer);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    let error = EventsWriter::create(Path::new("/nowhere/events.parquet"), context()).unwrap_err();
    assert!(error.to_string().starts_with("/nowhere/events.parquet could not be written: "), "{error}");
}

#[test]
fn raw_rows_say_what_was_sent_and_what_came() {
    let folder = TempDir::new().unwrap();
    let path = FileNames::new(folder.path(), "mine").raw_jsonl();
    assert_eq!(path.file_name().unwrap(), "mine_raw.jsonl");
    let mut writer = RawWriter::create(&path, context()).unwrap();
    let answer = Made::sent(0, 5.0)
        .event(10.0, EventFlags::ROLE, "")
        .event(11.0, EventFlags::REASONING, "h\"m")
        .content(12.0, "é")
        .event(13.0, EventFlags::TOOL | EventFlags::FINISH, "f{}")
        .done();
    let failed = Made::sent(1, 200.0)
        .failed(205.0, FailureKind::Connect, None, None, "connection refused")
        .with(|record| record.status = 0)
        .done();
    let cancelled = Made::sent(2, 300.0).with(|record| record.outcome = Outcome::Cancelled).done();
    writer.append(&answer, Some(br#"{"model":"m","messages":[]}"#)).unwrap();
    writer.append(&failed, Some(b"{}")).unwrap();
    writer.append(&cancelled, None).unwrap();
    writer.flush().unwrap();
    let rows: Vec<Value> =
        fs::read_to_string(&path).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(rows.len(), 3);
    let wall = |ms: f64| WALL_START + ns(ms) - ANCHOR_NS;
    assert_eq!(rows[0]["metadata"]["x_request_id"], request_id("0123456789ab", Phase::Profiling, 0));
    assert_eq!(rows[0]["metadata"]["request_start_ns"], wall(5.0));
    assert_eq!(rows[0]["start_perf_ns"], ns(5.0));
    assert_eq!(rows[0]["status"], 200);
    assert_eq!(rows[0]["payload"], json!({"model": "m", "messages": []}));
    assert_eq!(
        rows[0]["responses"],
        json!([
            {"perf_ns": ns(10.0), "arrival_ns": wall(10.0), "kind": "role", "bytes": 200},
            {"perf_ns": ns(11.0), "arrival_ns": wall(11.0), "kind": "reasoning", "bytes": 200, "reasoning_text": "h\"m"},
            {"perf_ns": ns(12.0), "arrival_ns": wall(12.0), "kind": "content", "bytes": 200, "text": "é"},
            {"perf_ns": ns(13.0), "arrival_ns": wall(13.0), "kind": "tool+finish", "bytes": 200, "tool_call_text": "f{}"},
        ])
    );
    assert_eq!(rows[0].get("error"), None);
    assert_eq!(rows[1].get("status"), None);
    assert_eq!(rows[1]["responses"], json!([]));
    assert_eq!(
        rows[1]["error"],
        json!({"code": null, "type": "connect", "message": "connection refused", "kind": "connect"})
    );
    assert_eq!(rows[2].get("payload"), None);
    assert_eq!(rows[2]["metadata"]["was_cancelled"], true);
}
