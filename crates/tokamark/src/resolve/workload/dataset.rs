//! Where prompts come from.

use std::path::PathBuf;

use tokamark_plan::{DatasetFormat, DatasetPlan, EndpointKind, PublicPlan, Sampling, Source};

use super::super::values::choice;
use super::{media, refuse, synthetic, trace};
use crate::args::{DatasetArgs, ProfileArgs};
use crate::problems::Problems;

/// GenAI-Perf's way to say that a file is a trace of payloads.
const PAYLOAD: &str = "payload:";
/// GenAI-Perf's way to name groups of synthetic texts.
const SYNTHETIC: &str = "synthetic:";
/// Prefix of the names of SPEED-Bench's splits.
const SPEED_BENCH: &str = "speed_bench_";

/// The source that the flags describe.
pub(super) fn source(args: &ProfileArgs, endpoint: EndpointKind, problems: &mut Problems) -> Source {
    let dataset = &args.dataset;
    let is_public = dataset.public_dataset.is_some() || dataset.hf_weka_dataset.is_some();
    if dataset.input_file.is_some() && is_public {
        problems.add("--input-file", "conflicts with --public-dataset: both are where prompts come from");
    }
    if dataset.input_file.is_none() && dataset.custom_dataset_type.is_some() {
        problems.add("--custom-dataset-type", "needs --input-file: it is the format of that file");
    }
    if !is_public {
        let flags = [
            ("--public-dataset-path", dataset.public_dataset_path.is_some()),
            ("--hf-subset", dataset.hf_subset.is_some()),
            ("--dataset-filter", !dataset.dataset_filter.is_empty()),
        ];
        refuse(&flags, "needs --public-dataset", problems);
    }
    match &dataset.input_file {
        Some(path) => match path.strip_prefix(SYNTHETIC) {
            Some(names) => made(args, endpoint, groups(names, problems), problems),
            None => from_file(args, path, problems),
        },
        None if is_public => public(args, problems),
        None => made(args, endpoint, Vec::new(), problems),
    }
}

/// The order of conversations.
pub(super) fn sampling(args: &DatasetArgs, problems: &mut Problems) -> Sampling {
    choice(
        "--dataset-sampling-strategy",
        args.dataset_sampling_strategy.as_ref(),
        &[("sequential", Sampling::Sequential), ("random", Sampling::Random), ("shuffle", Sampling::Shuffle)],
        &[],
        problems,
    )
    .unwrap_or_default()
}

fn made(args: &ProfileArgs, endpoint: EndpointKind, groups: Vec<String>, problems: &mut Problems) -> Source {
    refuse(&trace::given(&args.trace), "is for traces: give --input-file", problems);
    refuse(&[("--skip-bad-lines", args.dataset.skip_bad_lines)], "is for datasets: give --input-file", problems);
    refuse(
        &[("--inter-turn-delay-cap-seconds", args.conversation.inter_turn_delay_cap_seconds.is_some())],
        "is for recorded think times: give --input-file",
        problems,
    );
    Source::Synthetic(synthetic::resolve(args, endpoint, groups, problems))
}

fn groups(names: &str, problems: &mut Problems) -> Vec<String> {
    let names: Vec<String> = names.split(',').map(|name| name.trim().to_owned()).collect();
    if names.iter().any(String::is_empty) {
        problems.add("--input-file", "`synthetic:` needs names, such as synthetic:queries,passages");
    }
    names
}

fn from_file(args: &ProfileArgs, path: &str, problems: &mut Problems) -> Source {
    refuse_synthetic(args, "--input-file", problems);
    let (path, is_payload) = match path.strip_prefix(PAYLOAD) {
        Some(path) => (path, true),
        None => (path, false),
    };
    let path = PathBuf::from(path);
    if !path.exists() {
        problems.add("--input-file", format!("`{}` is not there", path.display()));
    }
    let (format, split) = match (&args.dataset.custom_dataset_type, is_payload) {
        (None, true) => (Some(DatasetFormat::GenaiPerfPayload), None),
        (Some(_), true) => {
            problems.add("--custom-dataset-type", "conflicts with `payload:`, which says the format");
            (None, None)
        }
        (given, false) => format(given.as_ref(), problems),
    };
    Source::File(DatasetPlan {
        path,
        format,
        split,
        skip_bad_lines: args.dataset.skip_bad_lines,
        trace: trace::resolve(args, format, problems),
    })
}

/// A format, and the split within it that the name may tell.
fn format(text: Option<&String>, problems: &mut Problems) -> (Option<DatasetFormat>, Option<String>) {
    let Some(text) = text else { return (None, None) };
    let plain = text.trim().to_lowercase().replace('-', "_");
    if let Some(split) = plain.strip_prefix(SPEED_BENCH) {
        return (Some(DatasetFormat::SpeedBench), Some(split.to_owned()));
    }
    let choices = DatasetFormat::ALL.map(|format| (format.name(), format));
    (choice("--custom-dataset-type", Some(text), &choices, &[], problems), None)
}

fn public(args: &ProfileArgs, problems: &mut Problems) -> Source {
    let dataset = &args.dataset;
    refuse_synthetic(args, "--public-dataset", problems);
    if dataset.hf_weka_dataset.is_some() && dataset.public_dataset.as_deref().is_some_and(|name| name != "weka_hf") {
        problems.add("--hf-weka-dataset", "conflicts with --public-dataset: it names a dataset of its own");
    }
    let filters = dataset.dataset_filter.iter().filter_map(|filter| match filter.split_once('=') {
        Some((key, value)) => Some((key.trim().to_owned(), value.trim().to_owned())),
        None => {
            problems.add("--dataset-filter", format!("`{filter}` is not key=value"));
            None
        }
    });
    let filters = filters.collect();
    Source::Public(PublicPlan {
        name: dataset.public_dataset.clone().unwrap_or_else(|| "weka_hf".to_owned()),
        subset: dataset.hf_subset.clone(),
        filters,
        repository: dataset.hf_weka_dataset.clone(),
        path: dataset.public_dataset_path.as_ref().map(PathBuf::from),
        trace: trace::resolve(args, None, problems),
    })
}

/// Flags that shape synthetic prompts say nothing about a dataset's.
fn refuse_synthetic(args: &ProfileArgs, source: &str, problems: &mut Problems) {
    let (input, prefix, turns) = (&args.input, &args.prefix, &args.conversation);
    let flags = [
        ("--isl", input.isl.is_some()),
        ("--isl-stddev", input.isl_stddev.is_some()),
        ("--sequence-distribution", input.sequence_distribution.is_some()),
        ("--random-range-ratio", input.random_range_ratio.is_some()),
        ("--random-corpus-style", input.random_corpus_style.is_some()),
        ("--prompt-corpus", input.prompt_corpus.is_some()),
        ("--corpus-file", input.corpus_file.is_some()),
        ("--isl-includes-template", input.isl_includes_template),
        ("--num-prefix-prompts", prefix.num_prefix_prompts.is_some()),
        ("--prefix-prompt-length", prefix.prefix_prompt_length.is_some()),
        ("--cache-hit-share", prefix.cache_hit_share.is_some()),
        ("--conversation-turn-mean", turns.conversation_turn_mean.is_some()),
        ("--conversation-turn-stddev", turns.conversation_turn_stddev.is_some()),
        ("--conversation-turn-delay-mean", turns.conversation_turn_delay_mean.is_some()),
        ("--conversation-turn-delay-stddev", turns.conversation_turn_delay_stddev.is_some()),
    ];
    refuse(&flags, &format!("conflicts with {source}: it shapes synthetic prompts"), problems);
    let media = media::given(&args.media);
    refuse(&media, &format!("conflicts with {source}: it shapes synthetic media"), problems);
}
