//! What is made of the measurements.

use clap::Args;

/// Reports, and the rules that a run is judged by.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct OutputArgs {
    /// Objectives that a good request meets, `metric:limit` in the metric's display unit; repeatable, also several in
    /// one text, as in "time_to_first_token:200 request_latency:2000"
    #[arg(short = 'g', long, num_args = 1.., value_name = "METRIC:LIMIT")]
    pub(crate) goodput: Vec<String>,

    /// Report time slices of so many seconds as well
    #[arg(long, value_name = "SECONDS")]
    pub(crate) slice_duration: Option<String>,

    /// Folder for the files [default: artifacts/<model>-<service>-<endpoint>-<load>]
    #[arg(long, visible_alias = "output-artifact-dir", value_name = "FOLDER")]
    pub(crate) artifact_dir: Option<String>,

    /// Stem of the files' names [default: profile_export]
    #[arg(long, visible_alias = "profile-export-file", value_name = "NAME")]
    pub(crate) profile_export_prefix: Option<String>,

    /// How much to write: summary, records (and a line for each request in profile_export.jsonl) or raw (and its body and
    /// its events with their texts in profile_export_raw.jsonl) [default: records]
    #[arg(long, visible_alias = "profile-export-level", value_name = "LEVEL")]
    pub(crate) export_level: Option<String>,

    /// Write the answers' texts to outputs.json
    #[arg(long)]
    pub(crate) export_outputs_json: bool,

    /// Write every event of every request to events.parquet: arrival, kind, sizes, tokens
    #[arg(long)]
    pub(crate) export_events: bool,

    /// Progress: none or simple (a line on a terminal) [default: simple]
    #[arg(long = "ui", visible_alias = "ui-type", value_name = "KIND")]
    pub(crate) ui: Option<String>,

    /// Say more about how the run goes
    #[arg(short = 'v', long, action = clap::ArgAction::Count)]
    pub(crate) verbose: u8,

    /// Failed requests to put up with before the exit code is 3: a number, or a share such as 5% [default: 0]
    #[arg(long, value_name = "N|P%")]
    pub(crate) allow_failed_requests: Option<String>,

    /// Exit with 4 if the report has warnings
    #[arg(long)]
    pub(crate) strict: bool,
}
