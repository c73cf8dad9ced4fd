//! Changes of traces: exact cases, and what holds for any trace.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail the test")]

use proptest::prelude::*;
use tokamark_plan::SynthesisPlan;
use tokamark_trace::{Row, SharedIds, Transform, TransformError};

const SIZE: u32 = 10;

fn row(input_tokens: u64, hash_ids: &[u64]) -> Row {
    Row { input_tokens, output_tokens: Some(8), hash_ids: hash_ids.to_vec(), block_size: SIZE, ..Row::default() }
}

fn changed(plan: SynthesisPlan, rows: &[Row]) -> Vec<Row> {
    let mut shared = SharedIds::default();
    rows.iter().for_each(|row| shared.add(&row.hash_ids));
    let mut transform = Transform::new(plan, shared).unwrap();
    rows.iter().filter_map(|row| transform.row(row.clone())).collect()
}

/// Two rows that share their first two blocks.
fn pair() -> [Row; 2] {
    [row(35, &[1, 2, 3, 4]), row(40, &[1, 2, 5, 6])]
}

fn common(a: &Row, b: &Row) -> usize {
    a.hash_ids.iter().zip(&b.hash_ids).take_while(|(a, b)| a == b).count()
}

#[test]
fn nothing_asked_changes_nothing() {
    let mut rows = pair();
    rows[0].timestamp_ms = Some(5.5);
    rows[1].delay_ms = Some(7.5);
    assert_eq!(changed(SynthesisPlan::default(), &rows), rows);
}

#[test]
fn times_and_delays_are_divided_by_the_speedup() {
    let mut rows = pair();
    rows[0].timestamp_ms = Some(500.0);
    rows[1].delay_ms = Some(70.0);
    let times = |speedup_ratio| {
        let rows = changed(SynthesisPlan { speedup_ratio, ..SynthesisPlan::default() }, &rows);
        (rows[0].timestamp_ms, rows[1].delay_ms)
    };
    assert_eq!(times(2.0), (Some(250.0), Some(35.0)));
    assert_eq!(times(0.0), (Some(0.0), Some(0.0)));
}

#[test]
fn a_shared_prefix_is_stretched_and_stays_shared() {
    let rows = changed(SynthesisPlan { prefix_len_multiplier: 2.0, ..SynthesisPlan::default() }, &pair());
    assert_eq!([rows[0].input_tokens, rows[1].input_tokens], [55, 60]);
    assert_eq!([rows[0].hash_ids.len(), rows[1].hash_ids.len()], [6, 6]);
    assert_eq!(common(&rows[0], &rows[1]), 4);
}

#[test]
fn a_part_of_a_block_more_is_a_block_more() {
    // Blocks 0 and 1 become ⌈1.25⌉ − 0 = 2 and ⌈2.5⌉ − ⌈1.25⌉ = 1 blocks.
    let rows = changed(SynthesisPlan { prefix_len_multiplier: 1.25, ..SynthesisPlan::default() }, &pair());
    assert_eq!([rows[0].input_tokens, rows[1].input_tokens], [45, 50]);
    assert_eq!(common(&rows[0], &rows[1]), 3);
}

#[test]
fn a_prefix_that_ends_within_a_block_is_stretched_by_tokens() {
    let whole = [row(15, &[1, 2]), row(15, &[1, 2])];
    let rows = changed(SynthesisPlan { prefix_len_multiplier: 3.0, ..SynthesisPlan::default() }, &whole);
    assert_eq!((rows[0].input_tokens, rows[0].hash_ids.len()), (45, 5));
    assert_eq!(rows[0].hash_ids, rows[1].hash_ids);
}

#[test]
fn a_shared_prefix_is_cut_to_at_least_one_block() {
    for (multiplier, blocks) in [(0.5, 1), (0.9, 2), (0.0, 1)] {
        let plan = SynthesisPlan { prefix_len_multiplier: multiplier, ..SynthesisPlan::default() };
        let rows = changed(plan, &pair());
        assert_eq!(common(&rows[0], &rows[1]), blocks);
        assert_eq!(rows[0].input_tokens, 15 + 10 * blocks as u64);
    }
}

#[test]
fn the_rest_of_a_prompt_is_scaled_and_its_blocks_are_its_own() {
    let rows = changed(SynthesisPlan { prompt_len_multiplier: 3.0, ..SynthesisPlan::default() }, &pair());
    assert_eq!([rows[0].input_tokens, rows[1].input_tokens], [20 + 45, 20 + 60]);
    assert_eq!([rows[0].hash_ids.len(), rows[1].hash_ids.len()], [7, 8]);
    assert_eq!(common(&rows[0], &rows[1]), 2);
    let all: std::collections::HashSet<u64> = rows.iter().flat_map(|row| row.hash_ids.clone()).collect();
    assert_eq!(all.len(), 2 + 5 + 6);

    let none = changed(SynthesisPlan { prompt_len_multiplier: 0.0, ..SynthesisPlan::default() }, &pair());
    assert_eq!((none[0].input_tokens, none[0].hash_ids.len()), (20, 2));
}

#[test]
fn an_unnamed_tail_stays_unnamed() {
    let rows = [row(95, &[1, 2]), row(95, &[1, 9])];
    let rows = changed(SynthesisPlan { prompt_len_multiplier: 2.0, ..SynthesisPlan::default() }, &rows);
    // 10 shared, 85 own of which one block is named: 170 own of which two are.
    assert_eq!((rows[0].input_tokens, rows[0].hash_ids.len()), (180, 3));
}

#[test]
fn a_prompt_without_blocks_is_scaled_as_a_whole_and_never_empty() {
    for (times, tokens) in [(2.5, 25), (0.0, 1)] {
        let plan = SynthesisPlan { prompt_len_multiplier: times, ..SynthesisPlan::default() };
        assert_eq!(changed(plan, &[row(10, &[])])[0].input_tokens, tokens);
        assert_eq!(changed(plan, &[Row { block_size: 0, ..row(10, &[]) }])[0].input_tokens, tokens);
    }
}

#[test]
fn roots_part_what_was_shared() {
    let rows = [row(20, &[1, 2]), row(20, &[1, 2]), row(20, &[1, 2]), row(20, &[1, 2])];
    let rows = changed(SynthesisPlan { prefix_root_multiplier: 2, ..SynthesisPlan::default() }, &rows);
    assert_eq!(rows[0].hash_ids, rows[2].hash_ids);
    assert_eq!(rows[1].hash_ids, rows[3].hash_ids);
    assert!(rows[0].hash_ids.iter().all(|id| !rows[1].hash_ids.contains(id)));
    assert_eq!(rows[0].input_tokens, 20);
}

#[test]
fn a_session_keeps_one_root() {
    let session = |name: &str| Row { session: Some(name.to_owned()), ..row(20, &[1, 2]) };
    let rows = changed(
        SynthesisPlan { prefix_root_multiplier: 5, ..SynthesisPlan::default() },
        &[session("a"), row(20, &[1, 2]), session("a"), row(20, &[1, 2]), session("a")],
    );
    assert_eq!(rows[0].hash_ids, rows[2].hash_ids);
    assert_eq!(rows[0].hash_ids, rows[4].hash_ids);
}

#[test]
fn longer_rows_are_left_out_and_longer_results_cut_with_their_blocks() {
    let plan = SynthesisPlan { prefix_len_multiplier: 4.0, max_isl: Some(36), ..SynthesisPlan::default() };
    let rows = changed(plan, &pair());
    assert_eq!(rows.len(), 1);
    assert_eq!((rows[0].input_tokens, rows[0].hash_ids.len()), (36, 4));
}

#[test]
fn answers_are_scaled_and_cut() {
    let outputs =
        |plan: SynthesisPlan, tokens| Transform::new(plan, SharedIds::default()).unwrap().output_tokens(tokens);
    let plan = SynthesisPlan { output_len_multiplier: 0.1, max_osl: Some(50), ..SynthesisPlan::default() };
    assert_eq!([0, 1, 26, 499, 5_000].map(|tokens| outputs(plan, tokens)), [0, 1, 3, 50, 50]);
}

#[test]
fn numbers_out_of_bounds_are_refused() {
    let plan = SynthesisPlan::default;
    for ratio in [f64::NAN, -1.0, f64::INFINITY, 1e7] {
        for plan in [
            SynthesisPlan { speedup_ratio: ratio, ..plan() },
            SynthesisPlan { prefix_len_multiplier: ratio, ..plan() },
            SynthesisPlan { prompt_len_multiplier: ratio, ..plan() },
            SynthesisPlan { output_len_multiplier: ratio, ..plan() },
        ] {
            assert!(matches!(Transform::new(plan, SharedIds::default()), Err(TransformError::Ratio { .. })));
        }
    }
    let refused = |plan| Transform::new(plan, SharedIds::default()).unwrap_err();
    assert_eq!(refused(SynthesisPlan { prefix_root_multiplier: 0, ..plan() }), TransformError::Roots);
    assert_eq!(refused(SynthesisPlan { max_isl: Some(0), ..plan() }), TransformError::MaxIsl);
}

#[test]
fn a_huge_multiplier_is_bounded_by_the_longest_prompt() {
    let plan = SynthesisPlan {
        prefix_len_multiplier: 1e6,
        prompt_len_multiplier: 1e6,
        max_isl: Some(1_000),
        ..SynthesisPlan::default()
    };
    let rows = changed(plan, &pair());
    assert_eq!((rows[0].input_tokens, rows[0].hash_ids.len()), (1_000, 100));
}

/// Rows with sound layouts over few blocks, so that many are shared. As in real traces a name stands for all before it.
fn rows() -> impl Strategy<Value = Vec<Row>> {
    let one = (0u64..3, 0usize..7, 0u64..60).prop_map(|(family, blocks, more)| {
        let hash_ids: Vec<u64> =
            (0..blocks as u64).map(|at| at.min(3 + family) * 10 + if at < 2 { 0 } else { family }).collect();
        let covered = blocks as u64 * u64::from(SIZE);
        let input = if more < 10 { covered.saturating_sub(more) } else { covered + more };
        row(input.max(1), &hash_ids)
    });
    prop::collection::vec(one, 1..12)
}

fn plans() -> impl Strategy<Value = SynthesisPlan> {
    (0.0..4.0f64, 0.0..4.0f64, 1u64..4, prop::option::of(1u64..120)).prop_map(|(prefix, prompt, roots, max_isl)| {
        SynthesisPlan {
            prefix_len_multiplier: prefix,
            prompt_len_multiplier: prompt,
            prefix_root_multiplier: roots,
            max_isl,
            ..SynthesisPlan::default()
        }
    })
}

proptest! {
    #[test]
    fn lengths_and_blocks_agree(rows in rows(), plan in plans()) {
        for row in changed(plan, &rows) {
            prop_assert!(row.check().is_ok(), "{:?}: {:?}", row.check(), row);
            prop_assert!(plan.max_isl.is_none_or(|most| row.input_tokens <= most));
        }
    }

    #[test]
    fn prefixes_are_shared_as_many_times_as_asked(rows in rows(), times in 1u64..4) {
        let plan = SynthesisPlan { prefix_len_multiplier: times as f64, ..SynthesisPlan::default() };
        // Whole blocks: of one that is cut short, less is stretched.
        let whole = |mut row: Row| {
            row.input_tokens = row.input_tokens.max(row.hash_ids.len() as u64 * u64::from(SIZE));
            row
        };
        let rows: Vec<Row> = rows.into_iter().map(whole).collect();
        let changed = changed(plan, &rows);
        for (a, b) in (0..rows.len()).flat_map(|a| (0..a).map(move |b| (a, b))) {
            prop_assert_eq!(common(&changed[a], &changed[b]) as u64 / times, common(&rows[a], &rows[b]) as u64);
        }
    }

    #[test]
    fn no_block_is_in_two_families(rows in rows(), plan in plans()) {
        let plan = SynthesisPlan { prefix_root_multiplier: 3, max_isl: None, ..plan };
        let changed = changed(plan, &rows);
        for (a, b) in (0..rows.len()).flat_map(|a| (0..a).map(move |b| (a, b))).filter(|(a, b)| a % 3 != b % 3) {
            prop_assert!(changed[a].hash_ids.iter().all(|id| !changed[b].hash_ids.contains(id)));
        }
    }
}
