//! `tokamark genai-perf`: GenAI-Perf's command lines and files.

mod analyze;
mod args;
mod config;
mod echo;
pub(crate) mod files;
mod gpu;
mod kept;
mod knee_text;
mod measurement;
mod overlay;
mod pass_through;
mod profile;
pub(crate) mod recorded;
mod repeats;
mod stability;
mod template;
mod translate;

use std::path::Path;

use clap::{Arg, Args, Command, FromArgMatches};

use self::args::{ConfigArgs, GenaiArgs, SweepArgs};
use self::config::Wanted;
use self::pass_through::PassThrough;
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
        .subcommand(
            GenaiArgs::augment_args(Command::new("profile").next_line_help(true))
                .about("Measures an endpoint at one load")
                .after_help(BEHIND_DASHES),
        )
        .subcommand(
            SweepArgs::augment_args(GenaiArgs::augment_args(Command::new("analyze").next_line_help(true)))
                .about("Measures an endpoint at several values of one parameter")
                .after_help(BEHIND_DASHES),
        )
        .subcommand(
            ConfigArgs::augment_args(SweepArgs::augment_args(GenaiArgs::augment_args(
                Command::new("config").next_line_help(true),
            )))
            .mut_arg("file", |arg| arg.short('f'))
            .about("Does what a YAML file says: profile, analyze or process-export-files")
            .after_help(BEHIND_DASHES),
        )
        .subcommand(template_command())
        .subcommand(process_command())
}

const BEHIND_DASHES: &str = "Words behind `--` are read as options of perf_analyzer.";

fn template_command() -> Command {
    Command::new("create-template")
        .about("Writes a starter configuration")
        .next_line_help(true)
        .arg(
            Arg::new("file")
                .short('f')
                .long("file")
                .value_name("FILE")
                .help("The new file [default: genai_perf_config.yaml]"),
        )
        .arg(verbose("Say what each line means"))
}

fn verbose(help: &'static str) -> Arg {
    Arg::new("verbose").short('v').long("verbose").action(clap::ArgAction::Count).help(help)
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
        .arg(verbose("Say more"))
}

/// Runs a subcommand: `arguments` are those behind the program's name.
pub(crate) fn run(arguments: &[String]) -> u8 {
    let (own, passed) = match arguments.iter().position(|word| word == "--") {
        Some(at) => (&arguments[..at], &arguments[at + 1..]),
        None => (arguments, &[][..]),
    };
    let mut program = program();
    program.build();
    let Parsed { name, mut invocation } = match parse(&program, own, WAYS) {
        Ok(parsed) => parsed,
        Err(code) => return code,
    };
    match name.as_str() {
        "config" => configured(invocation, passed),
        "create-template" => template(&invocation),
        "process-export-files" => process(&invocation),
        _ => {
            let passed = PassThrough::read(passed, &mut invocation.problems);
            let args = GenaiArgs::from_arg_matches(&invocation.matches);
            let sweep =
                if name == "analyze" { SweepArgs::from_arg_matches(&invocation.matches).map(Some) } else { Ok(None) };
            match (args, sweep) {
                (Ok(args), Ok(Some(sweep))) => analyze::run(&args, &sweep, &passed, invocation),
                (Ok(args), Ok(None)) => profile::run(&args, &passed, invocation),
                (Err(error), _) | (_, Err(error)) => could_not_run(&error.into()),
            }
        }
    }
}

/// Does what a configuration says. Flags of the command line go over it if the user says so.
fn configured(mut invocation: Invocation, passed: &[String]) -> u8 {
    let passed = PassThrough::read(passed, &mut invocation.problems);
    let matches = &invocation.matches;
    let (config, given) = match (ConfigArgs::from_arg_matches(matches), GenaiArgs::from_arg_matches(matches)) {
        (Ok(config), Ok(given)) => (config, given),
        (Err(error), _) | (_, Err(error)) => return could_not_run(&error.into()),
    };
    let problems = &mut invocation.problems;
    let read = match &config.file {
        None => {
            problems.add("--file", "is required: the YAML file");
            None
        }
        Some(file) => match std::fs::read_to_string(file) {
            Ok(text) => config::read(&text, problems),
            Err(error) => {
                problems.add("--file", format!("`{file}` cannot be read: {error}"));
                None
            }
        },
    };
    let Some(mut read) = read.filter(|_| problems.is_empty()) else {
        return usage_error(&format!("{NAME} config"), problems);
    };
    let overridden = overlay::over(&mut read.args, &given, matches);
    if !overridden.is_empty() && !config.override_config {
        let flags = overridden.join(", ");
        problems
            .add_general(format!("{flags}: the configuration rules; add --override-config to let flags go over it"));
        return usage_error(&format!("{NAME} config"), problems);
    }
    match read.wanted {
        Wanted::Profile => profile::run(&read.args, &passed, invocation),
        Wanted::Analyze(sweep) => analyze::run(&read.args, &sweep, &passed, invocation),
        Wanted::Process(folder) => {
            let counting = recorded::Counting {
                tokenizer: read.args.tokenizer.clone(),
                revision: read.args.tokenizer_revision.clone(),
                goodput: Vec::new(),
            };
            let input = folder.unwrap_or_else(|| "aggregated".to_owned());
            let artifacts = read.args.artifact_dir.clone().unwrap_or_else(|| "artifacts".to_owned());
            let export = read.args.profile_export_file.clone().unwrap_or_else(|| "profile_export.json".to_owned());
            recorded::merge(Path::new(&input), Path::new(&artifacts), &export, &counting)
                .unwrap_or_else(|error| could_not_run(&error))
        }
    }
}

fn template(invocation: &Invocation) -> u8 {
    if !invocation.problems.is_empty() {
        return usage_error(&format!("{NAME} create-template"), &invocation.problems);
    }
    let file = invocation.matches.get_one::<String>("file").map_or(template::DEFAULT_FILE, String::as_str);
    let is_verbose = invocation.matches.get_count("verbose") > 0;
    template::create(Path::new(file), is_verbose).unwrap_or_else(|error| could_not_run(&error))
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
