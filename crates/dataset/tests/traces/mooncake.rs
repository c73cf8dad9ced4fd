//! Mooncake traces, and the changes that every trace may have.

use serde_json::json;
use tokamark_conversation::{Conversation, History, Prompt, Turn};
use tokamark_plan::{DatasetFormat, SchedulePlan, SynthesisPlan, TracePlan};

use crate::made;

const FORMAT: DatasetFormat = DatasetFormat::MooncakeTrace;

fn conversations(content: &str) -> Vec<Conversation> {
    made::conversations(content, FORMAT, TracePlan::default())
}

#[test]
fn single_rows_have_lengths_blocks_and_times() {
    let content = r#"
        {"timestamp": 0, "input_length": 6758, "output_length": 500, "hash_ids": [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]}
        {"timestamp": 3052.5, "input_length": 1024, "output_length": 1, "hash_ids": [0, 14]}
        {"timestamp": 3052.5, "input_length": 1030, "hash_ids": [0]}
        {"input_length": 7}
    "#;
    let found = conversations(content);
    let blocks: Vec<u64> = (0..14).collect();
    assert_eq!(
        found[0],
        Conversation {
            history: History::Live,
            start_ms: Some(0.0),
            ..Conversation::single(
                "session_000000".to_owned(),
                Turn {
                    row: 0,
                    prompt: made::prompt(6758, &blocks, 512),
                    output_tokens: Some(500),
                    timestamp_ms: Some(0.0),
                    ..Turn::default()
                }
            )
        }
    );
    let prompts: Vec<Prompt> = found[1..].iter().map(|conversation| conversation.turns[0].prompt.clone()).collect();
    assert_eq!(prompts, [made::prompt(1024, &[0, 14], 512), made::prompt(1030, &[0], 512), made::prompt(7, &[], 512)]);
    assert_eq!(made::times(&found), [[Some(0.0)], [Some(3052.5)], [Some(3052.5)], [None]]);
}

#[test]
fn rows_of_a_session_are_increments() {
    let content = r#"
        {"session_id": "a", "timestamp": 10, "input_length": 600, "output_length": 5, "hash_ids": [1, 2], "group_id": 3}
        {"session_id": "b", "timestamp": 20, "input_length": 50}
        {"session_id": "a", "delay": 250, "input_length": 40, "output_length": 6, "hash_ids": [9]}
    "#;
    let dataset = made::try_open(content, FORMAT, TracePlan::default()).unwrap();
    let a = dataset.conversation(0).unwrap();
    assert_eq!((a.id.as_str(), a.history, a.start_ms), ("a", History::Live, Some(10.0)));
    assert_eq!(a.turns[0].prompt, made::prompt(600, &[1, 2], 512));
    assert_eq!(a.turns[1].prompt, made::prompt(40, &[9], 512));
    assert_eq!((a.turns[1].delay_ms, a.turns[1].timestamp_ms, a.turns[1].row), (Some(250.0), None, 2));
    assert_eq!(dataset.starts_ms(), Some(&[10.0, 20.0][..]));
    assert_eq!((dataset.rows(), dataset.turns(), dataset.ignored_fields().count()), (3, 3, 0));
}

#[test]
fn given_prompts_are_kept_as_they_are() {
    let tools = json!([{"type": "function", "function": {"name": "f"}}]);
    let content = format!(
        "{}\n{}\n{}\n",
        json!({"text_input": "hello", "output_length": 3, "extra": {"top_k": 1}}),
        json!({"session_id": "m", "messages": [{"role": "user", "content": "hi"}], "tools": tools}),
        r#"{"session_id": "p", "delay": 4, "payload": {"model": "x",  "temperature": 1.50}}"#,
    );
    let found = conversations(&content);
    assert_eq!(
        (found[0].history, &found[0].turns[0].prompt),
        (History::Live, &Prompt::Texts(vec!["hello".to_owned()]))
    );
    assert_eq!(found[0].turns[0].extra["top_k"], 1);
    let message = json!({"role": "user", "content": "hi"});
    assert_eq!((found[1].history, &found[1].turns[0].prompt), (History::None, &Prompt::Messages(vec![message])));
    assert_eq!(found[1].turns[0].tools, Some(tools));
    let body = r#"{"model": "x",  "temperature": 1.50}"#.to_owned();
    assert_eq!((found[2].history, &found[2].turns[0].prompt), (History::None, &Prompt::Body(body)));
    assert_eq!(found[2].turns[0].delay_ms, Some(4.0));
}

#[test]
fn faults_name_line_and_field() {
    let content = r#"{"input_length": 512, "hash_ids": [1, 2]}
{"timestamp": -1, "input_length": 5}
{"timestamp": NaN, "input_length": 5}
{"input_length": 0}
{"input_length": 5, "text_input": "x"}
{"output_length": 5}
{"text_input": "x", "hash_ids": [1]}
{"input_length": 5, "hash_ids": [1.5]}
{"input_length": 5, "output_length": -2}
{"payload": "x"}
{"messages": []}
{"session_id": "s", "input_length": 5}
{"session_id": "s", "payload": {}}
{"input_length": 2000000000}"#;
    assert_eq!(
        made::fault_lines(content, FORMAT),
        [
            "line 1: `hash_ids` has 2 blocks of 512 tokens, but 512 tokens fill only 1; set the trace's block size",
            "line 2: `timestamp` is negative",
            "line 3: is not JSON (expected value, column 15)",
            "line 4: `input_length` is not a whole number above 0",
            "line 5: `text_input` stands beside `input_length`; only one of them may be given",
            "line 6: `input_length` is missing; `text_input`, `messages` or `payload` may stand in its place",
            "line 7: `hash_ids` needs `input_length`",
            "line 8: `hash_ids[0]` is not a whole number",
            "line 9: `output_length` is not a whole number above 0",
            "line 10: `payload` is a text, not an object",
            "line 11: `messages` is empty",
            "line 13: `session_id` is that of rows of another kind; a session is of complete rows or of none",
            "line 14: `input_length` must be a whole number from 1 to 1000000000",
        ]
    );
}

#[test]
fn the_block_size_is_the_plans() {
    let trace = TracePlan { block_size: Some(4), ..TracePlan::default() };
    let found = made::conversations(r#"{"input_length": 10, "hash_ids": [1, 2, 3]}"#, FORMAT, trace);
    assert_eq!(found[0].turns[0].prompt, made::prompt(10, &[1, 2, 3], 4));
}

const TIMED: &str = r#"
    {"session_id": "a", "timestamp": 1000, "input_length": 1}
    {"session_id": "b", "timestamp": 500, "input_length": 2}
    {"session_id": "a", "delay": 80, "input_length": 3}
    {"session_id": "b", "delay": 90, "input_length": 4}
    {"timestamp": 3000, "input_length": 5}
    {"timestamp": 3001, "input_length": 6}
"#;

fn window(start_ms: Option<f64>, end_ms: Option<f64>, speedup_ratio: f64) -> TracePlan {
    TracePlan {
        schedule: Some(SchedulePlan { start_offset_ms: start_ms, end_offset_ms: end_ms, ..SchedulePlan::default() }),
        synthesis: SynthesisPlan { speedup_ratio, ..SynthesisPlan::default() },
        ..TracePlan::default()
    }
}

#[test]
fn rows_outside_the_window_are_left_out_with_those_that_follow_them() {
    let lengths = |start, end| made::lengths(&made::conversations(TIMED, FORMAT, window(start, end, 1.0)));
    assert_eq!(lengths(None, None), [vec![1, 3], vec![2, 4], vec![5], vec![6]]);
    assert_eq!(lengths(Some(501.0), None), [vec![1, 3], vec![5], vec![6]]);
    assert_eq!(lengths(Some(500.0), Some(3000.0)), [vec![1, 3], vec![2, 4], vec![5]]);
    assert_eq!(lengths(None, Some(999.0)), [[2, 4]]);
}

#[test]
fn a_speedup_divides_times_from_the_start_of_the_window_and_delays() {
    let found = made::conversations(TIMED, FORMAT, window(Some(500.0), None, 2.0));
    assert_eq!(
        made::times(&found),
        [vec![Some(750.0), None], vec![Some(500.0), None], vec![Some(1750.0)], vec![Some(1750.5)]]
    );
    assert_eq!(found[0].turns[1].delay_ms, Some(40.0));
    let found = made::conversations(TIMED, FORMAT, window(None, None, 0.0));
    assert_eq!(found[0].turns[1].delay_ms, Some(0.0));
    assert!(found.iter().all(|conversation| conversation.turns[0].timestamp_ms == Some(0.0)));
}

#[test]
fn a_window_that_ends_before_it_begins_is_refused() {
    let error = made::try_open(TIMED, FORMAT, window(Some(5.0), Some(4.0), 1.0)).unwrap_err().to_string();
    assert!(error.ends_with(
        "cannot be replayed as asked: the start offset of 5 ms lies behind the end offset of 4 ms, so no row would be left"
    ));
}

#[test]
fn lengths_are_changed_as_asked_for() {
    let content = r#"
        {"timestamp": 0, "input_length": 1500, "output_length": 10, "hash_ids": [7, 8, 9]}
        {"timestamp": 1, "input_length": 1536, "output_length": 100, "hash_ids": [7, 8, 5]}
        {"timestamp": 2, "input_length": 9999, "output_length": 100, "hash_ids": [7, 8, 9]}
    "#;
    let synthesis = SynthesisPlan {
        prefix_len_multiplier: 2.0,
        prompt_len_multiplier: 0.5,
        output_len_multiplier: 3.0,
        max_isl: Some(5000),
        max_osl: Some(200),
        ..SynthesisPlan::default()
    };
    let found = made::conversations(content, FORMAT, TracePlan { synthesis, ..TracePlan::default() });
    // Four blocks of shared prefix; 476 and 512 tokens of their own are halved. The third row is too long, so that its
    // blocks do not count: the second row's third block is no other's.
    assert_eq!(made::lengths(&found), [[2048 + 238], [2048 + 256]]);
    let (Prompt::Made { blocks: a, .. }, Prompt::Made { blocks: b, .. }) =
        (&found[0].turns[0].prompt, &found[1].turns[0].prompt)
    else {
        panic!()
    };
    assert_eq!((a.len(), b.len(), &a[..4]), (5, 5, &b[..4]));
    assert_ne!(a[4], b[4]);
    assert_eq!([found[0].turns[0].output_tokens, found[1].turns[0].output_tokens], [Some(30), Some(200)]);
}

#[test]
fn an_impossible_change_names_its_flag() {
    let synthesis = SynthesisPlan { prompt_len_multiplier: -1.0, ..SynthesisPlan::default() };
    let error = made::try_open(TIMED, FORMAT, TracePlan { synthesis, ..TracePlan::default() }).unwrap_err();
    assert!(error.to_string().ends_with("--synthesis-prompt-len-multiplier must be a number from 0 to 1e6"), "{error}");
}

#[test]
fn delays_can_be_ignored() {
    let found = made::conversations(TIMED, FORMAT, TracePlan { ignore_delays: true, ..TracePlan::default() });
    assert!(
        found.iter().flat_map(|found| &found.turns).all(|turn| turn.timestamp_ms.is_none() && turn.delay_ms.is_none())
    );
}
