//! `tokamark` measures how fast a generative-AI endpoint serves.

mod args;
mod cli;
mod command_line;
mod commands;
mod console;
mod exit_code;
mod problems;
mod progress;
#[cfg(test)]
mod reference_docs;
mod resolve;
mod signals;
mod simulated;

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(cli::run(std::env::args_os().skip(1).collect()))
}
