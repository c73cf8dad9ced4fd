//! Synthetic prompts: exact lengths, no shared prefixes, the same on every thread.

use std::collections::HashSet;

use crate::plans::{plan, text_of, texts, tokenizers, workload_of};
use proptest::prelude::*;
use tokamark_conversation::Turn;
use tokamark_plan::{LengthDistribution, Source, SyntheticPlan};
use tokamark_tokenizer::Tokenizer;
use tokamark_workload::Workload;

fn workload_with(tokenizer: &Tokenizer, mean: f64, stddev: f64, seed: u64) -> Workload {
    workload_of(&plan(mean, stddev, seed), tokenizer)
}

#[test]
fn every_short_length_is_exact() {
    for tokenizer in tokenizers() {
        for length in 1..=64 {
            let turn = workload_with(&tokenizer, f64::from(length), 0.0, 1).turn(0);
            assert_eq!(tokenizer.encode(&text_of(&turn)).len() as u32, length, "{} {length}", tokenizer.name());
            assert_eq!(turn.input_tokens, Some(u64::from(length)));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn lengths_are_exact(length in 1u32..5_000, seed: u64, row: u64) {
        for tokenizer in tokenizers() {
            let turn = workload_with(&tokenizer, f64::from(length), 0.0, seed).turn(row);
            prop_assert_eq!(tokenizer.encode(&text_of(&turn)).len() as u32, length, "{}", tokenizer.name());
            prop_assert_eq!(turn.input_tokens, Some(u64::from(length)));
        }
    }

    #[test]
    fn drawn_lengths_are_those_that_were_wanted(seed: u64, row: u64) {
        let workload = workload_with(&Tokenizer::builtin(), 60.0, 30.0, seed);
        prop_assert_eq!(workload.turn(row).input_tokens, workload.wanted_input_tokens(row));
    }
}

#[test]
fn rows_do_not_share_a_prefix() {
    let workload = workload_with(&Tokenizer::builtin(), 100.0, 0.0, 1);
    let mut heads = HashSet::new();
    let mut words = HashSet::new();
    for turn in (0..10_000).map(|row| workload.turn(row)).chain((0..100).map(|row| workload.warmup_turn(row))) {
        let text = &text_of(&turn);
        assert!(heads.insert(text[..64].to_owned()));
        assert!(words.insert(text.split(' ').take(2).collect::<Vec<_>>().join(" ")));
    }
}

#[test]
fn prompts_of_two_tokens_are_distinct() {
    let workload = workload_with(&Tokenizer::builtin(), 2.0, 0.0, 1);
    let texts: HashSet<String> = (0..10_000).map(|row| text_of(&workload.turn(row)).to_owned()).collect();
    assert_eq!(texts.len(), 10_000);
}

#[test]
fn seeds_give_different_prompts() {
    let texts = |seed| -> HashSet<String> {
        let workload = workload_with(&Tokenizer::builtin(), 30.0, 0.0, seed);
        (0..500).map(|row| text_of(&workload.turn(row)).to_owned()).collect()
    };
    assert!(texts(1).is_disjoint(&texts(2)));
}

#[test]
fn any_thread_gets_the_same_turns_in_any_order() {
    let mut plan = plan(200.0, 50.0, 9);
    plan.workload.output_tokens = Some(LengthDistribution::normal(64.0, 8.0));
    let workload = Workload::build(&plan).unwrap();
    let expected: Vec<Turn> = (0..200).map(|row| workload.turn(row)).collect();
    std::thread::scope(|scope| {
        for thread in 0..4u64 {
            let (workload, expected) = (&workload, &expected);
            scope.spawn(move || {
                for at in (0..200u64).rev() {
                    let row = (at + 50 * thread) % 200;
                    assert_eq!(workload.turn(row), expected[row as usize]);
                }
            });
        }
    });
}

#[test]
fn one_distribution_does_not_disturb_the_other() {
    let mut plan = plan(50.0, 10.0, 4);
    plan.workload.output_tokens = Some(LengthDistribution::normal(100.0, 20.0));
    let both = Workload::build(&plan).unwrap();
    plan.workload.output_tokens = None;
    let input_only = Workload::build(&plan).unwrap();
    plan.workload.output_tokens = Some(LengthDistribution::normal(100.0, 20.0));
    plan.workload.source = Source::Synthetic(SyntheticPlan::of(LengthDistribution::fixed(7.0)));
    let other_input = Workload::build(&plan).unwrap();
    for row in 0..50 {
        assert_eq!(text_of(&both.turn(row)), text_of(&input_only.turn(row)));
        assert_eq!(input_only.turn(row).output_tokens, None);
        assert_eq!(both.turn(row).output_tokens, other_input.turn(row).output_tokens);
    }
}

#[test]
fn batches_have_as_many_texts_as_asked_for() {
    let mut plan = plan(20.0, 5.0, 4);
    plan.workload.batch_size = 3;
    let workload = Workload::build(&plan).unwrap();
    let mut all = HashSet::new();
    for row in 0..20 {
        let turn = workload.turn(row);
        assert_eq!(texts(&turn).len(), 3);
        let tokens: usize = texts(&turn).iter().map(|text| workload.tokenizer().count(text)).sum();
        assert_eq!(turn.input_tokens, Some(tokens as u64));
        all.extend(texts(&turn));
    }
    assert_eq!(all.len(), 60);
}

#[test]
fn entries_are_used_in_turn() {
    let mut plan = plan(20.0, 0.0, 4);
    plan.workload.entries = Some(4);
    let workload = Workload::build(&plan).unwrap();
    assert_eq!(workload.rows(), Some(4));
    assert!(!workload.are_distinct(), "10 requests of 4 prompts");
    assert_eq!(workload.turn(6), workload.turn(2));
    assert_eq!(workload.digest(10), workload.digest(4));
    plan.workload.entries = Some(10);
    assert!(Workload::build(&plan).unwrap().are_distinct());
    plan.workload.entries = None;
    let unlimited = Workload::build(&plan).unwrap();
    assert!(unlimited.are_distinct());
    assert_eq!(unlimited.rows(), None);
    assert_eq!(unlimited.digest(4), workload.digest(4));
}

/// If this fails, the same seed no longer gives the same bytes as in earlier versions: say so in the changelog.
#[test]
fn a_seed_fixes_the_bytes() {
    let mut plan = plan(32.0, 6.0, 42);
    plan.workload.output_tokens = Some(LengthDistribution::normal(100.0, 20.0));
    let workload = Workload::build(&plan).unwrap();
    assert_eq!(
        text_of(&workload.turn(0)),
        "split license duck edit needle market lid test symbol element fair nose pot inner iron mass certain best element earn \
         lady only team storm race blue due patch example fault"
    );
    assert_eq!(workload.digest(100), "884729c7ee43aa57656a438200d3e4e92d966200b61e277e72868ef009b7c56d");
    assert_eq!(workload.digest(0), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

#[test]
fn lengths_that_are_none_are_refused() {
    let error = Workload::build(&plan(f64::NAN, 0.0, 1)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the input length is not usable: a mean of NaN with a standard deviation of 0 is no length in tokens; both must be \
         numbers from 0 to 1e9"
    );
}

#[test]
fn a_vocabulary_without_such_a_length_gives_the_nearest() {
    // Every character is two tokens, so that odd numbers of tokens do not exist.
    let json = serde_json::json!({
        "version": "1.0", "truncation": null, "padding": null, "added_tokens": [],
        "normalizer": {"type": "Replace", "pattern": {"Regex": "."}, "content": "##"},
        "pre_tokenizer": null, "post_processor": null, "decoder": null,
        "model": {"type": "BPE", "unk_token": "?", "vocab": {"?": 0, "#": 1}, "merges": []},
    });
    let tokenizer = Tokenizer::from_json("pairs", json.to_string().as_bytes()).unwrap();
    let workload = workload_with(&tokenizer, 100.0, 0.0, 1);
    assert_eq!(workload.turn(0).input_tokens, Some(100));
    let workload = workload_with(&tokenizer, 101.0, 0.0, 1);
    let turn = workload.turn(0);
    assert_eq!(turn.input_tokens, Some(100));
    assert_eq!(tokenizer.count(&text_of(&turn)), 100);
    assert_eq!(workload.wanted_input_tokens(0), Some(101));
}
