//! `docs/reference/` is made from the declarations of the flags and the metrics. The tests fail when it has fallen behind;
//! run them with `UPDATE_DOCS=1` to write it anew.

use std::fmt::Write;
use std::path::Path;

use clap::{Arg, Command};

use crate::args::program;
use crate::genai_perf;

fn cli_page() -> String {
    let mut page = String::from(
        "# Command line\n\nMade from the flags' declarations; do not edit by hand.\n\n\
         Values of `--model`, `--url`, `--header`, `--extra-inputs` and `--goodput` may be repeated or follow one another. All \
         that is wrong with a command line is told at once, with exit code 2, before anything is sent.\n\n\
         | exit code | meaning |\n| --- | --- |\n\
         | 0 | fine |\n| 1 | could not run, or could not write the results |\n| 2 | wrong usage; nothing was sent |\n\
         | 3 | more requests failed than `--allow-failed-requests` allows |\n| 4 | a `--strict` rule failed |\n\
         | 130 | interrupted; what was measured is reported |\n",
    );
    let mut program = program();
    program.build();
    for command in program.get_subcommands() {
        page.push_str(&command_section("tokamark", command));
    }
    page
}

fn genai_perf_page() -> String {
    let mut page = String::from(
        "# GenAI-Perf's command lines\n\nMade from the flags' declarations; do not edit by hand.\n\n\
         What differs from GenAI-Perf, and why, is in [Migrating from GenAI-Perf](../migrating-from-genai-perf.md). A binary \
         or link of the name `genai-perf` needs no `tokamark` in front. Names of flags may be abbreviated, and of a flag that \
         is given twice the last one counts. Words behind `--` are read as options of perf_analyzer.\n",
    );
    let mut program = genai_perf::program();
    program.build();
    for command in program.get_subcommands() {
        page.push_str(&command_section("tokamark genai-perf", command));
    }
    page
}

fn command_section(program: &str, command: &Command) -> String {
    let mut section = format!("\n## {program} {}\n\n{}.\n", command.get_name(), text(command.get_about()));
    for positional in command.get_positionals() {
        let _ = write!(section, "\n`{}`: {}.\n", value_name(positional), text(positional.get_help()));
    }
    let mut headings: Vec<&str> = Vec::new();
    for arg in flags(command) {
        let heading = arg.get_help_heading().unwrap_or("Options");
        if !headings.contains(&heading) {
            headings.push(heading);
        }
    }
    for heading in headings {
        let _ = write!(section, "\n### {heading}\n\n| flag | meaning |\n| --- | --- |\n");
        for arg in flags(command).filter(|arg| arg.get_help_heading().unwrap_or("Options") == heading) {
            let _ = writeln!(section, "| {} | {} |", spellings(arg), text(arg.get_help()).replace('|', "\\|"));
        }
    }
    section
}

fn flags(command: &Command) -> impl Iterator<Item = &Arg> {
    command.get_arguments().filter(|arg| !arg.is_positional() && arg.get_id() != "help")
}

fn spellings(arg: &Arg) -> String {
    let short = arg.get_short().map(|letter| format!("-{letter}"));
    let longs = arg.get_long_and_visible_aliases().unwrap_or_default().into_iter().map(|name| format!("--{name}"));
    let names: Vec<String> = short.into_iter().chain(longs).map(|name| format!("`{name}`")).collect();
    let value = if arg.get_action().takes_values() { format!(" {}", value_name(arg)) } else { String::new() };
    format!("{}{}", names.join(", "), value.replace('|', "\\|"))
}

fn value_name(arg: &Arg) -> String {
    arg.get_value_names().and_then(|names| names.first()).map(ToString::to_string).unwrap_or_default()
}

fn text(help: Option<&impl ToString>) -> String {
    help.map(ToString::to_string).unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ")
}

fn metrics_page() -> String {
    let table = tokamark_report::definitions_markdown();
    format!(
        "# Metrics\n\nMade from the registry of metrics; do not edit by hand.\n\n\
         t0 is just before the first byte of a request is written; t_1 … t_n are the arrivals of the events that carry \
         generated text; OSL and ISL are output and input tokens; W is `benchmark_duration`; Σ is over requests that were \
         ok. Percentiles are interpolated linearly between order statistics, `std` is the population's, and what has no \
         value is absent.\n\n{table}"
    )
}

fn check(name: &str, page: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference").join(name);
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, page).unwrap();
    }
    let there = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(there == page, "docs/reference/{name} has fallen behind: run `UPDATE_DOCS=1 cargo test -p tokamark`");
}

#[test]
fn the_command_line_is_documented() {
    check("cli.md", &cli_page());
}

#[test]
fn genai_perfs_command_line_is_documented() {
    check("genai-perf.md", &genai_perf_page());
}

/// Changes of what users read show in the diff of a change.
#[test]
fn help_is_what_it_was() {
    for (name, program) in [("tokamark", program()), (genai_perf::NAME, genai_perf::program())] {
        let mut program = program.term_width(100);
        program.build();
        let whole = std::iter::once((name.to_owned(), program.clone()));
        let each = program.get_subcommands().map(|command| (format!("{name} {}", command.get_name()), command.clone()));
        for (name, command) in whole.chain(each) {
            let help = command.clone().term_width(100).render_help().to_string();
            check(&format!("help/{}.txt", name.replace(' ', "-")), &help);
        }
    }
}

#[test]
fn the_metrics_are_documented() {
    check("metrics.md", &metrics_page());
}

#[test]
fn every_flag_says_what_it_does() {
    let mut program = program();
    program.build();
    for command in program.get_subcommands() {
        for arg in command.get_arguments() {
            let help = text(arg.get_help());
            assert!(!help.is_empty(), "{} of {}", arg.get_id(), command.get_name());
            assert!(!help.ends_with('.'), "{help}");
        }
    }
}
