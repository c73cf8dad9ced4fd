//! What requests ask.

use std::path::Path;

use tokamark_plan::{
    DatasetFormat, DatasetPlan, EndpointKind, LengthDistribution, Source, SyntheticPlan, TokenizerPlan, WorkloadPlan,
};

use super::values::{Range, choice, decimal, file, whole};
use crate::args::InputArgs;
use crate::problems::Problems;

/// Names of the tokenizer that is part of the program.
const BUILTIN: [&str; 3] = ["builtin", "o200k_base", "o200k_harmony"];
/// As both ancestors have it.
const DEFAULT_INPUT_TOKENS: u32 = 550;
/// Longer than any context; a slip of the finger rather than a wish.
const MOST_TOKENS: u32 = 100_000_000;
const MOST_BATCH: u32 = 1_000_000;

/// Formats that are known, but cannot be read yet.
const OTHER_FORMATS: [&str; 13] = [
    "burst_gpt_trace",
    "bailian_trace",
    "baseten_trace",
    "mooncake_trace",
    "raw_payload",
    "inputs_json",
    "dag_jsonl",
    "sagemaker_data_capture",
    "multi_turn",
    "random_pool",
    "tracelab",
    "weka_trace",
    "sharegpt",
];

/// The workload that the flags describe.
pub(crate) fn resolve(args: &InputArgs, endpoint: EndpointKind, problems: &mut Problems) -> WorkloadPlan {
    let batch_size = whole("--batch-size", args.batch_size.as_ref(), 1, MOST_BATCH, problems).unwrap_or(1);
    if endpoint == EndpointKind::Embeddings {
        for (flag, given) in [("--osl", &args.osl), ("--osl-stddev", &args.osl_stddev)] {
            if given.is_some() {
                problems.add(flag, "embeddings have no output tokens");
            }
        }
    } else if batch_size != 1 {
        problems.add("--batch-size", format!("{} requests take one text: only embeddings take more", endpoint.name()));
    }
    let entries = whole("--num-dataset-entries", args.num_dataset_entries.as_ref(), 1, u64::MAX, problems);
    WorkloadPlan {
        source: source(args, problems),
        output_tokens: output_tokens(args, problems),
        entries,
        batch_size,
        tokenizer: tokenizer(args, problems),
        ..WorkloadPlan::prompts(LengthDistribution::fixed(1.0))
    }
}

fn source(args: &InputArgs, problems: &mut Problems) -> Source {
    let mean = whole("--isl", args.isl.as_ref(), 1, MOST_TOKENS, problems).unwrap_or(DEFAULT_INPUT_TOKENS);
    let stddev = decimal("--isl-stddev", args.isl_stddev.as_ref(), Range::NotNegative, problems).unwrap_or(0.0);
    choice(
        "--custom-dataset-type",
        args.custom_dataset_type.as_ref(),
        &[("single_turn", ())],
        &OTHER_FORMATS.map(|name| (name, ": use single_turn")),
        problems,
    );
    if args.input_file.is_none() {
        if args.custom_dataset_type.is_some() {
            problems.add("--custom-dataset-type", "needs --input-file: it is the format of that file");
        }
        return Source::Synthetic(SyntheticPlan::of(LengthDistribution::normal(f64::from(mean), stddev)));
    }
    for (flag, given) in
        [("--isl", &args.isl), ("--isl-stddev", &args.isl_stddev), ("--num-dataset-entries", &args.num_dataset_entries)]
    {
        if given.is_some() {
            problems.add(flag, "conflicts with --input-file: it shapes synthetic prompts");
        }
    }
    let path = file("--input-file", args.input_file.as_ref(), problems).unwrap_or_default();
    Source::File(DatasetPlan::of(path, Some(DatasetFormat::SingleTurn)))
}

fn output_tokens(args: &InputArgs, problems: &mut Problems) -> Option<LengthDistribution> {
    let mean = whole("--osl", args.osl.as_ref(), 1, MOST_TOKENS, problems);
    let stddev = decimal("--osl-stddev", args.osl_stddev.as_ref(), Range::NotNegative, problems);
    if args.osl.is_none() && args.osl_stddev.is_some() {
        problems.add("--osl-stddev", "needs --osl: it is the deviation from that mean");
    }
    mean.map(|mean| LengthDistribution::normal(f64::from(mean), stddev.unwrap_or(0.0)))
}

fn tokenizer(args: &InputArgs, problems: &mut Problems) -> TokenizerPlan {
    if args.tokenizer.as_deref().is_some_and(|name| name.trim().is_empty()) {
        problems.add("--tokenizer", "is empty");
    }
    let is_local = |name: &str| BUILTIN.contains(&name) || Path::new(name).exists();
    if args.tokenizer_revision.is_some() && args.tokenizer.as_deref().is_some_and(is_local) {
        problems.add("--tokenizer-revision", "is for names in the cache: it chooses nothing in the given --tokenizer");
    }
    TokenizerPlan {
        name: args.tokenizer.clone(),
        revision: args.tokenizer_revision.clone().unwrap_or_else(|| "main".to_owned()),
        apply_chat_template: false,
    }
}
