//! Lengths of prompts and answers as plans give them.

use tokamark_plan::{LengthDistribution, RandomStyle, RangeRatio, parse_pairs};
use tokamark_workload::Workload;

use crate::plans::{plan, synthetic_of};

#[test]
fn pairs_stay_together_in_each_turn() {
    let mut plan = plan(1.0, 0.0, 3);
    synthetic_of(&mut plan).pairs = parse_pairs("20,5:50;40|4,9:50").unwrap();
    synthetic_of(&mut plan).turns.mean = 3.0;
    let workload = Workload::build(&plan).unwrap();
    let mut short = 0;
    for conversation in (0..200).map(|number| workload.conversation(number)) {
        assert_eq!(conversation.turns.len(), 3);
        for turn in &conversation.turns {
            match (turn.input_tokens.unwrap(), turn.output_tokens.unwrap()) {
                (20, 5) => short += 1,
                (input, 9) => assert!((20..60).contains(&input) && input != 20),
                other => panic!("{other:?}"),
            }
        }
    }
    // Five standard deviations of a binomial with n = 600 and p = 0.5.
    assert!((short - 300i32).abs() < 62, "{short}");
}

#[test]
fn distributions_by_name_reach_the_prompts() {
    let mut plan = plan(1.0, 0.0, 3);
    synthetic_of(&mut plan).input_tokens = "uniform:10-12".parse().unwrap();
    plan.workload.output_tokens = Some("empirical:7@1;9@3".parse().unwrap());
    let workload = Workload::build(&plan).unwrap();
    let turns: Vec<_> = (0..400).map(|number| workload.turn(number)).collect();
    for length in 10..=12 {
        let count = turns.iter().filter(|turn| turn.input_tokens == Some(length)).count();
        assert!(count.abs_diff(133) < 48, "{length}: {count}");
    }
    let nine = turns.iter().filter(|turn| turn.output_tokens == Some(9)).count();
    assert!(nine.abs_diff(300) < 44, "{nine}");
}

#[test]
fn range_ratios_are_windows_of_any_corpus() {
    let mut plan = plan(100.0, 0.0, 3);
    plan.workload.output_tokens = Some(LengthDistribution::fixed(10.0));
    synthetic_of(&mut plan).range_ratio = Some(RangeRatio { input: 0.02, output: 0.5 });
    let workload = Workload::build(&plan).unwrap();
    let turns: Vec<_> = (0..300).map(|number| workload.turn(number)).collect();
    let (inputs, outputs): (Vec<u64>, Vec<u64>) =
        turns.iter().map(|turn| (turn.input_tokens.unwrap(), turn.output_tokens.unwrap())).unzip();
    assert_eq!((inputs.iter().min(), inputs.iter().max()), (Some(&98), Some(&102)));
    assert_eq!((outputs.iter().min(), outputs.iter().max()), (Some(&5), Some(&15)));
    synthetic_of(&mut plan).random_style = RandomStyle::Sglang;
    synthetic_of(&mut plan).range_ratio = Some(RangeRatio { input: 0.98, output: 1.0 });
    let workload = Workload::build(&plan).unwrap();
    let inputs: Vec<u64> = (0..100).map(|number| workload.turn(number).input_tokens.unwrap()).collect();
    assert_eq!((inputs.iter().min(), inputs.iter().max()), (Some(&98), Some(&100)));
    synthetic_of(&mut plan).range_ratio = Some(RangeRatio { input: 1.5, output: 0.0 });
    assert_eq!(
        Workload::build(&plan).unwrap_err().to_string(),
        "the range ratio 1.5 is not usable: it must be from 0 to 1"
    );
}
