//! From the arguments of the process to one of the commands, and from its end to an exit code.

use std::ffi::OsString;

use clap::{ArgMatches, Command};

use crate::command_line::{self, CommandLine, Ways};
use crate::problems::Problems;
use crate::{args, commands, exit_code, genai_perf};

/// A command's arguments, split but not yet read.
pub(crate) struct Invocation {
    /// The values by name; every one that needs a meaning is still text.
    pub(crate) matches: ArgMatches,
    /// The command line without secrets, to be kept with the results.
    pub(crate) command: Vec<String>,
    /// What was found to be wrong so far.
    pub(crate) problems: Problems,
}

/// A command that was found, and its arguments.
pub(crate) struct Parsed {
    /// The command's name.
    pub(crate) name: String,
    /// Its arguments.
    pub(crate) invocation: Invocation,
}

/// Runs the program and gives its exit code. `called` is the name that it was called by.
pub(crate) fn run(called: &str, arguments: Vec<OsString>) -> u8 {
    let arguments = match arguments.into_iter().map(OsString::into_string).collect::<Result<Vec<_>, _>>() {
        Ok(arguments) => arguments,
        Err(argument) => {
            eprintln!("error: the argument `{}` is not valid UTF-8", argument.to_string_lossy());
            return exit_code::USAGE;
        }
    };
    if called == genai_perf::NAME {
        return genai_perf::run(&arguments);
    }
    if let Some((first, rest)) = arguments.split_first()
        && first == genai_perf::NAME
    {
        return genai_perf::run(rest);
    }
    let mut program = args::program();
    program.build();
    let Parsed { name, invocation } = match parse(&program, &arguments, Ways::default()) {
        Ok(parsed) => parsed,
        Err(code) => return code,
    };
    match name.as_str() {
        "serve" => commands::serve::run(invocation),
        "report" => commands::report::run(invocation),
        "analyze-trace" => commands::analyze_trace::run(invocation),
        "synthesize" => commands::synthesize::run(invocation),
        _ => commands::profile::run(invocation),
    }
}

/// Finds the command and splits its arguments. Help and what leads to no command at all are dealt with here.
///
/// # Errors
/// The exit code, if there is nothing more to do.
pub(crate) fn parse(program: &Command, arguments: &[String], ways: Ways) -> Result<Parsed, u8> {
    let Some((command, rest)) = find_command(program, arguments) else {
        // No command: clap prints its help or says what it does not know.
        return Err(with_clap(program, arguments.to_vec()));
    };
    let mut problems = Problems::default();
    let line = command_line::read(command, rest, ways, &mut problems);
    if line.wants_help {
        return Err(with_clap(program, vec![command.get_name().to_owned(), "--help".to_owned()]));
    }
    let invocation = invocation(program, command, &line, problems).map_err(|error| show(&error))?;
    Ok(Parsed { name: command.get_name().to_owned(), invocation })
}

/// Prints what is wrong with the command line of a command, and where its flags are described.
pub(crate) fn usage_error(command: &str, problems: &Problems) -> u8 {
    eprintln!("{problems}\n\nNothing was sent. `tokamark {command} --help` lists the flags.");
    exit_code::USAGE
}

/// Prints why a command could not do its work, with all the causes that are known.
pub(crate) fn could_not_run(error: &anyhow::Error) -> u8 {
    eprintln!("error: {}", with_causes(error));
    exit_code::COULD_NOT_RUN
}

/// An error and its causes, each said once: many errors name their cause themselves.
fn with_causes(error: &anyhow::Error) -> String {
    error.chain().map(ToString::to_string).fold(String::new(), |said, cause| match said.as_str() {
        "" => cause,
        _ if said.contains(&cause) => said,
        _ => format!("{said}: {cause}"),
    })
}

fn find_command<'a>(program: &'a Command, arguments: &'a [String]) -> Option<(&'a Command, &'a [String])> {
    let (name, rest) = arguments.split_first()?;
    program.find_subcommand(name).map(|command| (command, rest))
}

fn invocation(
    program: &Command,
    command: &Command,
    line: &CommandLine,
    problems: Problems,
) -> Result<Invocation, clap::Error> {
    let name = command.get_name().to_owned();
    let arguments = std::iter::once(name.clone()).chain(line.arguments());
    let matches = command.clone().try_get_matches_from(arguments)?;
    let program = program.get_name().to_owned();
    let command = [program, name].into_iter().chain(line.redacted()).collect();
    Ok(Invocation { matches, command, problems })
}

fn with_clap(program: &Command, arguments: Vec<String>) -> u8 {
    let arguments = std::iter::once(program.get_name().to_owned()).chain(arguments);
    program.clone().try_get_matches_from(arguments).map_or_else(|error| show(&error), |_| exit_code::OK)
}

fn show(error: &clap::Error) -> u8 {
    // Nobody is left to be told if the terminal is gone.
    let _ = error.print();
    if error.use_stderr() { exit_code::USAGE } else { exit_code::OK }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cause_is_said_once() {
        let error = anyhow::Error::msg("too many files").context("cannot open x: too many files").context("no report");
        assert_eq!(with_causes(&error), "no report: cannot open x: too many files");
        assert_eq!(with_causes(&anyhow::Error::msg("one")), "one");
    }
}
