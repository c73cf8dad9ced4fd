//! What goes before prompts.

use tokamark_plan::{CacheBust, PrefixPlan, SystemPrompt};

use super::super::values::{Range, choice, decimal, file, whole};
use crate::args::PrefixArgs;
use crate::problems::Problems;

const MOST_TOKENS: u64 = 100_000_000;

/// System prompts and prefixes.
pub(super) fn resolve(args: &PrefixArgs, problems: &mut Problems) -> PrefixPlan {
    let pool = whole("--num-prefix-prompts", args.num_prefix_prompts.as_ref(), 0, u64::MAX, problems).unwrap_or(0);
    let tokens = whole("--prefix-prompt-length", args.prefix_prompt_length.as_ref(), 0, MOST_TOKENS, problems);
    let cache_hit_share = decimal("--cache-hit-share", args.cache_hit_share.as_ref(), Range::NotNegative, problems);
    if cache_hit_share.is_some_and(|share| share > 1.0) {
        problems.add("--cache-hit-share", "must be at most 1: it is a share");
    }
    if cache_hit_share.is_some() && tokens.is_some() {
        problems.add("--cache-hit-share", "conflicts with --prefix-prompt-length: both say how long prefixes are");
    }
    let tokens = tokens.unwrap_or(0);
    if pool > 0 && tokens == 0 && cache_hit_share.is_none() {
        problems.add("--num-prefix-prompts", "needs --prefix-prompt-length: how long are the prefixes?");
    }
    if tokens > 0 && pool == 0 {
        problems.add("--prefix-prompt-length", "needs --num-prefix-prompts: how many prefixes are there?");
    }
    PrefixPlan {
        pool,
        tokens,
        cache_hit_share,
        system: system(args, problems),
        user_context_tokens: whole(
            "--user-context-prompt-length",
            args.user_context_prompt_length.as_ref(),
            1,
            MOST_TOKENS,
            problems,
        )
        .unwrap_or(0),
    }
}

fn system(args: &PrefixArgs, problems: &mut Problems) -> Vec<SystemPrompt> {
    let mut prompts = Vec::new();
    if args.system_prompt.is_some() && args.system_prompt_file.is_some() {
        problems.add("--system-prompt-file", "conflicts with --system-prompt: both give the text");
    }
    prompts.extend(args.system_prompt.clone().map(SystemPrompt::Text));
    if let Some(path) = file("--system-prompt-file", args.system_prompt_file.as_ref(), problems) {
        match std::fs::read_to_string(&path) {
            Ok(text) => prompts.push(SystemPrompt::Text(text)),
            Err(error) => problems.add("--system-prompt-file", format!("`{}` cannot be read: {error}", path.display())),
        }
    }
    let length =
        whole("--shared-system-prompt-length", args.shared_system_prompt_length.as_ref(), 1, MOST_TOKENS, problems);
    prompts.extend(length.map(SystemPrompt::Tokens));
    prompts
}

/// Where marks go.
pub(super) fn cache_bust(args: &PrefixArgs, problems: &mut Problems) -> CacheBust {
    choice(
        "--cache-bust",
        args.cache_bust.as_ref(),
        &[
            ("none", CacheBust::None),
            ("system_prefix", CacheBust::SystemPrefix),
            ("system_suffix", CacheBust::SystemSuffix),
            ("first_turn_prefix", CacheBust::FirstTurnPrefix),
            ("first_turn_suffix", CacheBust::FirstTurnSuffix),
            ("warmup_isolation_system", CacheBust::WarmupIsolationSystem),
            ("warmup_isolation_first_turn", CacheBust::WarmupIsolationFirstTurn),
        ],
        &[],
        problems,
    )
    .unwrap_or_default()
}
