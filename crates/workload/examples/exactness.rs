//! Whether texts have the lengths that were wanted, with tokenizers that lie on this machine, and how long they take to make:
//! `exactness TOKENIZER...`. Exit code 1: some have not.

use std::fs;
use std::process::ExitCode;

use tokamark_plan::{CacheBust, Corpus, DatasetFormat, DatasetPlan, Plan, Source, SystemPrompt, TokenizerPlan};
use tokamark_tokenizer::{HubCache, Resolved, Tokenizer, resolve_with};
use tokamark_workload::Workload;

#[path = "../tests/workload/plans.rs"]
#[expect(dead_code, clippy::unwrap_used, reason = "shared with the tests")]
mod plans;
#[path = "../../tokenizer/tests/tokenizer/vocabularies.rs"]
mod vocabularies;

const LENGTHS: [u32; 12] = [1, 2, 3, 5, 17, 64, 100, 550, 1_024, 4_096, 20_000, 131_072];
const CORPORA: [Corpus; 4] = [Corpus::Words, Corpus::Prose, Corpus::Coding, Corpus::Random];
/// Conversations of each length.
const EACH: u64 = 3;
/// Random ids of longer texts take too long.
const LONGEST_OF_RANDOM_IDS: u32 = 4_096;

fn main() -> ExitCode {
    let mut wrong = 0;
    for name in std::env::args().skip(1) {
        let plan = TokenizerPlan { name: Some(name.clone()), ..TokenizerPlan::builtin() };
        match resolve_with(&plan, &[], &HubCache::from_environment()) {
            Ok(Resolved { tokenizer, .. }) => wrong += check(&tokenizer),
            Err(error) => {
                println!("{name}: {error}");
                wrong += 1;
            }
        }
    }
    if wrong == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Checks one tokenizer; returns how many texts are wrong.
fn check(tokenizer: &Tokenizer) -> u64 {
    let mut wrong = 0;
    for corpus in CORPORA {
        let (mut texts, mut off) = (0, 0);
        for length in LENGTHS.into_iter().filter(|&length| corpus != Corpus::Random || length <= LONGEST_OF_RANDOM_IDS)
        {
            for kind in 0..4 {
                let mut plan = plans::plan(f64::from(length), 0.0, 1);
                plans::synthetic_of(&mut plan).corpus = corpus;
                change(&mut plan, kind);
                let resolved = Resolved { tokenizer: tokenizer.clone(), is_fallback: false };
                let Ok(workload) = Workload::with_tokenizer(&plan, resolved) else { continue };
                for number in 0..EACH {
                    let turn = workload.turn(number);
                    let text: String = turn.texts().collect();
                    let reached = tokenizer.encode(&text).len() as u64;
                    texts += 1;
                    // A mark has some tokens itself.
                    let is_short = kind == 2 && length < 64;
                    if Some(reached) != turn.input_tokens
                        || (!is_short && Some(reached) != workload.wanted_input_tokens(number))
                    {
                        off += 1;
                        if off < 4 {
                            println!("  {corpus:?} {length} kind {kind}: {reached}, said {:?}", turn.input_tokens);
                        }
                    }
                }
            }
        }
        println!("{} {corpus:?}: {off} of {texts} texts are off", tokenizer.name());
        wrong += off;
    }
    wrong + blocks(tokenizer) + templates(tokenizer)
}

fn change(plan: &mut Plan, kind: u32) {
    match kind {
        1 => (plan.workload.prefix.pool, plan.workload.prefix.tokens) = (2, 100),
        2 => plan.workload.cache_bust = CacheBust::FirstTurnPrefix,
        3 => {
            plan.workload.prefix.system = vec![SystemPrompt::Tokens(50)];
            plan.workload.prefix.cache_hit_share = Some(0.5);
        }
        _ => {}
    }
}

/// Prompts of named blocks: how many are off, or share other tokens than their names say.
fn blocks(tokenizer: &Tokenizer) -> u64 {
    let path = std::env::temp_dir().join(format!("exactness-{}.jsonl", std::process::id()));
    let row = |names: &[u64], tokens: u64| {
        format!("{{\"input_length\":{tokens},\"hash_ids\":{names:?},\"output_length\":1}}\n")
    };
    let rows = row(&[1, 2, 3], 1_500) + &row(&[1, 2, 4], 1_536) + &row(&[1, 5], 700) + &row(&[9], 5_000);
    let mut plan = plans::plan(1.0, 0.0, 1);
    plan.workload.source = Source::File(DatasetPlan::of(path.clone(), Some(DatasetFormat::MooncakeTrace)));
    let resolved = Resolved { tokenizer: tokenizer.clone(), is_fallback: false };
    let built = fs::write(&path, rows).ok().and_then(|()| Workload::with_tokenizer(&plan, resolved).ok());
    let _ = fs::remove_file(&path);
    let Some(workload) = built else { return 1 };
    let ids: Vec<Vec<u32>> =
        (0..4).map(|number| tokenizer.encode(&workload.turn(number).texts().collect::<String>())).collect();
    let common = |a: usize, b: usize| ids[a].iter().zip(&ids[b]).take_while(|(a, b)| a == b).count();
    let found = [ids[0].len(), ids[1].len(), ids[2].len(), ids[3].len(), common(0, 1), common(0, 2), common(0, 3)];
    let is_right = found == [1_500, 1_536, 700, 5_000, 1_024, 512, 0];
    println!("{} blocks: {found:?} {}", tokenizer.name(), if is_right { "as wanted" } else { "OFF" });
    u64::from(!is_right)
}

/// Prompts whose length counts the chat template: how many are off.
fn templates(tokenizer: &Tokenizer) -> u64 {
    if tokenizer.chat_template().is_none() {
        return 0;
    }
    let (mut texts, mut off) = (0, 0);
    for length in LENGTHS.into_iter().filter(|length| (100..20_000).contains(length)) {
        for corpus in [Corpus::Words, Corpus::Prose, Corpus::Coding] {
            let mut plan = plans::plan(f64::from(length), 0.0, 1);
            plans::synthetic_of(&mut plan).corpus = corpus;
            plans::synthetic_of(&mut plan).counts_template = true;
            let resolved = Resolved { tokenizer: tokenizer.clone(), is_fallback: false };
            let workload = match Workload::with_tokenizer(&plan, resolved) {
                Ok(workload) => workload,
                Err(error) => {
                    println!("{} template: {error}", tokenizer.name());
                    return 1;
                }
            };
            for number in 0..EACH {
                let text: String = workload.turn(number).texts().collect();
                let reached = tokenizer.count_chat(&serde_json::json!([{"role": "user", "content": text}]), None);
                texts += 1;
                off += u64::from(reached.ok() != Some(length as usize));
            }
        }
    }
    println!("{} template: {off} of {texts} prompts are off", tokenizer.name());
    off
}
