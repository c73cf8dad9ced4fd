//! `tokamark genai-perf`: GenAI-Perf's command lines and files.

pub(crate) mod recorded;

use std::path::Path;

use clap::{Arg, Command};

use crate::cli::{Invocation, Parsed, could_not_run, parse, usage_error};
use crate::command_line::Ways;

/// The name of the dialect, and of the program that it stands in for.
pub(crate) const NAME: &str = "genai-perf";

/// As argparse reads command lines.
const WAYS: Ways = Ways { abbreviations: true, last_wins: true };

/// The program with its subcommands.
pub(crate) fn program() -> Command {
    Command::new(NAME)
        .about("GenAI-Perf's commands, flags and files")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .disable_help_subcommand(true)
        .subcommand(process_command())
}

fn process_command() -> Command {
    let flag = |name: &'static str, value: &'static str, help: &'static str| {
        Arg::new(name).long(name).value_name(value).help(help)
    };
    Command::new("process-export-files")
        .about("Merges the runs of several machines into one report")
        .next_line_help(true)
        .arg(flag("input-directory", "FOLDER", "Folder with a folder for each run [default: aggregated]").short('d'))
        .arg(flag("artifact-dir", "FOLDER", "Folder of the run's folder [default: artifacts]"))
        .arg(flag("profile-export-file", "NAME", "Name of the export [default: profile_export.json]"))
        .arg(flag("tokenizer", "NAME", "Tokenizer that counts again [default: that of the first run]"))
        .arg(flag("tokenizer-revision", "REVISION", "Its revision [default: main]"))
        .arg(Arg::new("verbose").short('v').long("verbose").action(clap::ArgAction::Count).help("Say more"))
}

/// Runs a subcommand: `arguments` are those behind the program's name.
pub(crate) fn run(arguments: &[String]) -> u8 {
    let mut program = program();
    program.build();
    let Parsed { name, invocation } = match parse(&program, arguments, WAYS) {
        Ok(parsed) => parsed,
        Err(code) => return code,
    };
    match name.as_str() {
        "process-export-files" => process(&invocation),
        other => usage_error(&format!("{NAME} {other}"), &invocation.problems),
    }
}

fn process(invocation: &Invocation) -> u8 {
    if !invocation.problems.is_empty() {
        return usage_error(&format!("{NAME} process-export-files"), &invocation.problems);
    }
    let text = |name: &str| invocation.matches.get_one::<String>(name).cloned();
    let or = |name: &str, default: &str| text(name).unwrap_or_else(|| default.to_owned());
    let counting =
        recorded::Counting { tokenizer: text("tokenizer"), revision: text("tokenizer-revision"), goodput: Vec::new() };
    let input = or("input-directory", "aggregated");
    let export = or("profile-export-file", "profile_export.json");
    recorded::merge(Path::new(&input), Path::new(&or("artifact-dir", "artifacts")), &export, &counting)
        .unwrap_or_else(|error| could_not_run(&error))
}
