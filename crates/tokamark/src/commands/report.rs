//! `tokamark report`: the reports of a finished run, made again from its record.

use std::path::Path;

use clap::{Arg, Command};

use crate::cli::{Invocation, could_not_run, usage_error};
use crate::console;

pub(crate) fn command() -> Command {
    Command::new("report")
        .about("Makes the reports of a finished run again from its record")
        .next_line_help(true)
        .arg(Arg::new("run").value_name("RUN").help("Folder of the run, or its record file"))
        .arg(
            Arg::new("artifact-dir")
                .long("artifact-dir")
                .visible_alias("output-artifact-dir")
                .value_name("FOLDER")
                .help("Folder for the files [default: the run's own]"),
        )
}

pub(crate) fn run(invocation: Invocation) -> u8 {
    let mut problems = invocation.problems;
    let run = invocation.matches.get_one::<String>("run");
    if run.is_none() {
        problems.add("RUN", "is required: the folder of a run");
    }
    let out = invocation.matches.get_one::<String>("artifact-dir");
    let Some(run) = run.filter(|_| problems.is_empty()) else {
        return usage_error("report", &problems);
    };
    match tokamark_run::report(Path::new(run), out.map(Path::new)) {
        Ok(finished) => console::finish(&finished),
        Err(error) => could_not_run(&error.into()),
    }
}
