//! Bailian traces.

use tokamark_conversation::History;
use tokamark_plan::{DatasetFormat, TracePlan};

use crate::made;

const FORMAT: DatasetFormat = DatasetFormat::BailianTrace;

const TREES: &str = r#"
    {"chat_id": 11, "parent_chat_id": -1, "timestamp": 0.5, "input_length": 20, "output_length": 4, "type": "text", "turn": 1, "hash_ids": [1, 2]}
    {"chat_id": 13, "parent_chat_id": 12, "timestamp": 9.25, "input_length": 48, "output_length": 6, "type": "text", "turn": 3, "hash_ids": [1, 3, 4]}
    {"chat_id": 12, "parent_chat_id": 11, "timestamp": 4, "input_length": 32, "output_length": 5, "type": "text", "turn": 2, "hash_ids": [1, 3]}
    {"chat_id": 20, "parent_chat_id": 19, "timestamp": 1, "input_length": 3, "output_length": 1, "type": "text", "turn": 2, "hash_ids": [9]}
"#;

#[test]
fn trees_are_conversations_of_complete_requests_in_the_order_of_turns() {
    let dataset = made::try_open(TREES, FORMAT, TracePlan::default()).unwrap();
    assert_eq!((dataset.len(), dataset.turns()), (2, 4));
    let tree = dataset.conversation(0).unwrap();
    assert_eq!((tree.id.as_str(), tree.history), ("11", History::None));
    let prompts: Vec<_> = tree.turns.iter().map(|turn| turn.prompt.clone()).collect();
    assert_eq!(
        prompts,
        [made::prompt(20, &[1, 2], 16), made::prompt(32, &[1, 3], 16), made::prompt(48, &[1, 3, 4], 16)]
    );
    let times: Vec<_> = tree.turns.iter().map(|turn| turn.timestamp_ms).collect();
    assert_eq!(times, [Some(500.0), Some(4000.0), Some(9250.0)]);
    // Its parent is not in the file, so it begins a conversation.
    assert_eq!(dataset.conversation(1).unwrap().id, "20");
    assert_eq!(dataset.starts_ms(), Some(&[500.0, 1000.0][..]));
}

#[test]
fn faults_name_line_and_field() {
    let content = r#"{"chat_id": 1, "parent_chat_id": -1, "timestamp": 0, "input_length": 16, "output_length": 1, "hash_ids": [1, 2]}
{"chat_id": 2, "parent_chat_id": 3, "timestamp": 0, "input_length": 16, "output_length": 1, "hash_ids": [1]}
{"chat_id": 3, "parent_chat_id": 2, "timestamp": 0, "input_length": 16, "output_length": 1, "hash_ids": [1]}
{"chat_id": 4, "parent_chat_id": -1, "timestamp": -3, "input_length": 16, "output_length": 1, "hash_ids": [1]}
{"chat_id": 5, "timestamp": 1, "input_length": 16, "output_length": 1}
{"chat_id": 5, "timestamp": 1, "input_length": 16, "output_length": 1}
{"timestamp": 1, "output_length": 1}"#;
    assert_eq!(
        made::fault_lines(content, FORMAT),
        [
            "line 1: `hash_ids` has 2 blocks of 16 tokens, but 16 tokens fill only 1; set the trace's block size",
            "line 2: `parent_chat_id` leads back to the chat itself",
            "line 3: `parent_chat_id` leads back to the chat itself",
            "line 4: `timestamp` is negative",
            "line 6: `chat_id` is that of an earlier line",
            "line 7: `chat_id` is missing",
            "line 7: `input_length` is missing",
        ]
    );
}
