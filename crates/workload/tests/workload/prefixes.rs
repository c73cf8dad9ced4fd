//! What stands before prompts.

use std::collections::HashSet;

use tokamark_plan::{CacheBust, Corpus, Plan, SystemPrompt};
use tokamark_tokenizer::Tokenizer;
use tokamark_workload::{Workload, WorkloadError};

use crate::plans::{plan, synthetic_of, text_of, tokenizers, workload_of};

fn changed(change: impl Fn(&mut Plan)) -> Plan {
    let mut plan = plan(50.0, 10.0, 5);
    change(&mut plan);
    plan
}

#[test]
fn prefixes_of_a_pool_come_on_top_of_the_prompt() {
    let plan = changed(|plan| (plan.workload.prefix.pool, plan.workload.prefix.tokens) = (3, 40));
    for tokenizer in tokenizers() {
        let workload = workload_of(&plan, &tokenizer);
        assert!(!workload.are_distinct());
        let mut prefixes = HashSet::new();
        for number in 0..30 {
            let turn = workload.turn(number);
            let ids = tokenizer.encode(&text_of(&turn));
            let wanted = workload.wanted_input_tokens(number).unwrap();
            assert_eq!(ids.len() as u64, wanted, "{}", tokenizer.name());
            assert_eq!(turn.input_tokens, Some(wanted));
            assert!(wanted > 40);
            if tokenizer.name() != "words" {
                prefixes.insert(ids[..40].to_vec());
            }
        }
        if matches!(tokenizer.name(), "builtin" | "wide" | "letters") {
            assert_eq!(prefixes.len(), 3, "{}", tokenizer.name());
        }
    }
}

#[test]
fn a_share_of_each_prompt_is_what_a_cache_finds() {
    let plan = changed(|plan| plan.workload.prefix.cache_hit_share = Some(0.5));
    let workload = Workload::build(&plan).unwrap();
    let all: Vec<Vec<u32>> =
        (0..100).map(|number| Tokenizer::builtin().encode(&text_of(&workload.turn(number)))).collect();
    let longest = all.iter().max_by_key(|ids| ids.len()).unwrap();
    for (number, ids) in (0..).zip(&all) {
        assert_eq!(Some(ids.len() as u64), workload.wanted_input_tokens(number));
        let shared = ids.iter().zip(longest).take_while(|(a, b)| a == b).count();
        let blocks = (ids.len() as f64 * 0.5 / 16.0).round() as usize * 16;
        // The prompt that is compared may share more with itself, and chance may add a token.
        assert!(ids == longest || (blocks..blocks + 2).contains(&shared), "{shared} of {}", ids.len());
    }
    let whole = changed(|plan| plan.workload.prefix.cache_hit_share = Some(1.0));
    let workload = Workload::build(&whole).unwrap();
    assert_eq!(workload.turn(0).input_tokens, workload.wanted_input_tokens(0));
    let wrong = changed(|plan| plan.workload.prefix.cache_hit_share = Some(1.5));
    assert!(matches!(Workload::build(&wrong).unwrap_err(), WorkloadError::HitShare(_)));
}

#[test]
fn system_prompts_and_contexts_have_their_lengths() {
    let plan = changed(|plan| {
        plan.workload.prefix.system = vec![SystemPrompt::Tokens(33)];
        plan.workload.prefix.user_context_tokens = 21;
    });
    for tokenizer in tokenizers() {
        let workload = workload_of(&plan, &tokenizer);
        let all: Vec<_> = (0..5).map(|number| workload.conversation(number)).collect();
        for conversation in &all {
            assert_eq!(tokenizer.count(conversation.system.as_deref().unwrap()), 33, "{}", tokenizer.name());
            assert_eq!(tokenizer.count(conversation.context.as_deref().unwrap()), 21, "{}", tokenizer.name());
            assert_eq!(conversation.system, all[0].system);
        }
        assert_ne!(all[0].context, all[1].context);
        assert_ne!(workload.warmup_conversation(0).context, all[0].context);
    }
}

#[test]
fn marks_are_a_part_of_the_length() {
    for tokenizer in tokenizers() {
        for bust in [CacheBust::FirstTurnPrefix, CacheBust::FirstTurnSuffix] {
            let plan = changed(|plan| {
                plan.workload.cache_bust = bust;
                (plan.workload.prefix.pool, plan.workload.prefix.tokens) = (2, 30);
            });
            let workload = workload_of(&plan, &tokenizer);
            assert_eq!(workload.rows(), None);
            for number in 0..10 {
                let turn = workload.turn(number);
                let text = text_of(&turn);
                let wanted = workload.wanted_input_tokens(number).unwrap();
                assert_eq!(tokenizer.count(&text) as u64, wanted, "{} {text}", tokenizer.name());
                let marked = if bust == CacheBust::FirstTurnPrefix {
                    text.starts_with("[rid:") && text[18..].starts_with("\n\n")
                } else {
                    text.ends_with(']') && text[..text.len() - 18].ends_with("\n\n")
                };
                assert!(marked || tokenizer.name() == "letters", "{text}");
            }
        }
    }
}

#[test]
fn marks_shorten_a_made_system_prompt_and_stand_beside_others() {
    for bust in [CacheBust::SystemPrefix, CacheBust::SystemSuffix] {
        let made = changed(|plan| {
            plan.workload.cache_bust = bust;
            plan.workload.prefix.system = vec![SystemPrompt::Tokens(60)];
        });
        let workload = Workload::build(&made).unwrap();
        let systems: HashSet<String> = (0..20).map(|number| workload.conversation(number).system.unwrap()).collect();
        assert_eq!(systems.len(), 20);
        assert!(systems.iter().all(|system| workload.tokenizer().count(system) == 60 && system.contains("[rid:")));
        assert_eq!(workload.turn(0).input_tokens, workload.wanted_input_tokens(0));
        let given = changed(|plan| {
            plan.workload.cache_bust = bust;
            plan.workload.prefix.system = vec![SystemPrompt::Text("be short".into())];
        });
        let system = Workload::build(&given).unwrap().conversation(0).system.unwrap();
        let ends = [system.starts_with("be short\n\n[rid:"), system.ends_with("]\n\nbe short")];
        assert_eq!(ends, [bust == CacheBust::SystemSuffix, bust == CacheBust::SystemPrefix], "{system}");
        let alone = changed(|plan| plan.workload.cache_bust = bust);
        assert_eq!(Workload::build(&alone).unwrap().conversation(0).system.unwrap().len(), 18);
    }
}

#[test]
fn isolation_marks_the_warm_up_only() {
    let plan = changed(|plan| plan.workload.cache_bust = CacheBust::WarmupIsolationFirstTurn);
    let workload = Workload::build(&plan).unwrap();
    let warm = workload.warmup_turn(0);
    assert!(text_of(&warm).starts_with("[warmup]\n\n") && !text_of(&workload.turn(0)).contains('['));
    let plain = Workload::build(&changed(|_| {})).unwrap();
    assert_eq!(warm.input_tokens, plain.warmup_turn(0).input_tokens);
    assert_eq!(workload.turn(0), plain.turn(0));
}

#[test]
fn only_what_begins_differently_counts_as_distinct() {
    let is_distinct = |change: fn(&mut Plan)| Workload::build(&changed(change)).unwrap().are_distinct();
    assert!(is_distinct(|_| {}));
    assert!(!is_distinct(|plan| (plan.workload.prefix.pool, plan.workload.prefix.tokens) = (1, 1)));
    assert!(!is_distinct(|plan| plan.workload.prefix.cache_hit_share = Some(0.1)));
    assert!(!is_distinct(|plan| plan.workload.prefix.system = vec![SystemPrompt::Text("x".into())]));
    assert!(!is_distinct(|plan| synthetic_of(plan).corpus = Corpus::Prose));
    assert!(!is_distinct(|plan| synthetic_of(plan).turns.mean = 2.0));
    assert!(is_distinct(|plan| plan.workload.prefix.user_context_tokens = 10));
    assert!(!is_distinct(|plan| {
        plan.workload.entries = Some(10);
        plan.workload.sampling = tokamark_plan::Sampling::Random;
    }));
}
