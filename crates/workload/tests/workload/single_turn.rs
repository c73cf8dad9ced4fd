//! Datasets of single turns.

use std::fs;
use std::path::Path;

use crate::plans::{plan, texts};
use serde_json::json;
use tokamark_plan::{DatasetFormat, DatasetPlan, LengthDistribution, Plan, Source};
use tokamark_workload::{DatasetError, Fault, Faults, Workload, WorkloadError};

fn plan_for(folder: &Path, content: &[u8]) -> Plan {
    let path = folder.join("input.jsonl");
    fs::write(&path, content).unwrap();
    let mut plan = plan(1.0, 0.0, 1);
    plan.workload.source = Source::File(DatasetPlan::of(path, Some(DatasetFormat::SingleTurn)));
    plan
}

fn workload(content: &str) -> Workload {
    let folder = tempfile::tempdir().unwrap();
    Workload::build(&plan_for(folder.path(), content.as_bytes())).unwrap()
}

#[track_caller]
fn faults(content: &[u8]) -> Faults {
    let folder = tempfile::tempdir().unwrap();
    match Workload::build(&plan_for(folder.path(), content)) {
        Err(WorkloadError::Dataset(DatasetError::Faults { faults, .. })) => faults,
        other => panic!("{other:?}"),
    }
}

#[track_caller]
fn assert_fault(line: &str, field: Option<&str>, reason: &str) {
    let expected = Fault { line: 1, field: field.map(str::to_owned), reason: reason.to_owned() };
    assert_eq!(faults(line.as_bytes()).first(), [expected]);
}

#[test]
fn rows_come_in_order_and_again_from_the_first() {
    let workload =
        workload("{\"text\":\"one\"}\n{\"text\":\"two words\",\"output_length\":4}\n{\"text\":\"caf\\u00e9\"}\n");
    assert_eq!(workload.rows(), Some(3));
    let texts: Vec<String> = (0..6).map(|number| texts(&workload.turn(number)).concat()).collect();
    assert_eq!(texts, ["one", "two words", "café", "one", "two words", "café"]);
    assert_eq!(workload.turn(1).output_tokens, Some(4));
    assert_eq!(workload.turn(1).input_tokens, Some(2));
    assert_eq!(workload.turn(3).row, 0);
    assert_eq!(workload.turn(0).output_tokens, None);
    assert_eq!(workload.wanted_input_tokens(0), None);
    assert!(!workload.are_distinct());
    assert_eq!(workload.warmup_turn(0), workload.turn(0));
}

#[test]
fn byte_order_mark_line_ends_and_blank_lines_do_no_harm() {
    let workload = workload("\u{feff}{\"text\":\"one\"}\r\n\r\n  \t\n{\"text\":\"two\"}");
    let texts: Vec<String> = (0..2).map(|number| texts(&workload.turn(number)).concat()).collect();
    assert_eq!(texts, ["one", "two"]);
    assert_eq!(workload.rows(), Some(2));
}

#[test]
fn every_fault_is_told_with_its_line() {
    let faults = faults(
        "\u{feff}{\"text\":\"one\"}\r\n\r\n{\"text\":\"two\",\"output_length\":4}\n{\"note\":\"no prompt\"}\n{\"text\":\"\"}\n{\"text\":\"café\"}"
            .as_bytes(),
    );
    assert_eq!(
        faults.to_string(),
        "2 faults, so nothing was sent:\n  line 4: `text` is missing\n  line 5: `text` is empty"
    );
}

#[test]
fn beyond_twenty_faults_are_counted() {
    let faults = faults("{}\n".repeat(23).as_bytes());
    assert_eq!((faults.first().len(), faults.count()), (20, 23));
    assert!(faults.to_string().ends_with("\n  line 20: `text` is missing\n  and 3 more"));
}

#[test]
fn what_is_wrong_is_said_in_words() {
    assert_fault("[1]", None, "is a list, not an object such as {\"text\": \"…\"}");
    assert_fault("{\"text\": \"a\"", None, "is not JSON (EOF while parsing an object, column 12)");
    assert_fault("{\"text\": null}", Some("text"), "is missing");
    assert_fault("{\"text\": 5}", Some("text"), "is a number, not a text");
    assert_fault("{\"texts\": \"a\"}", Some("texts"), "is a text, not a list");
    assert_fault("{\"texts\": []}", Some("texts"), "is empty");
    assert_fault("{\"texts\": [{\"name\": \"q\"}]}", Some("texts.contents"), "is not a list of texts");
    assert_fault(
        "{\"text\": \"a\", \"texts\": [\"b\"]}",
        Some("texts"),
        "stands beside `text`; only one of them may be given",
    );
    assert_fault("{\"text\": \"a\", \"output_length\": 0}", Some("output_length"), "is not a whole number above 0");
    assert_fault("{\"text\": \"a\", \"max_tokens\": 1.5}", Some("max_tokens"), "is not a whole number above 0");
    assert_fault("{\"text\": \"a\", \"extra\": []}", Some("extra"), "is a list, not an object");
    assert_fault(
        "{\"text\": \"a\", \"role\": \"system\"}",
        Some("role"),
        "is \"system\"; only \"user\" is supported yet",
    );
    assert_fault("{\"text\": \"a\", \"timestamp\": \"0\"}", Some("timestamp"), "is not a number of milliseconds");
    assert_fault("{\"image\": \"x.png\"}", Some("image"), "is not supported yet; only text is");
    assert_eq!(faults(b"{\"text\":\"\xff\"}").first()[0].reason, "is not UTF-8");
    assert_eq!(faults(b"{\"text\":\"\\ud800\"}").count(), 1);
    let sessions = faults(b"{\"text\":\"a\",\"session_id\":\"s\"}\n{\"text\":\"b\",\"session_id\":\"s\"}");
    assert_eq!((sessions.first()[0].line, sessions.count()), (2, 1));
}

#[test]
fn a_row_says_more_than_its_text() {
    let row = json!({
        "texts": ["a b", {"name": "q", "contents": ["c", "d"]}], "max_tokens": 7, "model": "other", "role": "user",
        "extra": {"z": 1, "a": [true]}, "timestamp": 12.5, "session_id": "s", "note": "n", "output_length": null,
    });
    let workload = workload(&row.to_string());
    let turn = workload.turn(0);
    assert_eq!(texts(&turn), ["a b", "c", "d"]);
    assert_eq!((turn.output_tokens, turn.input_tokens), (Some(7), Some(4)));
    assert_eq!(turn.model.as_deref(), Some("other"));
    assert_eq!(serde_json::to_string(&turn.extra).unwrap(), "{\"z\":1,\"a\":[true]}");
    assert_eq!(workload.ignored_fields().collect::<Vec<_>>(), ["note", "session_id", "timestamp"]);
}

#[test]
fn rows_without_an_output_length_draw_one() {
    let folder = tempfile::tempdir().unwrap();
    let mut plan = plan_for(folder.path(), b"{\"text\":\"a\"}\n{\"text\":\"b\",\"output_length\":3}");
    plan.workload.output_tokens = Some(LengthDistribution::fixed(50.0));
    plan.workload.entries = Some(100);
    let workload = Workload::build(&plan).unwrap();
    assert_eq!([0, 1, 2].map(|number| workload.turn(number).output_tokens), [Some(50), Some(3), Some(50)]);
    plan.workload.entries = Some(1);
    assert_eq!(texts(&Workload::build(&plan).unwrap().turn(1)), ["a"]);
}

#[test]
fn files_that_hold_nothing_or_do_not_exist_are_errors() {
    let folder = tempfile::tempdir().unwrap();
    let error = Workload::build(&plan_for(folder.path(), b"\xef\xbb\xbf\n \r\n")).unwrap_err();
    assert!(matches!(error, WorkloadError::Dataset(DatasetError::Empty { .. })), "{error}");
    let mut plan = plan_for(folder.path(), b"");
    for path in [folder.path().join("none.jsonl"), folder.path().to_owned()] {
        plan.workload.source = Source::File(DatasetPlan::of(path, Some(DatasetFormat::SingleTurn)));
        let error = Workload::build(&plan).unwrap_err();
        assert!(matches!(error, WorkloadError::Dataset(DatasetError::Io { .. })), "{error}");
    }
}
