//! Queries and passages of rankings endpoints.

use clap::Args;

/// The texts of synthetic rankings requests.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Rankings")]
pub(crate) struct RankingsArgs {
    /// Passages of each request, on average [default: 10]
    #[arg(long, value_name = "N")]
    pub(crate) rankings_passages_mean: Option<String>,

    /// Standard deviation of the passages [default: 0]
    #[arg(long, value_name = "N")]
    pub(crate) rankings_passages_stddev: Option<String>,

    /// Tokens of each passage, on average [default: 128]
    #[arg(long, value_name = "TOKENS")]
    pub(crate) rankings_passages_prompt_token_mean: Option<String>,

    /// Standard deviation of a passage's tokens [default: 0]
    #[arg(long, value_name = "TOKENS")]
    pub(crate) rankings_passages_prompt_token_stddev: Option<String>,

    /// Tokens of each query, on average [default: 32]
    #[arg(long, value_name = "TOKENS")]
    pub(crate) rankings_query_prompt_token_mean: Option<String>,

    /// Standard deviation of a query's tokens [default: 0]
    #[arg(long, value_name = "TOKENS")]
    pub(crate) rankings_query_prompt_token_stddev: Option<String>,
}
