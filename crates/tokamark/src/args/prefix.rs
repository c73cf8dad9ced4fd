//! What goes before prompts.

use clap::Args;

/// System prompts, shared prefixes and marks against prefix caches.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Prefixes")]
pub(crate) struct PrefixArgs {
    /// System message of every conversation
    #[arg(long, value_name = "TEXT")]
    pub(crate) system_prompt: Option<String>,

    /// File with the system message of every conversation
    #[arg(long, value_name = "FILE")]
    pub(crate) system_prompt_file: Option<String>,

    /// Tokens of a made system message that all conversations share
    #[arg(long, value_name = "TOKENS")]
    pub(crate) shared_system_prompt_length: Option<String>,

    /// Tokens of a made text of each conversation's own before its first turn
    #[arg(long, value_name = "TOKENS")]
    pub(crate) user_context_prompt_length: Option<String>,

    /// Prefixes in the pool, of which each conversation gets one before its first turn; needs --prefix-prompt-length
    #[arg(long, visible_aliases = ["prompt-prefix-pool-size", "prefix-prompt-pool-size"], value_name = "N")]
    pub(crate) num_prefix_prompts: Option<String>,

    /// Tokens of each prefix of the pool
    #[arg(long, visible_alias = "prompt-prefix-length", value_name = "TOKENS")]
    pub(crate) prefix_prompt_length: Option<String>,

    /// Share of each synthetic prompt, 0 to 1, that a prefix cache can find: it is taken from a shared prefix (one, or
    /// --num-prefix-prompts of them)
    #[arg(long, value_name = "SHARE")]
    pub(crate) cache_hit_share: Option<String>,

    /// Where a mark of each conversation's own keeps prompts out of prefix caches: none, system_prefix, system_suffix,
    /// first_turn_prefix, first_turn_suffix, warmup_isolation_system or warmup_isolation_first_turn [default: none]
    #[arg(long, value_name = "PLACE")]
    pub(crate) cache_bust: Option<String>,
}
