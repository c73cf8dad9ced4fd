//! `tokamark report`: the reports of a finished run, made again from its records.

use clap::Command;

use crate::cli::Invocation;
use crate::exit_code;

pub(crate) fn command() -> Command {
    Command::new("report").about("Makes the reports of a finished run again from its records")
}

pub(crate) fn run(_invocation: Invocation) -> u8 {
    exit_code::COULD_NOT_RUN
}
