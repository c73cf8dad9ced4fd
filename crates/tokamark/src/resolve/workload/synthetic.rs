//! Prompts made from the seed.

use tokamark_plan::{Corpus, EndpointKind, RandomStyle, SyntheticPlan, TurnsPlan};

use super::super::values::{Range, choice, decimal, file};
use super::{lengths, rankings};
use crate::args::{ConversationArgs, InputArgs, ProfileArgs};
use crate::problems::Problems;

/// The synthetic workload; `groups` are names of text groups.
pub(super) fn resolve(
    args: &ProfileArgs,
    endpoint: EndpointKind,
    groups: Vec<String>,
    problems: &mut Problems,
) -> SyntheticPlan {
    let input = &args.input;
    let style = choice(
        "--random-corpus-style",
        input.random_corpus_style.as_ref(),
        &[("vllm", RandomStyle::Vllm), ("sglang", RandomStyle::Sglang)],
        &[],
        problems,
    );
    let range_ratio = lengths::range_ratio(input, style == Some(RandomStyle::Sglang), problems);
    let corpus = corpus(input, range_ratio.is_some(), problems);
    if style.is_some() && corpus != Corpus::Random {
        problems.add("--random-corpus-style", "needs --prompt-corpus random or --random-range-ratio");
    }
    SyntheticPlan {
        input_tokens: lengths::input(input, problems),
        pairs: lengths::pairs(input, problems),
        counts_template: input.isl_includes_template,
        corpus,
        corpus_file: file("--corpus-file", input.corpus_file.as_ref(), problems),
        random_style: style.unwrap_or_default(),
        range_ratio,
        turns: turns(&args.conversation, problems),
        rankings: rankings::resolve(args, endpoint, !groups.is_empty(), problems),
        groups,
    }
}

fn corpus(args: &InputArgs, has_window: bool, problems: &mut Problems) -> Corpus {
    let given = choice(
        "--prompt-corpus",
        args.prompt_corpus.as_ref(),
        &[
            ("words", Corpus::Words),
            ("sonnet", Corpus::Prose),
            ("prose", Corpus::Prose),
            ("coding", Corpus::Coding),
            ("random", Corpus::Random),
        ],
        &[],
        problems,
    );
    if args.corpus_file.is_some() && given.is_some_and(|corpus| corpus != Corpus::Prose) {
        problems.add("--corpus-file", "conflicts with --prompt-corpus: only prose (sonnet) is cut from a file");
    }
    given.unwrap_or(match (args.corpus_file.is_some(), has_window) {
        (true, _) => Corpus::Prose,
        (false, true) => Corpus::Random,
        (false, false) => Corpus::Words,
    })
}

fn turns(args: &ConversationArgs, problems: &mut Problems) -> TurnsPlan {
    let mut number = |flag: &str, text: &Option<String>| decimal(flag, text.as_ref(), Range::NotNegative, problems);
    let plan = TurnsPlan {
        mean: number("--conversation-turn-mean", &args.conversation_turn_mean).unwrap_or(1.0),
        stddev: number("--conversation-turn-stddev", &args.conversation_turn_stddev).unwrap_or(0.0),
        delay_mean_ms: number("--conversation-turn-delay-mean", &args.conversation_turn_delay_mean).unwrap_or(0.0),
        delay_stddev_ms: number("--conversation-turn-delay-stddev", &args.conversation_turn_delay_stddev)
            .unwrap_or(0.0),
        delay_ratio: number("--conversation-turn-delay-ratio", &args.conversation_turn_delay_ratio).unwrap_or(1.0),
    };
    if plan.mean < 1.0 {
        problems.add("--conversation-turn-mean", "must be at least 1: a conversation has a turn");
    }
    plan
}
