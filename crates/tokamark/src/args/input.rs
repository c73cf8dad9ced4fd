//! What requests ask.

use clap::Args;

/// The workload and its tokenizer.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Input")]
pub(crate) struct InputArgs {
    /// Tokens of each synthetic prompt, on average [default: 550]
    #[arg(long, visible_aliases = ["prompt-input-tokens-mean", "synthetic-input-tokens-mean"], value_name = "TOKENS")]
    pub(crate) isl: Option<String>,

    /// Standard deviation of --isl [default: 0]
    #[arg(long, visible_aliases = ["prompt-input-tokens-stddev", "synthetic-input-tokens-stddev"], value_name = "TOKENS")]
    pub(crate) isl_stddev: Option<String>,

    /// Output tokens to ask for, on average [default: as many as the server likes]
    #[arg(long, visible_aliases = ["prompt-output-tokens-mean", "output-tokens-mean"], value_name = "TOKENS")]
    pub(crate) osl: Option<String>,

    /// Standard deviation of --osl [default: 0]
    #[arg(long, visible_aliases = ["prompt-output-tokens-stddev", "output-tokens-stddev"], value_name = "TOKENS")]
    pub(crate) osl_stddev: Option<String>,

    /// Distinct synthetic prompts, used in turn [default: one for each request]
    #[arg(long, visible_alias = "num-prompts", value_name = "N")]
    pub(crate) num_dataset_entries: Option<String>,

    /// Texts in each request (embeddings) [default: 1]
    #[arg(short = 'b', long, visible_aliases = ["batch-size-text", "prompt-batch-size"], value_name = "N")]
    pub(crate) batch_size: Option<String>,

    /// File with prompts, in place of synthetic ones
    #[arg(long, value_name = "FILE")]
    pub(crate) input_file: Option<String>,

    /// Format of --input-file: single_turn, one JSON object per line with `text` [default: single_turn]
    #[arg(long, value_name = "FORMAT")]
    pub(crate) custom_dataset_type: Option<String>,

    /// Tokenizer: `builtin`, a tokenizer.json, a folder that has one, or a Hugging Face name that is in the local cache
    /// [default: the model's own if it is there, else builtin]
    #[arg(long, value_name = "NAME")]
    pub(crate) tokenizer: Option<String>,

    /// Revision of the tokenizer in the cache [default: main]
    #[arg(long, value_name = "REVISION")]
    pub(crate) tokenizer_revision: Option<String>,
}
