//! Analyses of whole files.

use tokamark_dataset::analyze;
use tokamark_plan::{DatasetFormat, TracePlan};
use tokamark_trace::{AgenticCode, MooncakeTrace};

use crate::made;

fn words(text: &str) -> u64 {
    text.split_whitespace().count() as u64
}

#[test]
fn a_mooncake_trace_by_hand() {
    let content = r#"
        {"timestamp": 2000, "input_length": 1536, "output_length": 10, "hash_ids": [1, 2, 4]}
        {"timestamp": 0, "input_length": 1300, "output_length": 30, "hash_ids": [1, 2, 3]}
        {"timestamp": 1000, "text_input": "four words in all", "output_length": 20}
    "#;
    let dataset = made::try_open(content, DatasetFormat::MooncakeTrace, TracePlan::default()).unwrap();
    let analysis = analyze(&dataset, &[], &words).unwrap();
    assert_eq!((analysis.rows, analysis.sessions, analysis.span_s, analysis.rate_per_s), (3, 0, Some(2.0), Some(1.0)));
    assert_eq!((analysis.input_length.unwrap().min, analysis.output_length.unwrap().avg), (4.0, 20.0));
    let reuse = analysis.reuse.unwrap();
    assert_eq!((reuse.distinct_prefixes, reuse.shared_prefixes, reuse.prefix_groups), (4, 2, 1));
    assert_eq!(reuse.token_hit_rate, 1024.0 / 2840.0);
}

#[test]
fn a_tree_of_complete_requests_is_not_inflated() {
    let content = r#"
        {"chat_id": 1, "parent_chat_id": -1, "timestamp": 0, "input_length": 32, "output_length": 4, "turn": 1, "hash_ids": [1, 2]}
        {"chat_id": 2, "parent_chat_id": 1, "timestamp": 1, "input_length": 48, "output_length": 4, "turn": 2, "hash_ids": [1, 2, 3]}
    "#;
    let dataset = made::try_open(content, DatasetFormat::BailianTrace, TracePlan::default()).unwrap();
    let analysis = analyze(&dataset, &[], &words).unwrap();
    assert_eq!((analysis.sessions, analysis.context_length.unwrap().max), (1, 48.0));
    assert_eq!(analysis.reuse.unwrap().token_hit_rate, 32.0 / 80.0);
}

#[test]
fn a_made_up_mooncake_trace_is_read_as_it_was_made() {
    let options = MooncakeTrace { rows: 500, ..MooncakeTrace::default() };
    let mut bytes = Vec::new();
    options.write(&mut bytes).unwrap();
    let found = made::conversations(&bytes, DatasetFormat::MooncakeTrace, TracePlan::default());
    let rows: Vec<_> = options.rows().unwrap().collect();
    assert_eq!(found.len(), rows.len());
    for (conversation, row) in found.iter().zip(&rows) {
        let turn = &conversation.turns[0];
        assert_eq!(turn.prompt, made::prompt(row.input_tokens, &row.hash_ids, 512));
        assert_eq!((turn.output_tokens, turn.timestamp_ms), (row.output_tokens, row.timestamp_ms));
    }
}

#[test]
fn made_up_sessions_are_read_as_they_were_made() {
    let options = AgenticCode { sessions: 20, ..AgenticCode::default() };
    let mut bytes = Vec::new();
    let quality = options.write(&mut bytes).unwrap();
    let dataset = made::try_open(&bytes, DatasetFormat::MooncakeTrace, TracePlan::default()).unwrap();
    assert_eq!((dataset.len(), dataset.turns(), dataset.ignored_fields().count()), (20, quality.analysis.rows, 0));
    let analysis = analyze(&dataset, &[], &words).unwrap();
    assert_eq!(analysis.context_length, quality.analysis.context_length);
}

#[test]
fn given_prompts_of_complete_requests_tell_no_reuse() {
    let content = r#"
        {"session_id": "a", "messages": [{"role": "user", "content": "one"}]}
        {"session_id": "a", "messages": [{"role": "user", "content": "two"}]}
    "#;
    let dataset = made::try_open(content, DatasetFormat::MooncakeTrace, TracePlan::default()).unwrap();
    let analysis = analyze(&dataset, &[], &words).unwrap();
    assert_eq!((analysis.rows, analysis.sessions, analysis.reuse), (2, 1, None));
}

#[test]
fn blocks_that_bodies_name_are_reused() {
    let content = r#"
        {"text_input": "one two three four", "extra": {"hash_ids": [1, 2], "block_size": 2}}
        {"text_input": "one two five six", "extra": {"hash_ids": [1, 3], "block_size": 2}}
    "#;
    let dataset = made::try_open(content, DatasetFormat::MooncakeTrace, TracePlan::default()).unwrap();
    assert_eq!(analyze(&dataset, &[], &words).unwrap().reuse.unwrap().token_hit_rate, 2.0 / 8.0);
}
