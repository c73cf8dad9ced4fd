//! Formats that are found out.

use serde_json::json;
use tokamark_dataset::{DatasetError, open};
use tokamark_plan::DatasetFormat::{self, *};
use tokamark_plan::DatasetPlan;

use crate::folder::{Folder, options, try_open_as};

/// What opening says of the format: its name, or why it is not clear.
fn found(name: &str, content: impl AsRef<[u8]>) -> String {
    match try_open_as(name, content, None) {
        Ok(dataset) => dataset.how_found().to_owned(),
        Err(error) => {
            let text = error.to_string();
            text.split_once("` ").map_or(text.clone(), |(_, reason)| reason.to_owned())
        }
    }
}

#[track_caller]
fn assert_found(row: serde_json::Value, format: DatasetFormat, by: &str) {
    assert_eq!(found("input.jsonl", row.to_string()), format!("read as {}, because {by}", format.name()));
}

#[test]
fn rows_are_told_by_their_fields() {
    let messages = json!([{"role": "user", "content": "x"}]);
    assert_found(json!({"text": "a"}), SingleTurn, "its first row has `text`");
    assert_found(json!({"text": "a", "timestamp": 1, "output_length": 3}), SingleTurn, "its first row has `text`");
    assert_found(json!({"text_input": "a", "image": "x"}), SingleTurn, "its first row has `image`");
    assert_found(json!({"text_input": "a"}), SingleTurn, "its first row has `text_input`");
    assert_found(json!({"text": "a", "type": "random_pool"}), RandomPool, "its first row has the type random_pool");
    assert_found(json!({"turns": [{"text": "a"}]}), MultiTurn, "its first row has `turns`");
    assert_found(
        json!({"session_id": "s", "turns": [{"messages": messages}]}),
        DagJsonl,
        "its first row has turns with `messages`",
    );
    assert_found(json!({"messages": messages, "model": "m"}), RawPayload, "its first row has `messages`");
    assert_found(json!({"custom_id": "1", "body": {}}), OpenaiBatch, "its first row has `custom_id` and `body`");
    assert_found(
        json!({"question_id": "1", "category": "math", "messages": messages}),
        SpeedBench,
        "its first row has `question_id` and `category`",
    );
    assert_found(
        json!({"text": "t", "input_length": 9, "priority": 1}),
        GenaiPerfPayload,
        "its first row has `input_length`",
    );
    assert_found(
        json!({"spanId": "1", "attributes": {"gen_ai.usage.input_tokens": 3}}),
        OtelSpans,
        "its first row has spans",
    );
    assert_found(json!({"data": [{"payloads": [{}]}]}), InputsJson, "it has a list in `data`");
}

#[test]
fn documents_are_told_too() {
    let inputs = serde_json::to_string_pretty(&json!({"version": 1, "data": [{"payloads": [{}]}]})).unwrap();
    assert_eq!(found("inputs.json", inputs), "read as inputs_json, because it has `data`");
    let said =
        json!([{"id": "1", "conversations": [{"from": "human", "value": "a b c d"}, {"from": "gpt", "value": "e"}]}]);
    let why = "read as sharegpt, because its first row has a list of messages in `conversations`";
    assert_eq!(found("s.json", said.to_string()), why);
    assert_eq!(found("s.json", serde_json::to_string_pretty(&said).unwrap()), why);
}

#[test]
fn what_is_not_clear_is_said() {
    let messages = json!([{"role": "user", "content": "x"}]);
    let flag = "name the format with --custom-dataset-type";
    assert_eq!(
        found("a.jsonl", json!({"messages": messages}).to_string()),
        format!("may be mooncake_trace or raw_payload by its first row; {flag}")
    );
    assert_eq!(
        found("a.jsonl", "{\"prompt\": \"x\"}"),
        format!("is in no format that is known: its first row has no field that tells it; {flag}")
    );
    assert_eq!(
        found("a.txt", "Once upon a time"),
        format!("is in no format that is known: its first line is neither JSON nor a known table's; {flag}")
    );
    assert!(matches!(try_open_as("a.jsonl", "\n \n", None), Err(DatasetError::Empty { .. })));
}

#[test]
fn folders_are_told_by_their_first_file() {
    let how = |files: &[(&str, &[u8])]| {
        let folder = Folder::of(files);
        let found =
            open(&DatasetPlan::of(folder.path(""), None), &options()).map(|dataset| dataset.how_found().to_owned());
        found.map_err(|error| error.to_string().split_once("` ").unwrap().1.to_owned())
    };
    assert_eq!(
        how(&[("a.jsonl", b"{\"text\":\"a\"}"), ("b.jsonl", b"{\"text\":\"b\"}")]).unwrap(),
        "read as random_pool, because it is a folder of files in which its first row has `text`"
    );
    assert_eq!(
        how(&[("a.jsonl", b"{\"messages\":[],\"model\":\"m\"}")]).unwrap(),
        "read as raw_payload, because its first row has `messages`"
    );
    assert_eq!(how(&[]).unwrap_err(), "has no rows: there is no file in it");
}

#[test]
fn a_file_is_the_same_with_and_without_the_flag() {
    let text = "{\"text\":\"a\",\"timestamp\":3}\n{\"text\":\"b\",\"timestamp\":5}\n";
    let told = try_open_as("a.jsonl", text, Some(SingleTurn)).unwrap();
    let found = try_open_as("a.jsonl", text, None).unwrap();
    assert_eq!(told.content_digest(), found.content_digest());
    assert_eq!((told.starts_ms(), found.starts_ms()), (Some(&[3.0, 5.0][..]), Some(&[3.0, 5.0][..])));
}

#[test]
fn a_pipe_is_read_once_and_for_all() {
    use std::io::Write;
    use std::os::fd::AsRawFd;
    let (reader, mut writer) = std::io::pipe().unwrap();
    let path = format!("/dev/fd/{}", reader.as_raw_fd());
    let sender = std::thread::spawn(move || writer.write_all(b"{\"text\":\"a\"}\n{\"text\":\"b\"}\n").unwrap());
    let dataset = open(&DatasetPlan::of(path, None), &options()).unwrap();
    sender.join().unwrap();
    assert_eq!(dataset.len(), 2);
    assert_eq!(dataset.how_found(), "read as single_turn, because its first row has `text`");
}

#[test]
fn traces_are_told_too() {
    let first = |text: String| found("trace", text);
    let because = |format: DatasetFormat, by: &str| format!("read as {}, because {by}", format.name());
    assert_eq!(
        first("Timestamp,Model,Request tokens,Response tokens,Total tokens,Log Type\n5,m,3,4,7,x\n".into()),
        because(BurstGptTrace, "it is a CSV file with the columns Timestamp, Request tokens, Response tokens")
    );
    assert_eq!(
        first("TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:17:03.9799600,4808,10\n".into()),
        because(AzureTrace, "it is a CSV file with the columns TIMESTAMP, ContextTokens, GeneratedTokens")
    );
    assert_eq!(
        first(json!({"timestamp": 0, "input_length": 600, "output_length": 5, "hash_ids": [1, 2]}).to_string()),
        because(MooncakeTrace, "its first row has `input_length`")
    );
    assert_eq!(
        first(json!({"text_input": "x", "timestamp": 0}).to_string()),
        because(MooncakeTrace, "its first row has `text_input`")
    );
    assert_eq!(
        first(json!({"messages": [{"role": "user", "content": "x"}], "output_length": 3}).to_string()),
        because(MooncakeTrace, "its first row has `output_length`")
    );
    let bailian = json!({"chat_id": 1, "parent_chat_id": -1, "timestamp": 0.5, "input_length": 20, "output_length": 5,
        "type": "text", "turn": 1, "hash_ids": [1, 2]});
    assert_eq!(first(bailian.to_string()), because(BailianTrace, "its first row has `chat_id` and `parent_chat_id`"));
}
