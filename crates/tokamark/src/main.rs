//! `tokamark` measures how fast a generative-AI endpoint serves.

mod args;
mod cli;
mod command_line;
mod commands;
mod console;
mod exit_code;
mod genai_perf;
mod problems;
mod progress;
#[cfg(test)]
mod reference_docs;
mod resolve;
mod signals;
mod simulated;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments = std::env::args_os();
    let called = arguments.next().map(PathBuf::from);
    let called = called.as_deref().and_then(Path::file_stem).map(|name| name.to_string_lossy().into_owned());
    ExitCode::from(cli::run(&called.unwrap_or_default(), arguments.collect()))
}
