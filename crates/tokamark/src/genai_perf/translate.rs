//! From GenAI-Perf's flags to ours, so that one place gives flags their meaning.

use crate::args::{
    ConversationArgs, DatasetArgs, EndpointArgs, InputArgs, LoadArgs, MediaArgs, OutputArgs, PrefixArgs, ProfileArgs,
    TraceArgs,
};
use crate::problems::Problems;

use super::args::GenaiArgs;
use super::pass_through::PassThrough;

/// As GenAI-Perf has them.
const DEFAULT_ENTRIES: &str = "100";
const DEFAULT_PREFIX_TOKENS: &str = "100";
const DEFAULT_SEED: &str = "0";
const DEFAULT_URL: &str = "localhost:8000";
const DEFAULT_GRPC_URL: &str = "localhost:8001";
/// The extra input that names the file with the template of bodies.
const TEMPLATE: &str = "payload_template";
/// The extra input that asks for the rankings of text-embeddings-inference.
const TEI: &str = "rankings:tei";
/// The API that is spoken if none is named.
pub(super) const DEFAULT_ENDPOINT_TYPE: &str = "kserve";

/// GenAI-Perf's names of our flags, so that messages speak of what the user wrote.
const NAMES: [(&str, &str); 22] = [
    ("--isl", "--synthetic-input-tokens-mean"),
    ("--isl-stddev", "--synthetic-input-tokens-stddev"),
    ("--osl", "--output-tokens-mean"),
    ("--osl-stddev", "--output-tokens-stddev"),
    ("--num-conversations", "--num-sessions"),
    ("--conversation-turn-mean", "--session-turns-mean"),
    ("--conversation-turn-stddev", "--session-turns-stddev"),
    ("--conversation-turn-delay-mean", "--session-turn-delay-mean"),
    ("--conversation-turn-delay-stddev", "--session-turn-delay-stddev"),
    ("--conversation-turn-delay-ratio", "--session-delay-ratio"),
    ("--image-batch-size", "--batch-size-image"),
    ("--audio-batch-size", "--batch-size-audio"),
    ("--profile-export-prefix", "--profile-export-file"),
    ("--model", "--model"),
    ("--url", "--url"),
    ("--header", "--header"),
    ("--goodput", "--goodput"),
    ("--batch-size", "--batch-size"),
    ("--request-count", "--request-count"),
    ("--num-dataset-entries", "--num-dataset-entries"),
    ("--warmup-request-count", "--warmup-request-count"),
    ("--concurrency", "--concurrency"),
];

/// Our name of an endpoint type of GenAI-Perf's.
pub(super) fn endpoint_type<'a>(name: &'a str, backend: Option<&str>) -> &'a str {
    match name {
        "multimodal" | "vision" => "chat",
        "kserve" if backend == Some("vllm") => "kserve_vllm",
        "kserve" => "kserve_tensorrtllm",
        name => name,
    }
}

/// The flags of `tokamark profile` that mean the same.
pub(super) fn profile_args(args: &GenaiArgs, passed: &PassThrough, problems: &mut Problems) -> ProfileArgs {
    for (ours, theirs) in NAMES {
        problems.means(ours, theirs);
    }
    let kind = args.endpoint_type.as_deref().unwrap_or(DEFAULT_ENDPOINT_TYPE);
    let is_tei = kind == "rankings" && args.extra_inputs.iter().any(|field| field.trim() == TEI);
    let default_url = if kind == "kserve" { DEFAULT_GRPC_URL } else { DEFAULT_URL };
    let sessions = args.num_sessions.as_deref().is_some_and(|count| count.trim() != "0");
    ProfileArgs {
        endpoint: EndpointArgs {
            model: args.model.clone(),
            model_selection_strategy: args.model_selection_strategy.clone(),
            url: vec![args.url.clone().or_else(|| passed.url.clone()).unwrap_or_else(|| default_url.to_owned())],
            endpoint: args.endpoint.as_deref().map(rooted).or_else(|| default_path(kind)),
            endpoint_type: Some(
                if is_tei { "hf_tei_rankings" } else { endpoint_type(kind, args.backend.as_deref()) }.to_owned(),
            ),
            streaming: args.streaming,
            header: args.header.iter().chain(&passed.headers).cloned().collect(),
            extra_inputs: extra_inputs(args, kind, problems),
            use_legacy_max_tokens: matches!(kind, "chat" | "multimodal" | "vision" | "completions"),
            ..EndpointArgs::default()
        },
        load: load(args, passed, problems),
        input: InputArgs {
            isl: args.synthetic_input_tokens_mean.clone(),
            isl_stddev: args.synthetic_input_tokens_stddev.clone(),
            osl: args.output_tokens_mean.clone(),
            osl_stddev: args.output_tokens_stddev.clone().filter(|_| args.output_tokens_mean.is_some()),
            num_dataset_entries: entries(args, sessions),
            batch_size: args.batch_size.clone(),
            tokenizer: args.tokenizer.clone(),
            // The default says nothing.
            tokenizer_revision: args.tokenizer_revision.clone().filter(|revision| revision != "main"),
            ..InputArgs::default()
        },
        prefix: prefix(args),
        conversation: ConversationArgs {
            num_conversations: args.num_sessions.clone().filter(|_| sessions),
            conversation_turn_mean: args.session_turns_mean.clone().filter(|_| sessions),
            conversation_turn_stddev: args.session_turns_stddev.clone().filter(|_| sessions),
            conversation_turn_delay_mean: args.session_turn_delay_mean.clone().filter(|_| sessions),
            conversation_turn_delay_stddev: args.session_turn_delay_stddev.clone().filter(|_| sessions),
            conversation_turn_delay_ratio: args.session_delay_ratio.clone(),
            ..ConversationArgs::default()
        },
        dataset: DatasetArgs { input_file: args.input_file.clone(), ..DatasetArgs::default() },
        trace: TraceArgs {
            fixed_schedule: args.fixed_schedule.is_some() || passed.fixed_schedule,
            ..TraceArgs::default()
        },
        media: media(args),
        output: OutputArgs {
            goodput: args.goodput.clone(),
            profile_export_prefix: args.profile_export_file.clone(),
            verbose: args.verbose,
            ..OutputArgs::default()
        },
        ..ProfileArgs::default()
    }
}

/// Where GenAI-Perf's own path is another than ours.
fn default_path(kind: &str) -> Option<String> {
    match kind {
        "huggingface_generate" => Some("/".to_owned()),
        // TEI's texts go to NIM's path unless the user gives another.
        "rankings" => Some("/v1/ranking".to_owned()),
        _ => None,
    }
}

/// Paths may come without the slash, and with spaces.
fn rooted(path: &str) -> String {
    format!("/{}", path.trim_start_matches([' ', '/']))
}

fn entries(args: &GenaiArgs, sessions: bool) -> Option<String> {
    let is_synthetic = args.input_file.as_deref().is_none_or(|file| file.starts_with("synthetic:"));
    // Sessions are all distinct, and a file has the rows that it has.
    let default = (is_synthetic && !sessions).then(|| DEFAULT_ENTRIES.to_owned());
    args.num_dataset_entries.clone().filter(|_| !sessions).or(default)
}

fn prefix(args: &GenaiArgs) -> PrefixArgs {
    let pool = args.num_prefix_prompts.clone().filter(|count| count.trim() != "0");
    let length = args.prefix_prompt_length.clone().unwrap_or_else(|| DEFAULT_PREFIX_TOKENS.to_owned());
    PrefixArgs {
        prefix_prompt_length: pool.is_some().then_some(length),
        num_prefix_prompts: pool,
        ..PrefixArgs::default()
    }
}

fn load(args: &GenaiArgs, passed: &PassThrough, problems: &mut Problems) -> LoadArgs {
    for (flag, other, both) in [
        ("--concurrency", "--request-rate", args.concurrency.is_some() && args.request_rate.is_some()),
        ("--concurrency", "--fixed-schedule", args.concurrency.is_some() && args.fixed_schedule.is_some()),
        (
            "--measurement-interval",
            "--request-count",
            args.measurement_interval.is_some() && args.request_count.is_some(),
        ),
    ] {
        if both {
            problems.add(flag, format!("conflicts with {other}"));
        }
    }
    let rate = args.request_rate.clone().or_else(|| passed.request_rate.clone());
    let concurrency = args
        .session_concurrency
        .clone()
        .or_else(|| args.concurrency.clone())
        .or_else(|| passed.concurrency.clone())
        .or_else(|| (rate.is_none() && args.fixed_schedule.is_none()).then(|| "1".to_owned()));
    LoadArgs {
        concurrency,
        arrival_pattern: rate.is_some().then(|| passed.distribution.clone().unwrap_or_else(|| "constant".to_owned())),
        request_rate: rate,
        request_count: args.request_count.clone().or_else(|| passed.request_count.clone()),
        warmup_request_count: args.warmup_request_count.clone().or_else(|| passed.warmup_request_count.clone()),
        random_seed: Some(args.random_seed.clone().unwrap_or_else(|| DEFAULT_SEED.to_owned())),
        max_threads: passed.max_threads.clone(),
        ..LoadArgs::default()
    }
}

/// Fields of bodies; a name alone stands for null. A deterministic length is a minimum as well, in the words of the API.
fn extra_inputs(args: &GenaiArgs, kind: &str, problems: &mut Problems) -> Vec<String> {
    let is_bare = |field: &str| !field.contains(':') && !field.trim_start().starts_with('{');
    let given = args.extra_inputs.iter().filter(|field| field.trim() != TEI);
    let mut fields: Vec<String> = given
        .map(|field| match field.split_once(':') {
            Some((TEMPLATE, file)) => template(file, problems),
            _ if is_bare(field) => serde_json::json!({field.trim(): null}).to_string(),
            _ => field.clone(),
        })
        .collect();
    if args.output_tokens_mean_deterministic {
        match &args.output_tokens_mean {
            None => problems.add("--output-tokens-mean-deterministic", "needs --output-tokens-mean"),
            Some(mean) => {
                let mean = mean.trim();
                let wanted: &[(&str, &str)] = match endpoint_type(kind, args.backend.as_deref()) {
                    "chat" | "completions" => &[("ignore_eos", "true"), ("min_tokens", mean)],
                    "kserve_vllm" => &[("min_tokens", mean)],
                    "kserve_tensorrtllm" => &[("min_length", mean)],
                    _ => &[],
                };
                for (name, value) in wanted {
                    if !fields.iter().any(|field| field.trim_start().starts_with(name)) {
                        fields.push(format!("{name}:{value}"));
                    }
                }
            }
        }
    }
    fields
}

/// The template of bodies is in a file.
fn template(file: &str, problems: &mut Problems) -> String {
    let text = std::fs::read_to_string(file.trim()).unwrap_or_else(|error| {
        problems.add("--extra-inputs", format!("the template `{file}` cannot be read: {error}"));
        String::new()
    });
    serde_json::json!({ TEMPLATE: text }).to_string()
}

/// Images need both sizes, audio a length; what else is said of them then does nothing, as in GenAI-Perf.
fn media(args: &GenaiArgs) -> MediaArgs {
    let is_set = |text: &Option<String>| text.as_deref().is_some_and(|text| text.trim().parse() != Ok(0.0));
    let mut media = MediaArgs::default();
    if is_set(&args.image_width_mean) && is_set(&args.image_height_mean) {
        media.image_batch_size.clone_from(&args.batch_size_image);
        media.image_width_mean.clone_from(&args.image_width_mean);
        media.image_width_stddev.clone_from(&args.image_width_stddev);
        media.image_height_mean.clone_from(&args.image_height_mean);
        media.image_height_stddev.clone_from(&args.image_height_stddev);
        media.image_format = Some(args.image_format.clone().unwrap_or_else(|| "png".to_owned()));
        media.image_source = Some("assets".to_owned());
    }
    if is_set(&args.audio_length_mean) {
        media.audio_batch_size.clone_from(&args.batch_size_audio);
        media.audio_length_mean.clone_from(&args.audio_length_mean);
        media.audio_length_stddev.clone_from(&args.audio_length_stddev);
        media.audio_format.clone_from(&args.audio_format);
        media.audio_depths.clone_from(&args.audio_depths);
        media.audio_sample_rates.clone_from(&args.audio_sample_rates);
        media.audio_num_channels.clone_from(&args.audio_num_channels);
    }
    media
}
