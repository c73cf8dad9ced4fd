//! `tokamark profile`: one run at one load.

use clap::FromArgMatches;
use tokamark_run::{Control, Finished, Observer, RunError};

use crate::args::ProfileArgs;
use crate::cli::{Invocation, could_not_run, usage_error};
use crate::progress::Progress;
use crate::resolve::{Resolved, resolve};
use crate::signals::Signals;
use crate::simulated::Engines;
use crate::{console, exit_code};

pub(crate) fn run(invocation: Invocation) -> u8 {
    let args = match ProfileArgs::from_arg_matches(&invocation.matches) {
        Ok(args) => args,
        Err(error) => return could_not_run(&error.into()),
    };
    let variable = |name: &str| std::env::var(name).ok();
    match resolve(&args, &variable, invocation.problems) {
        Ok(resolved) => carry_out(resolved, invocation.command).unwrap_or_else(|error| could_not_run(&error)),
        Err(problems) => usage_error("profile", &problems),
    }
}

fn carry_out(resolved: Resolved, command: Vec<String>) -> anyhow::Result<u8> {
    match measure(resolved, command, &Signals::watch()?, |_| ())? {
        Measured::Run(finished) => Ok(console::finish(&finished)),
        Measured::InterruptedEarly => Ok(exit_code::INTERRUPTED),
    }
}

/// What became of a run.
pub(crate) enum Measured {
    /// It was carried out.
    Run(Box<Finished>),
    /// Somebody stopped it before anything was measured, and was told so.
    InterruptedEarly,
}

/// Carries out a run, with the simulated engines that it asks for. `started` is called when the load is about to start; what it
/// gives is kept until the load is over.
///
/// # Errors
/// Nothing could be measured, or an engine could not be started or stopped.
pub(crate) fn measure<T>(
    resolved: Resolved,
    command: Vec<String>,
    signals: &Signals,
    started: impl FnMut(&Control) -> T,
) -> anyhow::Result<Measured> {
    let Resolved { mut plan, endpoint_path } = resolved;
    let engines = Engines::start(&mut plan, endpoint_path.as_deref())?;
    let mut watcher = Watcher {
        signals,
        progress: Progress::new(plan.report.ui),
        is_verbose: plan.report.verbosity > 0,
        started,
        kept: None,
    };
    let finished = tokamark_run::profile(&plan, command, &mut watcher);
    // The line goes also when the run ended before its time.
    watcher.progress.clear();
    let stopped = engines.stop();
    match finished {
        Ok(finished) => stopped.map(|()| Measured::Run(Box::new(finished))),
        Err(error @ RunError::InterruptedEarly) => {
            eprintln!("{error}");
            Ok(Measured::InterruptedEarly)
        }
        Err(error) => Err(error.into()),
    }
}

/// Shows how the run goes and stops it on a signal.
struct Watcher<'a, T, F: FnMut(&Control) -> T> {
    signals: &'a Signals,
    progress: Progress,
    is_verbose: bool,
    started: F,
    kept: Option<T>,
}

impl<T, F: FnMut(&Control) -> T> Observer for Watcher<'_, T, F> {
    fn started(&mut self, control: &Control) {
        self.signals.stop_first(control);
        self.progress.follow(&control.live);
        self.kept = Some((self.started)(control));
    }

    fn ended(&mut self) {
        self.kept = None;
        self.progress.clear();
    }

    fn note(&mut self, text: &str) {
        self.progress.note(text);
    }

    fn detail(&mut self, text: &str) {
        if self.is_verbose {
            self.progress.note(text);
        }
    }
}
