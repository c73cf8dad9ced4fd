//! Standard output: the report of a run, for people and for pipes.

use std::io::{ErrorKind, IsTerminal, Write, stdout};

use std::path::PathBuf;

use tokamark_report::{Style, render, render_remarks};
use tokamark_run::Finished;

use crate::exit_code;

/// Columns where nobody says how many there are.
const DEFAULT_WIDTH: usize = 100;

/// Prints the report of a run and gives the exit code that it calls for.
pub(crate) fn finish(finished: &Finished) -> u8 {
    finish_with(&render(&finished.summary, &finished.files, style()), finished)
}

/// What a run has to say beside a table of another tool's: counts, errors, warnings, files.
pub(crate) fn remarks(finished: &Finished, files: &[PathBuf]) -> String {
    render_remarks(&finished.summary, files, style())
}

/// Prints a report of a run and gives the exit code that the run calls for.
pub(crate) fn finish_with(text: &str, finished: &Finished) -> u8 {
    let printed = print(text);
    if let Err(error) = &printed {
        eprintln!("error: the report could not be printed: {error}");
    }
    match &finished.error {
        Some(error) => {
            eprintln!("error: {error}");
            exit_code::COULD_NOT_RUN
        }
        None if printed.is_err() => exit_code::COULD_NOT_RUN,
        None => exit_code::of(&finished.summary),
    }
}

/// Prints a text. A reader that went away, as `head` does, is no error.
pub(crate) fn print(text: &str) -> std::io::Result<()> {
    let mut out = stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        printed => printed,
    }
}

fn style() -> Style {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    let columns = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let terminal = terminal_size::terminal_size().map(|(width, _)| usize::from(width.0));
    Style {
        color: stdout().is_terminal() && !is_set("NO_COLOR") && !is_dumb,
        width: columns.or(terminal).filter(|width| *width > 0).unwrap_or(DEFAULT_WIDTH),
    }
}
