//! GenAI-Perf's payload files.

use serde_json::json;
use tokamark_conversation::{Prompt, Turn};
use tokamark_dataset::open;
use tokamark_plan::{DatasetFormat, DatasetPlan};

use crate::folder::{Folder, all, assert_fault, conversations, options};

const FORMAT: DatasetFormat = DatasetFormat::GenaiPerfPayload;

#[test]
fn unknown_fields_go_into_the_body() {
    let lines = [
        json!({"timestamp": 10, "text": "t", "output_length": 7, "priority": 3, "nvext": {"a": 1}}),
        json!({"timestamp": 20, "input_length": 1000, "hash_ids": [4, 9]}),
        json!({"input_length": 30, "text_input": "u"}),
    ];
    let got = conversations(lines.map(|line| line.to_string()).join("\n"), FORMAT);
    let turns: Vec<&Turn> = got.iter().flat_map(|one| &one.turns).collect();
    let made = Prompt::Made { tokens: 1000, blocks: vec![4, 9], block_size: 512 };
    assert_eq!(
        turns,
        [
            &Turn {
                output_tokens: Some(7),
                timestamp_ms: Some(10.0),
                extra: json!({"priority": 3, "nvext": {"a": 1}}).as_object().unwrap().clone(),
                ..Turn::text(0, "t")
            },
            &Turn { row: 1, prompt: made, timestamp_ms: Some(20.0), ..Turn::default() },
            &Turn::text(2, "u"),
        ]
    );
}

#[test]
fn a_turn_names_the_wait_after_it() {
    let lines = [
        json!({"session_id": "s", "text": "a", "delay": 30, "timestamp": 1}),
        json!({"session_id": "s", "text": "b", "delay": 50}),
        json!({"text": "x", "delay": 90}),
        json!({"session_id": "s", "text": "c"}),
    ];
    let got = conversations(lines.map(|line| line.to_string()).join("\n"), FORMAT);
    let waits: Vec<_> = got.iter().map(|one| one.turns.iter().map(|turn| turn.delay_ms).collect::<Vec<_>>()).collect();
    assert_eq!(waits, [vec![None, Some(30.0), Some(50.0)], vec![None]]);
}

#[test]
fn traces_can_be_changed() {
    let text = "{\"timestamp\":100,\"input_length\":40,\"output_length\":10}\n{\"timestamp\":300,\"input_length\":90}";
    let folder = Folder::of(&[("a.jsonl", text.as_bytes())]);
    let mut plan = DatasetPlan::of(folder.path("a.jsonl"), Some(FORMAT));
    plan.trace.synthesis.speedup_ratio = 4.0;
    plan.trace.synthesis.output_len_multiplier = 1.5;
    plan.trace.synthesis.prompt_len_multiplier = 0.5;
    plan.trace.synthesis.max_isl = Some(60);
    let got = all(&open(&plan, &options()).unwrap());
    let made = Prompt::Made { tokens: 20, blocks: Vec::new(), block_size: 512 };
    assert_eq!(got.len(), 1);
    let expected = Turn { prompt: made, timestamp_ms: Some(25.0), output_tokens: Some(15), ..Turn::default() };
    assert_eq!(got[0].turns, [expected]);
}

#[test]
fn faults_are_told() {
    assert_fault("{\"priority\":1}", FORMAT, Some("text"), "is missing, and so is `input_length`");
    assert_fault(
        "{\"text\":\"a\",\"text_input\":\"b\"}",
        FORMAT,
        Some("text_input"),
        "stands beside `text`; only one of them may be given",
    );
    assert_fault("{\"input_length\":true}", FORMAT, Some("input_length"), "is not a whole number above 0");
    assert_fault(
        "{\"input_length\":1025,\"hash_ids\":[1,2]}",
        FORMAT,
        Some("hash_ids"),
        "has 2 blocks of 512 tokens for 1025 tokens",
    );
    assert_fault(
        "{\"input_length\":512,\"hash_ids\":[1,2]}",
        FORMAT,
        Some("hash_ids"),
        "has 2 blocks of 512 tokens for 512 tokens",
    );
}

#[test]
fn shared_prefixes_can_be_made_longer() {
    let line = |own: u64| format!("{{\"input_length\":1024,\"hash_ids\":[1,{own}]}}\n");
    let folder = Folder::of(&[("a.jsonl", (line(2) + &line(3)).as_bytes())]);
    let mut plan = DatasetPlan::of(folder.path("a.jsonl"), Some(FORMAT));
    plan.trace.synthesis.prefix_len_multiplier = 2.0;
    let got: Vec<(u64, Vec<u64>)> = all(&open(&plan, &options()).unwrap())
        .iter()
        .map(|one| match &one.turns[0].prompt {
            Prompt::Made { tokens, blocks, block_size: 512 } => (*tokens, blocks.clone()),
            other => panic!("{other:?}"),
        })
        .collect();
    // One shared block becomes two; the block of the row's own stays.
    assert_eq!(got.iter().map(|(tokens, blocks)| (*tokens, blocks.len())).collect::<Vec<_>>(), [(1536, 3), (1536, 3)]);
    assert_eq!(got[0].1[..2], got[1].1[..2]);
    assert_ne!(got[0].1[2], got[1].1[2]);
}
