//! The bytes of some plans. If one of these fails, the same seed no longer gives the same bytes as in earlier versions: say so in
//! the changelog.

use tokamark_plan::{
    CacheBust, Corpus, LengthDistribution, Plan, RandomStyle, RankingsPlan, Sampling, SystemPrompt, TurnsPlan,
};
use tokamark_workload::Workload;

use crate::plans::{plan, synthetic_of};

#[track_caller]
fn assert_digest(expected: &str, change: impl Fn(&mut Plan)) {
    let mut plan = plan(60.0, 12.0, 42);
    plan.workload.output_tokens = Some(LengthDistribution::normal(100.0, 20.0));
    change(&mut plan);
    assert_eq!(Workload::build(&plan).unwrap().digest(40), expected);
}

#[test]
fn prose() {
    assert_digest("07b5b31f466ed403cc3ceb5736890279f4db72924b8d65769b6e5b8b82c20711", |plan| {
        synthetic_of(plan).corpus = Corpus::Prose
    });
}

#[test]
fn code() {
    assert_digest("97aeb68d7981be4692fa4c47123e5ab0de887e72a5a1a0dc39ebd66354c3c181", |plan| {
        synthetic_of(plan).corpus = Corpus::Coding
    });
}

#[test]
fn random_ids() {
    assert_digest("42d25be30a996d0463ec9c9fb90fed7432ce6d154aa8ad7746b8b378290753aa", |plan| {
        synthetic_of(plan).corpus = Corpus::Random
    });
    assert_digest("5c348001df8bbd38a155feefe179d2d488a339f14428d45c1c06699f30487f9c", |plan| {
        synthetic_of(plan).corpus = Corpus::Random;
        synthetic_of(plan).random_style = RandomStyle::Sglang;
    });
}

#[test]
fn conversations_with_all_that_stands_before_them() {
    assert_digest("48f09f454925cb389e5aeb3690f72dfd6543b309aebbcf39ae2ff95eca967850", |plan| {
        synthetic_of(plan).turns =
            TurnsPlan { mean: 3.0, stddev: 1.0, delay_mean_ms: 50.0, delay_stddev_ms: 10.0, delay_ratio: 2.0 };
        synthetic_of(plan).input_tokens = "lognormal:mean=80,median=60,min=30".parse().unwrap();
        plan.workload.entries = Some(25);
        plan.workload.sampling = Sampling::Shuffle;
        plan.workload.prefix.system = vec![SystemPrompt::Tokens(40)];
        plan.workload.prefix.user_context_tokens = 20;
        (plan.workload.prefix.pool, plan.workload.prefix.tokens) = (4, 64);
        plan.workload.cache_bust = CacheBust::FirstTurnPrefix;
    });
}

#[test]
fn queries_and_passages() {
    assert_digest("7e1394e79e68525b675010a0e2c3f7c099813d21e0729d11b62fa3b8034e8258", |plan| {
        synthetic_of(plan).rankings = Some(RankingsPlan {
            passages: LengthDistribution::fixed(5.0),
            passage_tokens: "uniform:20-40".parse().unwrap(),
            query_tokens: LengthDistribution::fixed(12.0),
        });
    });
}
