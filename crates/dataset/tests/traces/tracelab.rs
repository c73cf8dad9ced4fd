//! TraceLab rounds.

use tokamark_conversation::History;
use tokamark_plan::{DatasetFormat, TracePlan};

use crate::made;

const FORMAT: DatasetFormat = DatasetFormat::Tracelab;

#[test]
fn blocks_of_the_cached_prefix_keep_their_names() {
    let content = r#"
        {"session_id": "a", "round_index": 0, "input_tokens_total": 200, "prefix_tokens": 0, "newly_append_tokens": 200, "timing_events": [{"event_type": "start", "timestamp": 1700000000.5}, {"event_type": "end", "timestamp": 1700000002.5}], "tools": []}
        {"session_id": "b", "round_index": 0, "input_tokens_total": 64, "prefix_tokens": 0, "newly_append_tokens": 64, "timing_events": [{"event_type": "start", "timestamp": "2023-11-14T22:13:20.25Z"}]}
        {"session_id": "a", "round_index": 1, "input_tokens_total": 330, "prefix_tokens": 130, "newly_append_tokens": 200, "output_tokens": 7, "timing_events": [{"event_type": "start", "timestamp": 1700000003}]}
        {"session_id": "a", "round_index": 3, "input_tokens_total": 100, "prefix_tokens": 320}
    "#;
    let content = content.replace(
        r#""input_tokens_total": 100, "prefix_tokens": 320"#,
        r#""input_tokens_total": 100, "prefix_tokens": 64"#,
    );
    let found = made::conversations(content, FORMAT, TracePlan::default());
    let prompts: Vec<_> = found[0].turns.iter().map(|turn| turn.prompt.clone()).collect();
    // Three whole blocks of 64; two of them stay, and three more; one stays.
    assert_eq!(
        prompts,
        [made::prompt(200, &[0, 1, 2], 64), made::prompt(330, &[0, 1, 4, 5, 6], 64), made::prompt(100, &[0], 64)]
    );
    assert_eq!(found[1].turns[0].prompt, made::prompt(64, &[3], 64));
    assert!(found.iter().all(|conversation| conversation.history == History::None));
    assert_eq!((found[0].start_ms, found[1].start_ms), (Some(250.0), Some(0.0)));
    let delays: Vec<_> = found[0].turns.iter().map(|turn| turn.delay_ms).collect();
    assert_eq!(delays, [None, Some(500.0), None]);
    assert_eq!(found[0].turns[1].output_tokens, Some(7));
}

#[test]
fn faults_name_line_and_field() {
    let content = r#"{"session_id": "a", "round_index": 1, "input_tokens_total": 200, "prefix_tokens": 201}
{"session_id": "a", "round_index": 1, "input_tokens_total": 200}
{"session_id": "a", "round_index": 1, "input_tokens_total": 200}
{"round_index": 2, "input_tokens_total": 0}
{"session_id": "a", "round_index": 2, "input_tokens_total": 5, "timing_events": [{"timestamp": "noon"}]}
{"session_id": "a", "round_index": 2, "input_tokens_total": 9000000000000}"#;
    assert_eq!(
        made::fault_lines(content, FORMAT),
        [
            "line 1: `prefix_tokens` is 201, but the whole prompt has 200",
            "line 3: `round_index` is not above that of the session's line before",
            "line 4: `session_id` is missing",
            "line 4: `input_tokens_total` is not a whole number above 0",
            "line 5: `timing_events[0].timestamp` is not a time such as 2023-11-16 18:17:03.9799600",
            "line 6: `input_length` must be a whole number from 1 to 1000000000",
        ]
    );
}
