//! Prompts from files.

use clap::Args;

/// Files, folders and public datasets.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Datasets")]
pub(crate) struct DatasetArgs {
    /// File or folder with prompts or a trace, in place of synthetic prompts; gzip and zstd are read too. Also
    /// `payload:FILE` and `synthetic:NAME,NAME`, as GenAI-Perf has them
    #[arg(long, value_name = "FILE")]
    pub(crate) input_file: Option<String>,

    /// Format of --input-file, such as single_turn, multi_turn, mooncake_trace [default: found out from the content]
    #[arg(long, value_name = "FORMAT")]
    pub(crate) custom_dataset_type: Option<String>,

    /// Public dataset by name, such as sharegpt; read from the local cache or --public-dataset-path
    #[arg(long, value_name = "NAME")]
    pub(crate) public_dataset: Option<String>,

    /// File or folder of --public-dataset that has been downloaded before
    #[arg(long, value_name = "PATH")]
    pub(crate) public_dataset_path: Option<String>,

    /// Subset of --public-dataset in place of its usual one
    #[arg(long, value_name = "NAME")]
    pub(crate) hf_subset: Option<String>,

    /// Hugging Face repository with Weka traces
    #[arg(long, value_name = "REPOSITORY")]
    pub(crate) hf_weka_dataset: Option<String>,

    /// Keep the rows of --public-dataset that have this value
    #[arg(long, value_name = "KEY=VALUE", num_args = 1.., action = clap::ArgAction::Append)]
    pub(crate) dataset_filter: Vec<String>,

    /// Order in which conversations are taken: sequential, random or shuffle [default: sequential]
    #[arg(long, value_name = "ORDER")]
    pub(crate) dataset_sampling_strategy: Option<String>,

    /// Leave faulty lines out and count them, instead of sending nothing
    #[arg(long)]
    pub(crate) skip_bad_lines: bool,
}
