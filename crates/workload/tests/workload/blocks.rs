//! Prompts of named blocks.

use std::fs;

use proptest::prelude::*;
use serde_json::json;
use tokamark_plan::{DatasetFormat, DatasetPlan, Source};
use tokamark_tokenizer::Tokenizer;
use tokamark_workload::Workload;

use crate::plans::{plan, text_of, tokenizers, wide, workload_of};

/// The workload of rows of tokens, names, and a block size.
fn trace(tokenizer: &Tokenizer, rows: &[(u64, Vec<u64>)], block_size: u32) -> Workload {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("trace.jsonl");
    let lines: Vec<String> = rows
        .iter()
        .map(|(tokens, names)| json!({"input_length": tokens, "hash_ids": names, "output_length": 1}).to_string())
        .collect();
    fs::write(&path, lines.join("\n")).unwrap();
    let mut plan = plan(1.0, 0.0, 7);
    let mut dataset = DatasetPlan::of(path, Some(DatasetFormat::MooncakeTrace));
    dataset.trace.block_size = Some(block_size);
    plan.workload.source = Source::File(dataset);
    workload_of(&plan, tokenizer)
}

fn ids(workload: &Workload, number: u64) -> Vec<u32> {
    workload.tokenizer().encode(&text_of(&workload.turn(number)))
}

fn common(a: &[u32], b: &[u32]) -> usize {
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn prompts_share_what_their_names_share(
        shared in proptest::collection::vec(0u64..1_000, 0..5),
        first in proptest::collection::vec(1_000u64..1_060, 1..4),
        second in proptest::collection::vec(1_060u64..1_120, 1..4),
        block_size in 1u32..40,
        cut in 0u64..39,
        tail in 0u64..30,
    ) {
        let size = u64::from(block_size);
        let names = |own: &[u64]| shared.iter().chain(own).copied().collect::<Vec<u64>>();
        let (first, second) = (names(&first), names(&second));
        let rows = [
            (first.len() as u64 * size - cut % size, first.clone()),
            (second.len() as u64 * size + tail, second.clone()),
            (first.len() as u64 * size + 50, first.clone()),
        ];
        for tokenizer in [Tokenizer::builtin(), wide()] {
            let workload = trace(&tokenizer, &rows, block_size);
            let all: Vec<Vec<u32>> = (0..3).map(|number| ids(&workload, number)).collect();
            for (ids, (tokens, _)) in all.iter().zip(&rows) {
                prop_assert_eq!(ids.len() as u64, *tokens, "{}", tokenizer.name());
            }
            // Names that are near to each other have different first words.
            prop_assert_eq!(common(&all[0], &all[1]), shared.len() * block_size as usize);
            let covered = all[0].len();
            prop_assert_eq!(common(&all[0], &all[2]), covered);
        }
    }
}

#[test]
fn lengths_are_exact_with_every_tokenizer() {
    let rows: Vec<(u64, Vec<u64>)> =
        vec![(1, vec![]), (32, vec![1, 2]), (30, vec![1, 2]), (75, vec![1, 3, 4]), (16, vec![9])];
    for tokenizer in tokenizers() {
        let workload = trace(&tokenizer, &rows, 16);
        for (number, (tokens, _)) in (0..).zip(&rows) {
            assert_eq!(ids(&workload, number).len() as u64, *tokens, "{}", tokenizer.name());
            assert_eq!(workload.turn(number).input_tokens, Some(*tokens));
        }
        let shared = common(&ids(&workload, 1), &ids(&workload, 3));
        assert!(shared >= 16, "{}: {shared}", tokenizer.name());
    }
}

#[test]
fn tails_are_shared_with_none() {
    let rows: Vec<(u64, Vec<u64>)> = (0..50).map(|_| (100, vec![1, 2])).collect();
    let workload = trace(&Tokenizer::builtin(), &rows, 32);
    let first = ids(&workload, 0);
    for number in 1..50 {
        assert_eq!(common(&first, &ids(&workload, number)), 64);
    }
    assert_eq!(ids(&workload, 0), first);
}

#[test]
fn long_prompts_of_many_blocks_are_exact() {
    let names: Vec<u64> = (0..250).map(|name| name * 7_919).collect();
    let workload = trace(&Tokenizer::builtin(), &[(128_000, names.clone()), (127_999, names)], 512);
    assert_eq!(ids(&workload, 0).len(), 128_000);
    let (long, short) = (ids(&workload, 0), ids(&workload, 1));
    assert_eq!((short.len(), common(&long, &short)), (127_999, 127_999));
}
