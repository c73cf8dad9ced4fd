//! Figures of small traces, computed by hand.

use tokamark_trace::{Analysis, Analyzer, Row};

fn row(timestamp_ms: f64, input_tokens: u64, hash_ids: &[u64]) -> Row {
    Row {
        timestamp_ms: Some(timestamp_ms),
        input_tokens,
        output_tokens: Some(5),
        hash_ids: hash_ids.to_vec(),
        block_size: 10,
        ..Row::default()
    }
}

fn analysis(rows: &[Row], caches: &[u64]) -> Analysis {
    let mut analyzer = Analyzer::default();
    rows.iter().for_each(|row| analyzer.push(row));
    analyzer.finish(caches)
}

#[test]
fn lengths_times_and_rate() {
    let analysis = analysis(&[row(3_000.0, 20, &[]), row(1_000.0, 30, &[]), row(1_500.0, 70, &[])], &[]);
    assert_eq!((analysis.rows, analysis.sessions, analysis.turns), (3, 0, None));
    assert_eq!((analysis.span_s, analysis.rate_per_s), (Some(2.0), Some(1.0)));
    let gaps = analysis.gap_ms.unwrap();
    assert_eq!((gaps.count, gaps.min, gaps.max), (2, 500.0, 1_500.0));
    let input = analysis.input_length.unwrap();
    assert_eq!((input.avg, input.p50, input.p75), (40.0, 30.0, 50.0));
    assert_eq!(analysis.output_length.unwrap().avg, 5.0);
    assert_eq!(analysis.reuse, None);
}

#[test]
fn what_is_not_told_is_absent() {
    let analysis = analysis(&[Row { input_tokens: 4, ..Row::default() }], &[]);
    assert_eq!((analysis.span_s, analysis.rate_per_s, analysis.gap_ms), (None, None, None));
    assert_eq!(analysis.output_length, None);
    let text = serde_json::to_string(&analysis).unwrap();
    assert!(!text.contains("null") && !text.contains("span_s"), "{text}");
}

#[test]
fn shared_prefixes_and_the_hit_rate_in_the_order_of_time() {
    // In time: [1 2 3], then [1 2 4] hits two of three blocks, [7 2] none, because its 2 stands behind 7.
    let rows = [row(2.0, 30, &[1, 2, 4]), row(1.0, 25, &[1, 2, 3]), row(3.0, 45, &[7, 2])];
    let reuse = analysis(&rows, &[]).reuse.unwrap();
    assert_eq!((reuse.distinct_prefixes, reuse.shared_prefixes), (6, 2));
    assert_eq!((reuse.prefix_groups, reuse.rows_in_groups), (1, 2));
    assert_eq!((reuse.shared_prompt_length.min, reuse.shared_prompt_length.max), (0.0, 20.0));
    assert_eq!((reuse.unique_prompt_length.min, reuse.unique_prompt_length.max), (5.0, 45.0));
    assert_eq!(reuse.token_hit_rate, 20.0 / 100.0);
    assert_eq!((reuse.hit_rate.min, reuse.hit_rate.max), (0.0, 20.0 / 30.0));
    assert_eq!(reuse.working_set_blocks, 6);
}

#[test]
fn a_block_cut_short_hits_no_more_than_its_tokens() {
    let reuse = analysis(&[row(0.0, 15, &[1, 2]), row(1.0, 15, &[1, 2])], &[]).reuse.unwrap();
    assert_eq!((reuse.token_hit_rate, reuse.hit_rate.max), (0.5, 1.0));
}

#[test]
fn a_bounded_cache_forgets() {
    let rows: Vec<Row> = [1, 2, 1, 2].iter().zip(0u8..).map(|(id, at)| row(at.into(), 10, &[*id])).collect();
    let reuse = analysis(&rows, &[1, 2]).reuse.unwrap();
    assert_eq!(reuse.token_hit_rate, 0.5);
    assert_eq!([reuse.caches[0].blocks, reuse.caches[1].blocks], [1, 2]);
    assert_eq!([reuse.caches[0].token_hit_rate, reuse.caches[1].token_hit_rate], [0.0, 0.5]);
}

#[test]
fn a_session_finds_its_history_again() {
    let turn = |timestamp_ms, input_tokens, hash_ids: &[u64]| Row {
        session: Some("a".to_owned()),
        timestamp_ms,
        delay_ms: timestamp_ms.is_none().then_some(10.0),
        ..row(0.0, input_tokens, hash_ids)
    };
    let rows = [turn(Some(0.0), 25, &[1, 2, 3]), turn(None, 12, &[8, 9]), row(5.0, 25, &[1, 2, 3])];
    let rows = [rows[0].clone(), Row { timestamp_ms: None, ..rows[1].clone() }, rows[2].clone()];
    let analysis = analysis(&rows, &[]);
    assert_eq!(analysis.sessions, 1);
    assert_eq!(analysis.turns.unwrap().max, 2.0);
    // The second turn repeats 25 + 5 tokens, all of them three whole blocks that are kept.
    assert_eq!(analysis.context_length.unwrap().max, 42.0);
    let reuse = analysis.reuse.unwrap();
    // The single row between finds its 25 tokens, the second turn 30.
    assert_eq!(reuse.token_hit_rate, 55.0 / (25.0 + 42.0 + 25.0));
}

#[test]
fn complete_rows_of_a_session_have_no_history() {
    let turn = |at, input_tokens, hash_ids: &[u64]| Row {
        session: Some("a".to_owned()),
        is_complete: true,
        ..row(at, input_tokens, hash_ids)
    };
    let analysis = analysis(&[turn(0.0, 20, &[1, 2]), turn(1.0, 40, &[1, 2, 3, 4])], &[]);
    assert_eq!(analysis.context_length.unwrap().max, 40.0);
    assert_eq!(analysis.reuse.unwrap().token_hit_rate, 20.0 / 60.0);
}

#[test]
fn an_analysis_is_read_again_as_written() {
    let analysis = analysis(&[row(0.0, 15, &[1, 2]), row(1.0, 15, &[1, 2])], &[4]);
    let text = serde_json::to_string(&analysis).unwrap();
    assert_eq!(serde_json::from_str::<Analysis>(&text).unwrap(), analysis);
}
