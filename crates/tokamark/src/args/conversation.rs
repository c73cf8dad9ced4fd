//! Conversations of several turns.

use clap::Args;

/// Synthetic conversations and the think time in them.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Conversations")]
pub(crate) struct ConversationArgs {
    /// Stop after so many conversations were begun; they are still played to their end
    #[arg(long, visible_aliases = ["conversation-num", "num-sessions"], value_name = "N")]
    pub(crate) num_conversations: Option<String>,

    /// Turns of each synthetic conversation, on average [default: 1]
    #[arg(long, visible_alias = "session-turns-mean", value_name = "TURNS")]
    pub(crate) conversation_turn_mean: Option<String>,

    /// Standard deviation of the turns [default: 0]
    #[arg(long, visible_alias = "session-turns-stddev", value_name = "TURNS")]
    pub(crate) conversation_turn_stddev: Option<String>,

    /// Think time before each turn but the first, on average [default: 0]
    #[arg(long, visible_alias = "session-turn-delay-mean", value_name = "MS")]
    pub(crate) conversation_turn_delay_mean: Option<String>,

    /// Standard deviation of the think time [default: 0]
    #[arg(long, visible_alias = "session-turn-delay-stddev", value_name = "MS")]
    pub(crate) conversation_turn_delay_stddev: Option<String>,

    /// What every think time is multiplied by, recorded ones too [default: 1]
    #[arg(long, visible_alias = "session-delay-ratio", value_name = "RATIO")]
    pub(crate) conversation_turn_delay_ratio: Option<String>,

    /// No recorded think time is longer than this
    #[arg(long, value_name = "SECONDS")]
    pub(crate) inter_turn_delay_cap_seconds: Option<String>,
}
