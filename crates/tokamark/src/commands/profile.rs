//! `tokamark profile`: one run at one load.

use clap::FromArgMatches;

use crate::args::ProfileArgs;
use crate::cli::{Invocation, usage_error};
use crate::{exit_code, resolve};

pub(crate) fn run(invocation: Invocation) -> u8 {
    let args = match ProfileArgs::from_arg_matches(&invocation.matches) {
        Ok(args) => args,
        Err(error) => {
            eprintln!("{error}");
            return exit_code::USAGE;
        }
    };
    let variable = |name: &str| std::env::var(name).ok();
    match resolve::resolve(&args, &variable, invocation.problems) {
        Ok(_resolved) => exit_code::COULD_NOT_RUN,
        Err(problems) => usage_error("profile", &problems),
    }
}
