//! What is measured.

use clap::Args;

/// The endpoint and what is asked of it.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Endpoint")]
pub(crate) struct EndpointArgs {
    /// Model to ask for; several share the requests (repeat the flag, or separate them by spaces or commas). Required
    #[arg(short = 'm', long = "model", visible_alias = "model-names", num_args = 1.., value_name = "NAME")]
    pub(crate) model: Vec<String>,

    /// How several models share the requests: round_robin or random [default: round_robin]
    #[arg(long, value_name = "STRATEGY")]
    pub(crate) model_selection_strategy: Option<String>,

    /// Server, base URL or full endpoint URL; several take turns. Without a scheme, http:// is meant. `sim:` starts a
    /// simulated engine, `sim:?option=value&…` sets its options (see `tokamark serve --help`)
    /// [default: http://localhost:8000]
    #[arg(short = 'u', long = "url", num_args = 1.., value_name = "URL")]
    pub(crate) url: Vec<String>,

    /// Path of the endpoint, in place of the type's own
    #[arg(long = "endpoint", visible_alias = "custom-endpoint", value_name = "PATH")]
    pub(crate) endpoint: Option<String>,

    /// API dialect: chat, completions, responses, messages, generate, huggingface_generate, embeddings, chat_embeddings,
    /// nim_embeddings, nvclip, nim_rankings, cohere_rankings, hf_tei_rankings, image_retrieval, solido_rag, raw or template
    /// [default: chat]
    #[arg(long, value_name = "TYPE")]
    pub(crate) endpoint_type: Option<String>,

    /// Ask for a stream of events; needed for time to first token and inter-token latency
    #[arg(long)]
    pub(crate) streaming: bool,

    /// Sent as `Authorization: Bearer KEY`; the environment variable TOKAMARK_API_KEY serves as well and shows in no
    /// process list
    #[arg(long, value_name = "KEY")]
    pub(crate) api_key: Option<String>,

    /// Further HTTP headers, `Name: value` or a JSON object; repeatable
    #[arg(short = 'H', long = "header", num_args = 1.., value_name = "NAME:VALUE")]
    pub(crate) header: Vec<String>,

    /// Further fields of the request body, `name:value` or a JSON object; repeatable. Only the first colon splits; values
    /// that are JSON (numbers, true, false, null, objects, lists) are sent as such, all others as text
    #[arg(long, num_args = 1.., value_name = "NAME:VALUE")]
    pub(crate) extra_inputs: Vec<String>,

    /// Send `max_tokens` rather than `max_completion_tokens` to chat endpoints
    #[arg(long)]
    pub(crate) use_legacy_max_tokens: bool,

    /// Take token counts from the server's `usage` alone
    #[arg(long)]
    pub(crate) use_server_token_count: bool,
}
