//! `tokamark serve`: the simulated engine on a port of its own.

use clap::Command;

use crate::cli::Invocation;
use crate::exit_code;

pub(crate) fn command() -> Command {
    Command::new("serve").about("Serves a simulated engine")
}

pub(crate) fn run(_invocation: Invocation) -> u8 {
    exit_code::COULD_NOT_RUN
}
