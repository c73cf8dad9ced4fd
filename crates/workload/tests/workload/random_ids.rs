//! Prompts of random ids.

use serde_json::{Value, json};
use tokamark_plan::{Corpus, LengthDistribution, Plan, RandomStyle, RangeRatio};
use tokamark_tokenizer::Tokenizer;
use tokamark_workload::Workload;

use crate::plans::{plan, synthetic_of, text_of, tokenizers, workload_of};

fn random(length: f64, style: RandomStyle, seed: u64) -> Plan {
    let mut plan = plan(length, 0.0, seed);
    synthetic_of(&mut plan).corpus = Corpus::Random;
    synthetic_of(&mut plan).random_style = style;
    plan
}

/// Ids whose texts are the numbers from 0 to 4999 with a space before each, so that every id survives decoding.
fn numbers() -> Tokenizer {
    let vocab: serde_json::Map<String, Value> = (0..5_000).map(|id| (format!("w{id}"), json!(id))).collect();
    let json = json!({
        "version": "1.0", "truncation": null, "padding": null, "added_tokens": [], "normalizer": null,
        "pre_tokenizer": {"type": "WhitespaceSplit"}, "post_processor": null, "decoder": null,
        "model": {"type": "WordLevel", "vocab": vocab, "unk_token": "w0"},
    });
    Tokenizer::from_json("numbers", json.to_string().as_bytes()).unwrap()
}

#[test]
fn lengths_are_exact() {
    for style in [RandomStyle::Vllm, RandomStyle::Sglang] {
        for tokenizer in tokenizers() {
            for length in [1.0, 5.0, 64.0] {
                let workload = workload_of(&random(length, style, 1), &tokenizer);
                for number in 0..12 {
                    let turn = workload.turn(number);
                    assert_eq!(tokenizer.count(&text_of(&turn)) as f64, length, "{} {style:?}", tokenizer.name());
                    assert_eq!(turn.input_tokens, Some(length as u64));
                }
            }
        }
    }
}

/// The draws are those of NumPy 2.4.6 with seed 42: `default_rng(42)` and `RandomState(42)`, lengths first, then answers, then
/// offsets below 5000, ten of each.
#[test]
fn lengths_and_ids_are_drawn_as_by_each_tool() {
    let with = |style, ratio| {
        let mut plan = random(20.0, style, 42);
        plan.workload.output_tokens = Some(LengthDistribution::fixed(8.0));
        synthetic_of(&mut plan).range_ratio = Some(RangeRatio { input: ratio, output: ratio });
        let workload = workload_of(&plan, &numbers());
        let turns: Vec<_> = (0..10).map(|number| workload.turn(number)).collect();
        let inputs: Vec<u64> = turns.iter().map(|turn| turn.input_tokens.unwrap()).collect();
        let outputs: Vec<u64> = turns.iter().map(|turn| turn.output_tokens.unwrap()).collect();
        let firsts: Vec<u64> = turns
            .iter()
            .zip(0..)
            .map(|(turn, row)| {
                let ids = numbers().encode(&text_of(turn));
                assert!(ids.windows(2).all(|pair| pair[1] == (pair[0] + 1) % 5_000));
                (u64::from(ids[0]) + 5_000 - row) % 5_000
            })
            .collect();
        (inputs, outputs, firsts)
    };
    assert_eq!(
        with(RandomStyle::Vllm, 0.5),
        (
            vec![11, 26, 23, 19, 19, 28, 11, 24, 14, 11],
            vec![8, 12, 10, 10, 10, 11, 8, 5, 11, 8],
            vec![2_501, 1_853, 912, 4_633, 3_907, 3_219, 2_012, 4_113, 2_727, 2_217]
        )
    );
    assert_eq!(
        with(RandomStyle::Sglang, 0.5),
        (
            vec![16, 13, 20, 17, 14, 16, 19, 12, 16, 20],
            vec![6, 8, 7, 6, 8, 5, 7, 5, 7, 8],
            vec![1_184, 4_555, 3_385, 4_117, 4_843, 2_904, 474, 1_082, 2_558, 2_047]
        )
    );
}

#[test]
fn any_order_gives_the_same_prompts() {
    for style in [RandomStyle::Vllm, RandomStyle::Sglang] {
        let plan = random(40.0, style, 3);
        let (forth, back) = (Workload::build(&plan).unwrap(), Workload::build(&plan).unwrap());
        let expected: Vec<_> = (0..15).map(|number| forth.turn(number)).collect();
        for number in (0..15).rev() {
            assert_eq!(back.turn(number), expected[number as usize], "{number}");
        }
        assert_ne!(back.turn(0), back.warmup_turn(0));
    }
}

#[test]
fn prefixes_are_drawn_too() {
    let mut plan = random(30.0, RandomStyle::Vllm, 3);
    (plan.workload.prefix.pool, plan.workload.prefix.tokens) = (1, 50);
    let workload = workload_of(&plan, &numbers());
    let all: Vec<Vec<u32>> = (0..10).map(|number| numbers().encode(&text_of(&workload.turn(number)))).collect();
    assert!(
        all.iter()
            .all(|ids| ids.len() == 80 && ids[..50] == all[0][..50] && ids[50..] != all[1][50..] || *ids == all[1])
    );
    let words = Workload::build(&plan).unwrap();
    for number in 0..10 {
        assert_eq!(Tokenizer::builtin().count(&text_of(&words.turn(number))), 80);
    }
}

/// The prompts that vLLM's rules give with o200k's 199998 ordinary ids, NumPy 2.4.6 and the tokenizers library: lengths within
/// half of the mean, and ids made up for until the length is right.
#[test]
fn prompts_are_those_of_vllm() {
    let assert_prompts = |length, seed, prefix, expected: &[(u64, u64, &str)]| {
        let mut plan = random(length, RandomStyle::Vllm, seed);
        plan.workload.entries = Some(expected.len() as u64);
        plan.workload.output_tokens = Some(LengthDistribution::fixed(8.0));
        (plan.workload.prefix.pool, plan.workload.prefix.tokens) = (1, prefix);
        synthetic_of(&mut plan).range_ratio = Some(RangeRatio { input: 0.5, output: 0.5 });
        let workload = Workload::build(&plan).unwrap();
        for (number, (input, output, text)) in (0..).zip(expected) {
            let turn = workload.turn(number);
            assert_eq!((turn.input_tokens, turn.output_tokens), (Some(input + prefix), Some(*output)));
            assert_eq!(text_of(&turn), *text);
        }
    };
    assert_prompts(
        10.0,
        42,
        0,
        &[
            (5, 7, "езидент criançasვე_ARRAY XP"),
            (13, 11, "ுளскийCRIP finden UlPour currencyarc Environment afternoon ผfreeغان"),
            (12, 4, " usaha аҵара sunn comentar Coconut фонд Misch在天天中彩票phot spletענגiertos"),
            (9, 10, " tristiquerotechn ఎంతో जाइ 網 уақытта>\n\n\n\n\n"),
        ],
    );
    assert_prompts(
        6.0,
        7,
        5,
        &[
            (9, 12, " summit કાર્યuedo rpt app Crearabbaticznychiyya ഇനി পাত pooling Predictor"),
            (7, 9, " summit કાર્યuedo rpt app Minuten कल.trainrive expans dang Bog"),
            (7, 10, " summit કાર્યuedo rpt app retr Method episcor نےitasargo"),
        ],
    );
}
