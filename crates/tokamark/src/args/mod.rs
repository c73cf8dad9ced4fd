//! The flags as they are typed. Values stay text here, so that all that is wrong with a command line can be said at once;
//! `resolve` gives them their meaning. The declarations are the one source of the parser, of `--help` and of
//! `docs/reference/cli.md`.

mod connection;
mod conversation;
mod dataset;
mod endpoint;
mod input;
mod load;
mod media;
mod output;
mod prefix;
mod rankings;
mod trace;

use clap::{Args, Command};

pub(crate) use connection::ConnectionArgs;
pub(crate) use conversation::ConversationArgs;
pub(crate) use dataset::DatasetArgs;
pub(crate) use endpoint::EndpointArgs;
pub(crate) use input::InputArgs;
pub(crate) use load::LoadArgs;
pub(crate) use media::MediaArgs;
pub(crate) use output::OutputArgs;
pub(crate) use prefix::PrefixArgs;
pub(crate) use rankings::RankingsArgs;
pub(crate) use trace::TraceArgs;

use crate::commands;

/// `tokamark profile`.
#[derive(Debug, Default, Args)]
pub(crate) struct ProfileArgs {
    #[command(flatten)]
    pub(crate) endpoint: EndpointArgs,
    #[command(flatten)]
    pub(crate) load: LoadArgs,
    #[command(flatten)]
    pub(crate) input: InputArgs,
    #[command(flatten)]
    pub(crate) prefix: PrefixArgs,
    #[command(flatten)]
    pub(crate) conversation: ConversationArgs,
    #[command(flatten)]
    pub(crate) dataset: DatasetArgs,
    #[command(flatten)]
    pub(crate) trace: TraceArgs,
    #[command(flatten)]
    pub(crate) rankings: RankingsArgs,
    #[command(flatten)]
    pub(crate) media: MediaArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
    #[command(flatten)]
    pub(crate) connection: ConnectionArgs,
}

/// The program with all its commands.
pub(crate) fn program() -> Command {
    Command::new("tokamark")
        .version(env!("CARGO_PKG_VERSION"))
        .about("Measures how fast an OpenAI-compatible endpoint serves")
        .after_help(
            "Try it without a server:\n  \
             tokamark profile -m sim --url sim: --streaming --concurrency 8 --request-count 100",
        )
        .subcommand_required(true)
        .arg_required_else_help(true)
        .disable_help_subcommand(true)
        .subcommand(profile())
        .subcommand(commands::serve::command())
        .subcommand(commands::report::command())
        .subcommand(commands::analyze_trace::command())
        .subcommand(commands::synthesize::command())
}

fn profile() -> Command {
    ProfileArgs::augment_args(Command::new("profile").next_line_help(true))
        .about("Measures an endpoint at one load and reports latencies, throughput and failures")
        .after_help(
            "Examples:\n  \
             tokamark profile -m MODEL -u localhost:8000 --streaming --concurrency 16 --request-count 200\n  \
             tokamark profile -m MODEL -u localhost:8000 --streaming --request-rate 10 --benchmark-duration 60\n  \
             tokamark profile -m sim -u sim: --streaming --isl 512 --osl 128\n\n\
             Exit codes: 0 fine, 1 could not run, 2 wrong usage, 3 more requests failed than allowed,\n\
             4 a --strict rule failed, 130 interrupted",
        )
}
