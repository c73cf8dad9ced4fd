//! Baseten traces.

use std::sync::Arc;

use parquet::data_type::{ByteArrayType, Int64Type};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use serde_json::json;
use tokamark_conversation::{Conversation, History, Prompt};
use tokamark_plan::{DatasetFormat, OpenLoop, SchedulePlan, SynthesisPlan, TracePlan};

use crate::made;

const FORMAT: DatasetFormat = DatasetFormat::BasetenTrace;

/// Time, session, input, output, duration.
type Row = (i64, Option<&'static str>, i64, i64, i64);

const ROWS: [Row; 5] = [
    (1_700_000_002_000, Some("a"), 20, 4, 500),
    (1_700_000_000_000, Some("b"), 10, 0, 100),
    (1_700_000_003_000, Some("a"), 30, 6, 0),
    (1_700_000_001_000, Some("a"), 10, 5, 300),
    (1_700_000_100_000, None, 40, 7, 0),
];

const SCHEMA: &str = "message trace {
    REQUIRED INT64 timestamp_start_unix_ms;
    REQUIRED BYTE_ARRAY prompt (UTF8);
    REQUIRED INT64 input_tokens;
    REQUIRED INT64 output_tokens;
    OPTIONAL BYTE_ARRAY provided_session_id (UTF8);
    OPTIONAL INT64 duration_e2e_ms;
    OPTIONAL GROUP total_hashes (LIST) { REPEATED GROUP list { REQUIRED INT64 element; } }
    REQUIRED INT64 unrelated;
}";

/// A file of rows; every prompt is `p` and its row, and has two blocks.
fn file(rows: &[Row]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let schema = Arc::new(parse_message_type(SCHEMA).unwrap());
    let mut writer = SerializedFileWriter::new(&mut bytes, schema, Arc::new(WriterProperties::new())).unwrap();
    let mut group = writer.next_row_group().unwrap();
    let numbers = |of: fn(&Row) -> i64| rows.iter().map(of).collect::<Vec<i64>>();
    let mut column = 0;
    while let Some(mut next) = group.next_column().unwrap() {
        let mut integers = |values: Vec<i64>, levels: Option<&[i16]>, repeats: Option<&[i16]>| {
            next.typed::<Int64Type>().write_batch(&values, levels, repeats).unwrap();
        };
        let present = vec![1; rows.len()];
        match column {
            0 => integers(numbers(|row| row.0), None, None),
            2 => integers(numbers(|row| row.2), None, None),
            3 => integers(numbers(|row| row.3), None, None),
            5 => integers(numbers(|row| row.4), Some(&present), None),
            6 => {
                let hashes = (0..rows.len() as i64).flat_map(|row| [row * 10, row * 10 + 1]).collect();
                integers(hashes, Some(&[2, 2].repeat(rows.len())), Some(&[0, 1].repeat(rows.len())));
            }
            7 => integers(vec![0; rows.len()], None, None),
            1 => {
                let prompts: Vec<_> = (0..rows.len()).map(|row| format!("p{row}").as_str().into()).collect();
                next.typed::<ByteArrayType>().write_batch(&prompts, None, None).unwrap();
            }
            _ => {
                let levels: Vec<i16> = rows.iter().map(|row| i16::from(row.1.is_some())).collect();
                let names: Vec<_> = rows.iter().filter_map(|row| row.1).map(Into::into).collect();
                next.typed::<ByteArrayType>().write_batch(&names, Some(&levels), None).unwrap();
            }
        }
        next.close().unwrap();
        column += 1;
    }
    group.close().unwrap();
    writer.close().unwrap();
    bytes
}

fn open(plan: TracePlan) -> Vec<Conversation> {
    made::conversations(file(&ROWS), FORMAT, plan)
}

fn prompts(found: &[Conversation]) -> Vec<Vec<String>> {
    let of = |conversation: &Conversation| {
        conversation.turns.iter().flat_map(|turn| turn.texts().map(str::to_owned).collect::<Vec<_>>()).collect()
    };
    found.iter().map(of).collect()
}

#[test]
fn sessions_are_sent_at_their_times_in_their_order() {
    let found = open(TracePlan::default());
    assert_eq!(prompts(&found), [vec!["p3", "p0", "p2"], vec!["p1"], vec!["p4"]]);
    assert_eq!((found[0].id.as_str(), found[0].history), ("a", History::None));
    assert_eq!(
        made::times(&found),
        [vec![Some(1_000.0), Some(2_000.0), Some(3_000.0)], vec![Some(0.0)], vec![Some(100_000.0)]]
    );
    assert!(found.iter().flat_map(|found| &found.turns).all(|turn| turn.delay_ms.is_none()));
}

#[test]
fn bodies_carry_hints_unless_told_otherwise() {
    let turn = |plan| open(plan)[1].turns[0].clone();
    let hinted = turn(TracePlan::default());
    assert_eq!(hinted.prompt, Prompt::Texts(vec!["p1".to_owned()]));
    // An answer of no tokens asks for one.
    assert_eq!(hinted.output_tokens, Some(1));
    assert_eq!(json!(hinted.extra), json!({"min_tokens": 1, "hash_ids": [10, 11], "block_size": 64}));
    let plain = turn(TracePlan { omit_kv_hints: true, force_min_tokens: false, ..TracePlan::default() });
    assert_eq!(json!(plain.extra), json!({}));
    let sized = turn(TracePlan { block_size: Some(16), ..TracePlan::default() });
    assert_eq!(sized.extra["block_size"], 16);
}

#[test]
fn strictly_every_row_is_by_itself() {
    let found = open(TracePlan { open_loop: OpenLoop::Strict, ..TracePlan::default() });
    assert_eq!(prompts(&found), [["p0"], ["p1"], ["p2"], ["p3"], ["p4"]]);
    assert_eq!(made::times(&found)[3], [Some(1_000.0)]);
}

#[test]
fn closed_loops_wait_as_their_users_did() {
    let found = open(TracePlan {
        open_loop: OpenLoop::Closed,
        replay_speedup: 2.0,
        inter_turn_delay_cap_s: Some(0.3),
        ..TracePlan::default()
    });
    // (2,000 − 1,300)/2 is cut to 300; (3,000 − 2,500)/2.
    let delays: Vec<_> = found[0].turns.iter().map(|turn| turn.delay_ms).collect();
    assert_eq!(delays, [None, Some(300.0), Some(250.0)]);
    assert_eq!(made::times(&found), [vec![Some(500.0), None, None], vec![Some(0.0)], vec![Some(50_000.0)]]);
}

#[test]
fn gaps_are_cut_after_the_speedup() {
    let found = open(TracePlan { replay_speedup: 2.0, max_idle_gap_s: Some(10.0), ..TracePlan::default() });
    assert_eq!(
        made::times(&found),
        [vec![Some(500.0), Some(1_000.0), Some(1_500.0)], vec![Some(0.0)], vec![Some(11_500.0)]]
    );
}

#[test]
fn rows_are_left_out_by_window_and_length() {
    let schedule =
        SchedulePlan { start_offset_ms: Some(1_000.0), end_offset_ms: Some(3_000.0), ..SchedulePlan::default() };
    let found = open(TracePlan { schedule: Some(schedule), ..TracePlan::default() });
    assert_eq!(prompts(&found), [["p3", "p0", "p2"]]);
    let synthesis =
        SynthesisPlan { max_isl: Some(20), output_len_multiplier: 3.0, max_osl: Some(14), ..SynthesisPlan::default() };
    let found = open(TracePlan { synthesis, ..TracePlan::default() });
    assert_eq!(prompts(&found), [vec!["p3", "p0"], vec!["p1"]]);
    let outputs: Vec<_> = found[0].turns.iter().map(|turn| turn.output_tokens).collect();
    assert_eq!(outputs, [Some(14), Some(12)]);
    assert_eq!(found[0].turns[1].extra["min_tokens"], 12);
}

#[test]
fn whole_sessions_are_sampled() {
    const NAMES: [&str; 10] = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"];
    let rows: Vec<Row> =
        NAMES.iter().cycle().take(40).zip(0i64..).map(|(name, at)| (at, Some(*name), 5, 5, 1)).collect();
    let sampled = |ratio| {
        let plan = TracePlan { session_sample_ratio: Some(ratio), ..TracePlan::default() };
        made::conversations(file(&rows), FORMAT, plan)
    };
    for (ratio, sessions) in [(1.0, 10), (0.5, 5), (0.31, 3), (0.01, 1)] {
        let found = sampled(ratio);
        assert_eq!(found.len(), sessions);
        assert!(found.iter().all(|conversation| conversation.turns.len() == 4));
    }
    assert_eq!(sampled(0.5), sampled(0.5));
}

#[test]
fn faults_name_row_and_column() {
    let faults = made::fault_lines(file(&[(-5, None, 5, 5, 1), (5, None, -1, 5, 1), (5, None, 5, 5, 1)]), FORMAT);
    assert_eq!(faults, ["row 1: `timestamp_start_unix_ms` is negative", "row 2: `input_tokens` is not a whole number"]);
}

#[test]
fn other_files_are_refused_with_a_reason() {
    for (content, reason) in [
        (&b"ARROW1\0\0"[..], "is an Arrow file; write the table as Parquet"),
        (b"PAR1 and nothing more", "is no Parquet that can be read"),
        (b"time,prompt\n1,x\n", "is no Parquet that can be read"),
    ] {
        let error = made::try_open(content, FORMAT, TracePlan::default()).unwrap_err().to_string();
        assert!(error.contains(reason), "{error}");
    }
}
