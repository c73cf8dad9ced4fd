//! SPEED-Bench.

use serde_json::json;
use tokamark_conversation::{Conversation, Turn};
use tokamark_dataset::{DatasetError, open};
use tokamark_plan::{DatasetFormat, DatasetPlan};

use crate::folder::{Folder, all, assert_fault, options};

const FORMAT: DatasetFormat = DatasetFormat::SpeedBench;

fn row(id: &str, category: &str, texts: &[&str]) -> String {
    let messages: Vec<_> = texts.iter().map(|text| json!({"role": "user", "content": text})).collect();
    json!({"question_id": id, "category": category, "messages": messages}).to_string() + "\n"
}

fn folder() -> Folder {
    let qualitative = row("1", "coding", &["a"]) + &row("2", "math", &["b", "c"]);
    let short = row("3", "low_entropy", &["d"]) + &row("4", "mixed", &["e"]);
    Folder::of(&[
        ("qualitative.jsonl", qualitative.as_bytes()),
        ("throughput_1k.jsonl", short.as_bytes()),
        ("throughput_16k.jsonl", row("5", "High Entropy", &["f"]).as_bytes()),
        ("README.md", b"# no rows"),
    ])
}

#[track_caller]
fn ids(split: Option<&str>) -> Vec<String> {
    let folder = folder();
    let plan = DatasetPlan { split: split.map(str::to_owned), ..DatasetPlan::of(folder.path(""), Some(FORMAT)) };
    all(&open(&plan, &options()).unwrap()).into_iter().map(|one| one.id).collect()
}

#[test]
fn splits_name_files_and_categories() {
    assert_eq!(ids(Some("qualitative")), ["1", "2"]);
    assert_eq!(ids(Some("math")), ["2"]);
    assert_eq!(ids(Some("throughput_1k")), ["3", "4"]);
    assert_eq!(ids(Some("throughput-1k-low-entropy")), ["3"]);
    assert_eq!(ids(Some("throughput_16k_high_entropy")), ["5"]);
    assert_eq!(ids(None), ["1", "2", "5", "3", "4"]);
}

#[test]
fn each_question_is_a_turn() {
    let folder = folder();
    let plan =
        DatasetPlan { split: Some("math".into()), ..DatasetPlan::of(folder.path("qualitative.jsonl"), Some(FORMAT)) };
    let got = all(&open(&plan, &options()).unwrap());
    let turns = vec![Turn::text(0, "b"), Turn::text(0, "c")];
    assert_eq!(got, [Conversation { id: "2".into(), turns, ..Conversation::default() }]);
}

#[test]
fn what_is_not_there_is_named() {
    let folder = folder();
    for (split, reason) in [
        ("throughput_8k", "has no file throughput_8k.jsonl"),
        ("throughput_1k_high_entropy", "has no rows of the category high_entropy"),
    ] {
        let plan = DatasetPlan { split: Some(split.into()), ..DatasetPlan::of(folder.path(""), Some(FORMAT)) };
        match open(&plan, &options()) {
            Err(DatasetError::Unusable { reason: told, .. }) => assert_eq!(told, reason),
            other => panic!("{other:?}"),
        }
    }
    assert_fault("{\"question_id\":\"1\",\"category\":\"math\"}", FORMAT, Some("messages"), "is missing");
    assert_fault("{\"question_id\":\"1\",\"category\":\"math\",\"messages\":[]}", FORMAT, Some("messages"), "is empty");
}

#[test]
fn the_same_question_in_two_files_is_asked_twice() {
    let row = row("1", "mixed", &["a"]);
    let folder = Folder::of(&[("throughput_1k.jsonl", row.as_bytes()), ("throughput_2k.jsonl", row.as_bytes())]);
    let got = all(&open(&DatasetPlan::of(folder.path(""), Some(FORMAT)), &options()).unwrap());
    let single = |id: &str, row| Conversation::single(id.into(), Turn::text(row, "a"));
    assert_eq!(got, [single("1", 0), single("session_000001", 1)]);
}
