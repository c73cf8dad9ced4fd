//! `genai-perf create-template`: a starter configuration.

use std::fmt::Write as _;
use std::fs::OpenOptions;
use std::io::{ErrorKind, Write as _};
use std::path::Path;

use anyhow::{Context, bail};

use crate::exit_code;

/// The name of the file unless the user gives one.
pub(super) const DEFAULT_FILE: &str = "genai_perf_config.yaml";

/// A line of the template: its depth, what stands there, and what that means.
type Line = (usize, &'static str, &'static str);

#[rustfmt::skip]
const LINES: [Line; 85] = [
    (1, "model_names: ", "Names of the models, separated by commas."),
    (1, "analyze:", "What a sweep changes; without it a single load is measured."),
    (2, "# Uncomment the lines below to enable the analyze subcommand", ""),
    (2, "# # For further details see analyze.md", ""),
    (2, "#   concurrency:", ""),
    (2, "#     start: 1", ""),
    (2, "#     stop: 1024", ""),
    (1, "endpoint:", "Where requests go."),
    (2, "model_selection_strategy: round_robin", "How several models are given to prompts: round_robin or random."),
    (2, "backend: tensorrtllm", "Triton backend whose inputs are sent: tensorrtllm or vllm."),
    (2, "custom: ", "Path of the endpoint in place of the type's own."),
    (2, "type: kserve", "The API to speak."),
    (2, "streaming: False", "Ask for streams."),
    (2, "server_metrics_urls: http://localhost:9400/metrics", "Pages of DCGM exporters to poll, separated by commas."),
    (2, "url: localhost:8001", "The server."),
    (2, "grpc_method: ", "Method of dynamic_grpc."),
    (1, "perf_analyzer:", "How load is made."),
    (2, "path: perf_analyzer", "Kept for old files; no other program is run."),
    (2, "verbose: False", "Say more while measuring."),
    (2, "stimulus: {'concurrency': 1}", "The load: concurrency, request_rate or session_concurrency, and its level."),
    (2, "stability_percentage: 999", "How far windows may differ, in percent."),
    (2, "warmup_request_count: 0", "Requests before the measured ones."),
    (2, "measurement:", "How long it is measured."),
    (3, "mode: request_count", "request_count or interval."),
    (3, "# If left unset, the default value will be inferred based on the mode.", ""),
    (3, "num: ", "Requests, or milliseconds of a window."),
    (1, "input:", "What is sent."),
    (2, "batch_size: 1", "Texts in each request."),
    (2, "extra: ", "Further fields of each body, as a mapping."),
    (2, "goodput: ", "Objectives, as a mapping of metric and limit."),
    (2, "header: ", "Further headers, as a list."),
    (2, "file: ", "File or folder with prompts."),
    (2, "num_dataset_entries: 100", "Distinct prompts."),
    (2, "random_seed: 0", "Seed of the prompts."),
    (2, "audio:", "Audio clips, if their length is above 0."),
    (3, "batch_size: 1", "Clips in each request."),
    (3, "format: wav", "wav or mp3."),
    (3, "depths: 16", "Bits of a sample, separated by commas."),
    (3, "sample_rates: 16", "Rates in kHz, separated by commas."),
    (3, "num_channels: 1", "1 or 2."),
    (3, "length:", "Seconds."),
    (4, "mean: 0", ""),
    (4, "stddev: 0", ""),
    (2, "image:", "Images, if both sizes are above 0."),
    (3, "batch_size: 1", "Images in each request."),
    (3, "format: png", "png or jpeg."),
    (3, "width:", "Pixels."),
    (4, "mean: 0", ""),
    (4, "stddev: 0", ""),
    (3, "height:", "Pixels."),
    (4, "mean: 0", ""),
    (4, "stddev: 0", ""),
    (2, "output_tokens:", "Length of answers."),
    (3, "mean: ", "Tokens; the server decides if it is left empty."),
    (3, "deterministic: False", "Ask for exactly so many."),
    (3, "stddev: 0", ""),
    (2, "synthetic_tokens:", "Length of synthetic prompts."),
    (3, "mean: 550", ""),
    (3, "stddev: 0", ""),
    (2, "prefix_prompt:", "Prefixes that prompts share."),
    (3, "num: 0", "Prefixes in the pool."),
    (3, "length: 100", "Tokens of each."),
    (2, "sessions:", "Conversations."),
    (3, "num: 0", "Conversations; 0 for single requests."),
    (3, "turns:", "Turns of each."),
    (4, "mean: 1", ""),
    (4, "stddev: 0", ""),
    (3, "turn_delay:", "Milliseconds between turns."),
    (4, "mean: 0", ""),
    (4, "ratio: 1.0", "What every wait is multiplied by."),
    (4, "stddev: 0", ""),
    (1, "output:", "Where files go."),
    (2, "artifact_directory: artifacts", "Folder of the runs' folders."),
    (2, "checkpoint_directory: checkpoint", "Folder of checkpoint.json."),
    (2, "profile_export_file: profile_export.json", "Name of the export."),
    (2, "generate_plots: False", "Draw plots."),
    (2, "enable_checkpointing: False", "Keep what was measured, and do not measure it again."),
    (1, "tokenizer:", "What counts tokens."),
    (2, "# By default this is the model's name", ""),
    (2, "name: ", "A Hugging Face name, a folder or file, or builtin."),
    (2, "revision: main", "Its revision."),
    (2, "trust_remote_code: False", "Kept for old files; no code of a tokenizer is ever run."),
    (1, "process:", "Runs that are to be merged."),
    (2, "# Uncomment the lines below to enable the process-export-files subcommand", ""),
    (2, "#   input_path: ", ""),
];

/// The text of the template. A `verbose` one says what each line means.
pub(super) fn text(verbose: bool) -> String {
    let mut text = String::new();
    for (index, (depth, line, meaning)) in LINES.iter().enumerate() {
        let indent = "  ".repeat(*depth);
        let is_section = line.ends_with(':') && !line.starts_with('#');
        if index == 1 || (is_section && index > 0) {
            text.push('\n');
        }
        if verbose && !meaning.is_empty() {
            let _ = writeln!(text, "{indent}# {meaning}");
        }
        let _ = writeln!(text, "{indent}{line}");
    }
    text.push('\n');
    text
}

/// Writes the template into a new file.
///
/// # Errors
/// The file is there already, or cannot be written.
pub(super) fn create(file: &Path, verbose: bool) -> anyhow::Result<u8> {
    let shown = file.display();
    let mut out = match OpenOptions::new().write(true).create_new(true).open(file) {
        Ok(out) => out,
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            bail!("File '{shown}' already exists. Please specify a different filename.")
        }
        Err(error) => return Err(error).with_context(|| format!("{shown} cannot be written")),
    };
    out.write_all(text(verbose).as_bytes()).with_context(|| format!("{shown} cannot be written"))?;
    Ok(exit_code::OK)
}
