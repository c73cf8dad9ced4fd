//! What requests ask: lengths, synthetic text, tokenizer.

use clap::Args;

/// The workload and its tokenizer.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Input")]
pub(crate) struct InputArgs {
    /// Tokens of each synthetic prompt: the mean, or a distribution such as lognormal:mean=512,median=300,
    /// uniform:128-1024, empirical:128@0.7;1024@0.3 [default: 550]
    #[arg(long, visible_aliases = ["prompt-input-tokens-mean", "synthetic-input-tokens-mean"], value_name = "TOKENS")]
    pub(crate) isl: Option<String>,

    /// Standard deviation of --isl [default: 0]
    #[arg(long, visible_aliases = ["prompt-input-tokens-stddev", "synthetic-input-tokens-stddev"], value_name = "TOKENS")]
    pub(crate) isl_stddev: Option<String>,

    /// Output tokens to ask for: the mean, or a distribution as for --isl [default: as many as the server likes]
    #[arg(long, visible_aliases = ["prompt-output-tokens-mean", "output-tokens-mean"], value_name = "TOKENS")]
    pub(crate) osl: Option<String>,

    /// Standard deviation of --osl [default: 0]
    #[arg(long, visible_aliases = ["prompt-output-tokens-stddev", "output-tokens-stddev"], value_name = "TOKENS")]
    pub(crate) osl_stddev: Option<String>,

    /// Pairs of prompt and output lengths with their shares in percent, such as `128,64:25;512|20,128|10:75`
    #[arg(long, visible_alias = "seq-dist", value_name = "PAIRS")]
    pub(crate) sequence_distribution: Option<String>,

    /// Lengths in a window of this ratio about --isl and --osl, as the random datasets of vLLM and SGLang have them: a number,
    /// or {"input": a, "output": b}
    #[arg(long, value_name = "RATIO")]
    pub(crate) random_range_ratio: Option<String>,

    /// Whose rules --prompt-corpus random and --random-range-ratio follow: vllm or sglang [default: vllm]
    #[arg(long, value_name = "STYLE")]
    pub(crate) random_corpus_style: Option<String>,

    /// What synthetic text is made of: words (no two prompts begin alike), sonnet (running prose), coding or random
    /// (vocabulary ids) [default: words; with --random-range-ratio: random]
    #[arg(long, value_name = "CORPUS")]
    pub(crate) prompt_corpus: Option<String>,

    /// Text file that synthetic prose is cut from. Implies --prompt-corpus sonnet
    #[arg(long, value_name = "FILE")]
    pub(crate) corpus_file: Option<String>,

    /// --isl is the length of the prompt as the model sees it, with BOS and chat template, not that of its text
    #[arg(long)]
    pub(crate) isl_includes_template: bool,

    /// Distinct synthetic prompts or conversations, used in turn [default: one for each request]
    #[arg(long, visible_alias = "num-prompts", value_name = "N")]
    pub(crate) num_dataset_entries: Option<String>,

    /// Texts in each request (embeddings) [default: 1]
    #[arg(short = 'b', long, visible_aliases = ["batch-size-text", "prompt-batch-size"], value_name = "N")]
    pub(crate) batch_size: Option<String>,

    /// Tokenizer: `builtin`, a tiktoken encoding such as cl100k_base, a file or folder (tokenizer.json, tiktoken,
    /// sentencepiece, tekken), or a Hugging Face name [default: the model's own if it is on this machine, else builtin]
    #[arg(long, value_name = "NAME")]
    pub(crate) tokenizer: Option<String>,

    /// Revision of the tokenizer in the cache or on the hub [default: main]
    #[arg(long, value_name = "REVISION")]
    pub(crate) tokenizer_revision: Option<String>,

    /// Count the tokens of prompts as the model's chat template renders them
    #[arg(long)]
    pub(crate) apply_chat_template: bool,
}
