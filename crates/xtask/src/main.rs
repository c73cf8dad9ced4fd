//! Chores of the project. `cargo xtask bench` measures Tokamark against the simulated engine's own log.

mod accuracy;
mod bench;
mod children;
mod machine;
mod measured;

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let result = match arguments.split_first() {
        Some((command, rest)) if command == "bench" => bench::run(rest),
        _ => {
            eprintln!("usage: cargo xtask bench [--runs N] [--only NAME[,NAME…]] [--requests N] [--binary PATH]");
            return ExitCode::from(2);
        }
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
