//! `tokamark report`: the reports of a finished run, made again from its record, or from what another tool recorded.

use std::path::Path;

use clap::{Arg, Command};

use crate::cli::{Invocation, could_not_run, usage_error};
use crate::console;
use crate::genai_perf::recorded;
use crate::resolve::values::choice;

/// Whose reports are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Dialect {
    Tokamark,
    GenaiPerf,
}

pub(crate) fn command() -> Command {
    let flag = |name: &'static str, value: &'static str, help: &'static str| {
        Arg::new(name).long(name).value_name(value).help(help)
    };
    Command::new("report")
        .about("Makes the reports of a finished run again from its record")
        .next_line_help(true)
        .arg(Arg::new("run").value_name("RUN").help(
            "Folder of the run or its record file; with --as genai-perf also a profile_export.json of perf_analyzer",
        ))
        .arg(
            flag("artifact-dir", "FOLDER", "Folder for the files [default: the run's own]")
                .visible_alias("output-artifact-dir"),
        )
        .arg(flag("as", "TOOL", "Whose reports: tokamark or genai-perf [default: tokamark]"))
        .arg(flag(
            "tokenizer",
            "NAME",
            "Tokenizer that counts again, for a profile_export.json [default: the first model's]",
        ))
        .arg(flag("tokenizer-revision", "REVISION", "Its revision [default: main]"))
        .arg(
            flag("goodput", "METRIC:VALUE", "Objectives to judge the requests of a profile_export.json by")
                .num_args(1..)
                .action(clap::ArgAction::Append),
        )
}

pub(crate) fn run(invocation: Invocation) -> u8 {
    let mut problems = invocation.problems;
    let text = |name: &str| invocation.matches.get_one::<String>(name);
    let run = text("run");
    if run.is_none() {
        problems.add("RUN", "is required: the folder of a run");
    }
    let dialect = choice(
        "--as",
        text("as"),
        &[("tokamark", Dialect::Tokamark), ("genai-perf", Dialect::GenaiPerf)],
        &[("aiperf", "")],
        &mut problems,
    );
    let dialect = dialect.unwrap_or(Dialect::Tokamark);
    let goodput: Vec<String> = invocation.matches.get_many("goodput").into_iter().flatten().cloned().collect();
    let is_export = run.is_some_and(|run| dialect == Dialect::GenaiPerf && recorded::is_export(Path::new(run)));
    if !is_export {
        for (flag, given) in [
            ("--tokenizer", text("tokenizer").is_some()),
            ("--tokenizer-revision", text("tokenizer-revision").is_some()),
            ("--goodput", !goodput.is_empty()),
        ] {
            if given {
                problems.add(flag, "is for a profile_export.json with --as genai-perf: our records hold it already");
            }
        }
    }
    let goodput = recorded::objectives(&goodput, &mut problems);
    let Some(run) = run.filter(|_| problems.is_empty()) else {
        return usage_error("report", &problems);
    };
    let out = text("artifact-dir").map(Path::new);
    let run = Path::new(run);
    let done = match dialect {
        Dialect::Tokamark => tokamark_run::report(run, out).map(|done| console::finish(&done)).map_err(Into::into),
        Dialect::GenaiPerf if is_export => {
            let counting = recorded::Counting {
                tokenizer: text("tokenizer").cloned(),
                revision: text("tokenizer-revision").cloned(),
                goodput,
            };
            recorded::report(run, out, &counting)
        }
        Dialect::GenaiPerf => crate::genai_perf::files::report(run, out),
    };
    done.unwrap_or_else(|error| could_not_run(&error))
}
