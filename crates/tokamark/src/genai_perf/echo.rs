//! How the run was asked for, as GenAI-Perf's reports echo it.

use serde_json::{Map, Number, Value};
use tokamark_genai_perf::{Blank, EndpointType, InputConfig, Length};
use tokamark_plan::name_value::add_extra_input;

use super::args::GenaiArgs;
use super::measurement::Measurement;

/// The echo of a command line that has been found to be good. `requests` is what was measured in the end.
pub(super) fn input_config(args: &GenaiArgs, kind: EndpointType, path: &str, measurement: Measurement) -> InputConfig {
    let names = args.model.iter().flat_map(|names| names.split(','));
    let mut config = InputConfig {
        model_names: names.map(|name| name.trim().to_owned()).collect(),
        verbose: args.verbose > 0,
        ..InputConfig::default()
    };
    endpoint(&mut config, args, kind, path);
    let analyzer = &mut config.perf_analyzer;
    analyzer.stimulus = stimulus(args);
    if let Some(percentage) = number(args.stability_percentage.as_ref()) {
        analyzer.stability_percentage = percentage;
    }
    analyzer.warmup_request_count = whole(args.warmup_request_count.as_ref()).unwrap_or(0);
    let (mode, num) = match measurement {
        Measurement::Requests(count) => ("request_count", count),
        Measurement::Windows(windows) => ("interval", Some(windows.interval_ms)),
    };
    analyzer.measurement.mode = mode.to_owned();
    analyzer.measurement.num = Blank(num);
    input(&mut config, args);
    let output = &mut config.output;
    set(&mut output.artifact_directory, args.artifact_dir.as_ref());
    set(&mut output.checkpoint_directory, args.checkpoint_dir.as_ref());
    set(&mut output.profile_export_file, args.profile_export_file.as_ref());
    output.generate_plots = args.generate_plots;
    output.enable_checkpointing = args.enable_checkpointing;
    let first = config.model_names.first().cloned().unwrap_or_default();
    config.tokenizer.name = args.tokenizer.clone().unwrap_or(first);
    set(&mut config.tokenizer.revision, args.tokenizer_revision.as_ref());
    config.tokenizer.trust_remote_code = args.tokenizer_trust_remote_code;
    config
}

fn endpoint(config: &mut InputConfig, args: &GenaiArgs, kind: EndpointType, path: &str) {
    let endpoint = &mut config.endpoint;
    set(&mut endpoint.model_selection_strategy, args.model_selection_strategy.as_ref());
    set(&mut endpoint.backend, args.backend.as_ref());
    endpoint.custom = path.trim_start_matches('/').to_owned();
    endpoint.kind = kind;
    endpoint.streaming = args.streaming;
    if !args.server_metrics_url.is_empty() {
        endpoint.server_metrics_urls.clone_from(&args.server_metrics_url);
    }
    set(&mut endpoint.url, args.url.as_ref());
    set(&mut endpoint.grpc_method, args.grpc_method.as_ref());
    endpoint.service_kind = kind.service_kind().to_owned();
    endpoint.output_format = kind.output_format(&endpoint.backend).to_owned();
}

/// The kind of the load and its level: a whole number for slots, a decimal for rates.
fn stimulus(args: &GenaiArgs) -> Map<String, Value> {
    let slots = |text: &String| whole(Some(text)).map_or(Value::Null, Value::from);
    let (name, value) = if let Some(slots_given) = &args.session_concurrency {
        ("session_concurrency", slots(slots_given))
    } else if let Some(rate) = &args.request_rate {
        ("request_rate", rate.trim().parse().ok().and_then(Number::from_f64).map_or(Value::Null, Value::Number))
    } else if args.fixed_schedule.is_some() {
        ("fixed_schedule", Value::Bool(true))
    } else {
        ("concurrency", args.concurrency.as_ref().map_or(Value::from(1), slots))
    };
    Map::from_iter([(name.to_owned(), value)])
}

fn input(config: &mut InputConfig, args: &GenaiArgs) {
    let input = &mut config.input;
    let mut extra = Map::new();
    for field in &args.extra_inputs {
        // They were read once before; a name alone stands for null.
        if add_extra_input(&mut extra, field).is_err() {
            extra.insert(field.trim().to_owned(), Value::Null);
        }
    }
    let header: Vec<String> = args.header.iter().map(|header| redacted(header)).collect();
    put(&mut input.batch_size, args.batch_size.as_ref());
    input.extra = Blank((!extra.is_empty()).then_some(extra));
    input.header = Blank((!header.is_empty()).then_some(header));
    input.file = Blank(args.input_file.clone().filter(|file| !file.starts_with("synthetic:")));
    put(&mut input.num_dataset_entries, args.num_dataset_entries.as_ref());
    if let Some(seed) = args.random_seed.as_ref().and_then(|seed| seed.trim().parse().ok()) {
        input.random_seed = seed;
    }
    let file = args.input_file.as_deref().unwrap_or_default();
    if let Some(names) = file.strip_prefix("synthetic:") {
        input.synthetic_files = names.split(',').map(|name| name.trim().to_owned()).collect();
    } else if let Some(path) = file.strip_prefix("payload:") {
        input.prompt_source = "payload".to_owned();
        input.payload_file = Blank(Some(path.to_owned()));
    } else if !file.is_empty() {
        input.prompt_source = "file".to_owned();
    }
    let length = |mean: &Option<String>, stddev: &Option<String>| Length {
        mean: number(mean.as_ref()).unwrap_or_else(|| 0.into()),
        stddev: number(stddev.as_ref()).unwrap_or_else(|| 0.into()),
    };
    put(&mut input.audio.batch_size, args.batch_size_audio.as_ref());
    input.audio.length = length(&args.audio_length_mean, &args.audio_length_stddev);
    set(&mut input.audio.format, args.audio_format.as_ref());
    let numbers = |texts: &[String]| texts.iter().filter_map(|text| number(Some(text))).collect::<Vec<_>>();
    if !args.audio_depths.is_empty() {
        input.audio.depths = numbers(&args.audio_depths);
    }
    if !args.audio_sample_rates.is_empty() {
        input.audio.sample_rates = numbers(&args.audio_sample_rates);
    }
    put(&mut input.audio.num_channels, args.audio_num_channels.as_ref());
    put(&mut input.image.batch_size, args.batch_size_image.as_ref());
    input.image.width = length(&args.image_width_mean, &args.image_width_stddev);
    input.image.height = length(&args.image_height_mean, &args.image_height_stddev);
    set(&mut input.image.format, args.image_format.as_ref());
    input.output_tokens.mean = Blank(whole(args.output_tokens_mean.as_ref()));
    input.output_tokens.deterministic = args.output_tokens_mean_deterministic;
    if let Some(stddev) = number(args.output_tokens_stddev.as_ref()) {
        input.output_tokens.stddev = stddev;
    }
    put(&mut input.synthetic_tokens.mean, args.synthetic_input_tokens_mean.as_ref());
    if let Some(stddev) = number(args.synthetic_input_tokens_stddev.as_ref()) {
        input.synthetic_tokens.stddev = stddev;
    }
    put(&mut input.prefix_prompt.num, args.num_prefix_prompts.as_ref());
    put(&mut input.prefix_prompt.length, args.prefix_prompt_length.as_ref());
    let sessions = &mut input.sessions;
    put(&mut sessions.num, args.num_sessions.as_ref());
    let turns = length(&args.session_turns_mean, &args.session_turns_stddev);
    if args.session_turns_mean.is_some() {
        sessions.turns.mean = turns.mean;
    }
    sessions.turns.stddev = turns.stddev;
    let delay = length(&args.session_turn_delay_mean, &args.session_turn_delay_stddev);
    (sessions.turn_delay.mean, sessions.turn_delay.stddev) = (delay.mean, delay.stddev);
    if let Some(ratio) = args.session_delay_ratio.as_ref().and_then(|ratio| ratio.trim().parse().ok()) {
        sessions.turn_delay.ratio = Number::from_f64(ratio).unwrap_or_else(|| 1.into());
    }
}

/// Keys stay out of files, which GenAI-Perf writes them into.
fn redacted(header: &str) -> String {
    match header.split_once(':') {
        Some((name, _)) if name.trim().eq_ignore_ascii_case("authorization") => format!("{name}:<redacted>"),
        _ => header.to_owned(),
    }
}

fn set(into: &mut String, text: Option<&String>) {
    if let Some(text) = text {
        into.clone_from(text);
    }
}

fn put(into: &mut u64, text: Option<&String>) {
    if let Some(number) = whole(text) {
        *into = number;
    }
}

fn whole(text: Option<&String>) -> Option<u64> {
    text?.trim().parse().ok()
}

/// A whole number if it is written as one, as Python's parser has it.
fn number(text: Option<&String>) -> Option<Number> {
    let text = text?.trim();
    text.parse::<u64>().map(Number::from).ok().or_else(|| Number::from_f64(text.parse().ok()?))
}
