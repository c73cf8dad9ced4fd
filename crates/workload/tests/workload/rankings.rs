//! Queries and passages, and other named groups.

use tokamark_conversation::{Prompt, TextGroup, Turn};
use tokamark_plan::{LengthDistribution, RankingsPlan};
use tokamark_tokenizer::Tokenizer;
use tokamark_workload::Workload;

use crate::plans::{plan, synthetic_of};

fn groups(turn: &Turn) -> &[TextGroup] {
    match &turn.prompt {
        Prompt::Groups(groups) => groups,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_query_has_passages() {
    let mut plan = plan(1.0, 0.0, 3);
    synthetic_of(&mut plan).rankings = Some(RankingsPlan {
        passages: LengthDistribution::normal(10.0, 2.0),
        passage_tokens: LengthDistribution::normal(128.0, 10.0),
        query_tokens: LengthDistribution::fixed(32.0),
    });
    let workload = Workload::build(&plan).unwrap();
    let count = |text: &String| Tokenizer::builtin().count(text) as u64;
    let mut passages = 0;
    for number in 0..50 {
        let turn = workload.turn(number);
        let [query, found] = groups(&turn) else { panic!("two groups") };
        assert_eq!((query.name.as_str(), found.name.as_str()), ("query", "passages"));
        assert_eq!((query.texts.len(), count(&query.texts[0])), (1, 32));
        assert!(found.texts.iter().all(|text| (78..178).contains(&count(text))));
        passages += found.texts.len();
        let sum: u64 = turn.texts().map(|text| Tokenizer::builtin().count(text) as u64).sum();
        assert_eq!((turn.input_tokens, workload.wanted_input_tokens(number)), (Some(sum), Some(sum)));
    }
    // Five standard errors: 2·√50.
    assert!(passages.abs_diff(500) < 71, "{passages}");
}

#[test]
fn groups_have_the_names_that_were_given() {
    let mut plan = plan(12.0, 0.0, 3);
    plan.workload.batch_size = 4;
    synthetic_of(&mut plan).groups = vec!["queries".into(), "passages".into()];
    let turn = Workload::build(&plan).unwrap().turn(0);
    let shape: Vec<(&str, usize)> =
        groups(&turn).iter().map(|group| (group.name.as_str(), group.texts.len())).collect();
    assert_eq!(shape, [("queries", 1), ("passages", 4)]);
    assert!(turn.texts().all(|text| Tokenizer::builtin().count(text) == 12));
    let distinct: std::collections::HashSet<&str> = turn.texts().collect();
    assert_eq!((distinct.len(), turn.input_tokens), (5, Some(60)));
}
