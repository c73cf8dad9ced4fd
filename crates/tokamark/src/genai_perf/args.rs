//! GenAI-Perf's flags as they are typed: its names, aliases and defaults.

use clap::{ArgAction, Args};

/// Flags of `profile`, which `analyze` and `config` have too.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct GenaiArgs {
    /// Names of the models
    #[arg(short, long, value_name = "NAME", num_args = 1.., action = ArgAction::Append, help_heading = "Endpoint")]
    pub(crate) model: Vec<String>,

    /// How several models are given to prompts: round_robin or random [default: round_robin]
    #[arg(long, value_name = "STRATEGY", help_heading = "Endpoint")]
    pub(crate) model_selection_strategy: Option<String>,

    /// Triton backend whose inputs are sent: tensorrtllm or vllm; for --endpoint-type kserve [default: tensorrtllm]
    #[arg(long, value_name = "BACKEND", help_heading = "Endpoint")]
    pub(crate) backend: Option<String>,

    /// Path of the endpoint [default: that of --endpoint-type]
    #[arg(long, value_name = "PATH", help_heading = "Endpoint")]
    pub(crate) endpoint: Option<String>,

    /// API to speak: kserve, chat, completions, multimodal, vision, generate, huggingface_generate, embeddings, nvclip, rankings,
    /// image_retrieval, template [default: kserve]
    #[arg(long, value_name = "TYPE", help_heading = "Endpoint")]
    pub(crate) endpoint_type: Option<String>,

    /// Pages of DCGM exporters or of Triton to poll during the run [default: http://localhost:9400/metrics]
    #[arg(long, visible_alias = "server-metrics-urls", value_name = "URL", num_args = 1.., action = ArgAction::Append, help_heading = "Endpoint")]
    pub(crate) server_metrics_url: Vec<String>,

    /// Ask for streams
    #[arg(long, help_heading = "Endpoint")]
    pub(crate) streaming: bool,

    /// Server [default: localhost:8001 for kserve, else localhost:8000]
    #[arg(short, long, value_name = "URL", help_heading = "Endpoint")]
    pub(crate) url: Option<String>,

    /// Texts in each request [default: 1]
    #[arg(short, long, visible_alias = "batch-size-text", value_name = "N", help_heading = "Input")]
    pub(crate) batch_size: Option<String>,

    /// Images in each request [default: 1]
    #[arg(long, value_name = "N", help_heading = "Input")]
    pub(crate) batch_size_image: Option<String>,

    /// Audio clips in each request [default: 1]
    #[arg(long, value_name = "N", help_heading = "Input")]
    pub(crate) batch_size_audio: Option<String>,

    /// Further fields of each body: name, name:value or a JSON object
    #[arg(long, value_name = "FIELD", num_args = 1.., action = ArgAction::Append, help_heading = "Input")]
    pub(crate) extra_inputs: Vec<String>,

    /// Objectives such as time_to_first_token:100 (ms) or output_token_throughput_per_user:20
    #[arg(short, long, value_name = "METRIC:VALUE", num_args = 1.., action = ArgAction::Append, help_heading = "Input")]
    pub(crate) goodput: Vec<String>,

    /// Further headers, as Name:Value
    #[arg(short = 'H', long, value_name = "HEADER", num_args = 1.., action = ArgAction::Append, help_heading = "Input")]
    pub(crate) header: Vec<String>,

    /// File or folder with prompts, synthetic:NAME,NAME, or payload:FILE
    #[arg(long, value_name = "PATH", help_heading = "Input")]
    pub(crate) input_file: Option<String>,

    /// Distinct prompts, used in turn [default: 100]
    #[arg(long, visible_alias = "num-prompts", value_name = "N", help_heading = "Input")]
    pub(crate) num_dataset_entries: Option<String>,

    /// Shared prefixes, of which each prompt gets one [default: 0]
    #[arg(long, value_name = "N", help_heading = "Input")]
    pub(crate) num_prefix_prompts: Option<String>,

    /// Tokens of each prefix [default: 100]
    #[arg(long, value_name = "TOKENS", help_heading = "Input")]
    pub(crate) prefix_prompt_length: Option<String>,

    /// Output tokens to ask for, on average [default: as many as the server likes]
    #[arg(long, visible_alias = "osl", value_name = "TOKENS", help_heading = "Input")]
    pub(crate) output_tokens_mean: Option<String>,

    /// Standard deviation of the output tokens [default: 0]
    #[arg(long, value_name = "TOKENS", help_heading = "Input")]
    pub(crate) output_tokens_stddev: Option<String>,

    /// Ask for exactly the output tokens: a minimum as well as a maximum
    #[arg(long, help_heading = "Input")]
    pub(crate) output_tokens_mean_deterministic: bool,

    /// Seed of the prompts [default: 0]
    #[arg(long, value_name = "SEED", help_heading = "Input")]
    pub(crate) random_seed: Option<String>,

    /// Method of --endpoint-type dynamic_grpc
    #[arg(long, value_name = "METHOD", help_heading = "Input")]
    pub(crate) grpc_method: Option<String>,

    /// Tokens of each synthetic prompt, on average [default: 550]
    #[arg(long, visible_alias = "isl", value_name = "TOKENS", help_heading = "Input")]
    pub(crate) synthetic_input_tokens_mean: Option<String>,

    /// Standard deviation of the prompt's tokens [default: 0]
    #[arg(long, value_name = "TOKENS", help_heading = "Input")]
    pub(crate) synthetic_input_tokens_stddev: Option<String>,

    /// Requests sent before the measured ones [default: 0]
    #[arg(long, visible_alias = "num-warmup-requests", value_name = "N", help_heading = "Input")]
    pub(crate) warmup_request_count: Option<String>,

    /// Width of images, on average; images are made if both sizes are above 0 [default: 0]
    #[arg(long, value_name = "PIXELS", help_heading = "Images and audio")]
    pub(crate) image_width_mean: Option<String>,

    /// Standard deviation of the width [default: 0]
    #[arg(long, value_name = "PIXELS", help_heading = "Images and audio")]
    pub(crate) image_width_stddev: Option<String>,

    /// Height of images, on average [default: 0]
    #[arg(long, value_name = "PIXELS", help_heading = "Images and audio")]
    pub(crate) image_height_mean: Option<String>,

    /// Standard deviation of the height [default: 0]
    #[arg(long, value_name = "PIXELS", help_heading = "Images and audio")]
    pub(crate) image_height_stddev: Option<String>,

    /// png or jpeg [default: png]
    #[arg(long, value_name = "FORMAT", help_heading = "Images and audio")]
    pub(crate) image_format: Option<String>,

    /// Length of audio clips, on average; clips are made if it is above 0 [default: 0]
    #[arg(long, value_name = "SECONDS", help_heading = "Images and audio")]
    pub(crate) audio_length_mean: Option<String>,

    /// Standard deviation of the length [default: 0]
    #[arg(long, value_name = "SECONDS", help_heading = "Images and audio")]
    pub(crate) audio_length_stddev: Option<String>,

    /// wav or mp3 [default: wav]
    #[arg(long, value_name = "FORMAT", help_heading = "Images and audio")]
    pub(crate) audio_format: Option<String>,

    /// Bits of a sample, one of which is drawn for each clip [default: 16]
    #[arg(long, value_name = "BITS", num_args = 1.., action = ArgAction::Append, help_heading = "Images and audio")]
    pub(crate) audio_depths: Vec<String>,

    /// Sample rates in kHz, one of which is drawn for each clip [default: 16]
    #[arg(long, value_name = "KHZ", num_args = 1.., action = ArgAction::Append, help_heading = "Images and audio")]
    pub(crate) audio_sample_rates: Vec<String>,

    /// 1 or 2 [default: 1]
    #[arg(long, value_name = "N", help_heading = "Images and audio")]
    pub(crate) audio_num_channels: Option<String>,

    /// Requests in flight [default: 1]
    #[arg(long, value_name = "N", help_heading = "Load")]
    pub(crate) concurrency: Option<String>,

    /// Requests sent per second
    #[arg(long, value_name = "PER_SECOND", help_heading = "Load")]
    pub(crate) request_rate: Option<String>,

    /// Send each request of a trace at its recorded time; a value after it is accepted, as GenAI-Perf asks for one
    #[arg(long, value_name = "YES", num_args = 0..=1, default_missing_value = "true", help_heading = "Load")]
    pub(crate) fixed_schedule: Option<String>,

    /// Measure in windows of so long until three of them agree
    #[arg(short = 'p', long, value_name = "MS", help_heading = "Load")]
    pub(crate) measurement_interval: Option<String>,

    /// Requests to measure [default: max(10, 2 x concurrency)]
    #[arg(long, visible_alias = "num-requests", value_name = "N", help_heading = "Load")]
    pub(crate) request_count: Option<String>,

    /// How far windows of --measurement-interval may differ, in percent [default: 999]
    #[arg(short, long, value_name = "PERCENT", help_heading = "Load")]
    pub(crate) stability_percentage: Option<String>,

    /// Repeat the measurement and report mean, deviation and confidence interval of each metric [default: 1]
    #[arg(long, value_name = "N", help_heading = "Load")]
    pub(crate) num_runs: Option<String>,

    /// Synthetic conversations [default: 0, which is single requests]
    #[arg(long, value_name = "N", help_heading = "Sessions")]
    pub(crate) num_sessions: Option<String>,

    /// Conversations in progress at once
    #[arg(long, value_name = "N", help_heading = "Sessions")]
    pub(crate) session_concurrency: Option<String>,

    /// What recorded think times are multiplied by [default: 1]
    #[arg(long, value_name = "RATIO", help_heading = "Sessions")]
    pub(crate) session_delay_ratio: Option<String>,

    /// Think time between turns, on average [default: 0]
    #[arg(long, value_name = "MS", help_heading = "Sessions")]
    pub(crate) session_turn_delay_mean: Option<String>,

    /// Standard deviation of the think time [default: 0]
    #[arg(long, value_name = "MS", help_heading = "Sessions")]
    pub(crate) session_turn_delay_stddev: Option<String>,

    /// Turns of each conversation, on average [default: 1]
    #[arg(long, value_name = "TURNS", help_heading = "Sessions")]
    pub(crate) session_turns_mean: Option<String>,

    /// Standard deviation of the turns [default: 0]
    #[arg(long, value_name = "TURNS", help_heading = "Sessions")]
    pub(crate) session_turns_stddev: Option<String>,

    /// Folder of the runs' folders [default: artifacts]
    #[arg(long, value_name = "FOLDER", help_heading = "Output")]
    pub(crate) artifact_dir: Option<String>,

    /// Folder of checkpoint.json [default: checkpoint]
    #[arg(long, value_name = "FOLDER", help_heading = "Output")]
    pub(crate) checkpoint_dir: Option<String>,

    /// Keep what was measured in checkpoint.json, and do not measure it again
    #[arg(long, help_heading = "Output")]
    pub(crate) enable_checkpointing: bool,

    /// Draw plots: SVG, PNG and a page to hover over, in the folder `plots` of the run, and of a sweep
    #[arg(long, help_heading = "Output")]
    pub(crate) generate_plots: bool,

    /// Name of the export [default: profile_export.json]
    #[arg(long, value_name = "NAME", help_heading = "Output")]
    pub(crate) profile_export_file: Option<String>,

    /// What an hour of the server costs, for the cost per million tokens
    #[arg(long, value_name = "PRICE", help_heading = "Output")]
    pub(crate) cost_per_hour: Option<String>,

    /// Currency of --cost-per-hour [default: USD]
    #[arg(long, value_name = "NAME", help_heading = "Output")]
    pub(crate) currency: Option<String>,

    /// Say more; also --extra-verbose
    #[arg(short, long, action = ArgAction::Count, help_heading = "Output")]
    pub(crate) verbose: u8,

    /// Tokenizer: a Hugging Face name, a folder or file, a tiktoken encoding, or builtin [default: the first model's]
    #[arg(long, value_name = "NAME", help_heading = "Tokenizer")]
    pub(crate) tokenizer: Option<String>,

    /// Revision of the tokenizer [default: main]
    #[arg(long, value_name = "REVISION", help_heading = "Tokenizer")]
    pub(crate) tokenizer_revision: Option<String>,

    /// Accepted; no code of a tokenizer is ever run
    #[arg(long, help_heading = "Tokenizer")]
    pub(crate) tokenizer_trust_remote_code: bool,
}

/// Further flags of `analyze`.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct SweepArgs {
    /// What changes from point to point: concurrency, request_rate, input_sequence_length, num_dataset_entries or batch_size
    #[arg(long, value_name = "PARAMETER", help_heading = "Sweep")]
    pub(crate) sweep_type: Option<String>,

    /// From MIN to MAX, in powers of two where there is no STEP
    #[arg(long, value_name = "MIN:MAX[:STEP]", help_heading = "Sweep")]
    pub(crate) sweep_range: Option<String>,

    /// These values
    #[arg(long, value_name = "A,B,C", help_heading = "Sweep")]
    pub(crate) sweep_list: Option<String>,

    /// Limit for the 99th percentile of TTFT, by which the knee is judged [default: 500]
    #[arg(long, value_name = "MS", help_heading = "Sweep")]
    pub(crate) slo_ttft_p99: Option<String>,
}

/// Flags of `config`.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct ConfigArgs {
    /// The YAML file
    #[arg(short, long, value_name = "FILE", help_heading = "Configuration")]
    pub(crate) file: Option<String>,

    /// Let flags of the command line go over those of the file
    #[arg(long, help_heading = "Configuration")]
    pub(crate) override_config: bool,
}
