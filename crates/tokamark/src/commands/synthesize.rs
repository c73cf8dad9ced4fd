//! `tokamark synthesize`: traces made up from a few figures.

use std::fs::OpenOptions;
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::{Arg, Command};
use tokamark_trace::{AgenticCode, MooncakeTrace};

use crate::cli::{Invocation, could_not_run, usage_error};
use crate::problems::Problems;
use crate::resolve::values::{Range, choice, decimal, whole};
use crate::{console, exit_code};

/// What can be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    AgenticCode,
    Mooncake,
}

pub(crate) fn command() -> Command {
    let flag = |name: &'static str, value: &'static str, help: &'static str| {
        Arg::new(name).long(name).value_name(value).help(help)
    };
    Command::new("synthesize")
        .about("Makes up a trace that --input-file reads")
        .next_line_help(true)
        .arg(
            Arg::new("kind")
                .value_name("KIND")
                .help("agentic-code (sessions of coding agents) or mooncake (single requests with shared prefixes)"),
        )
        .arg(flag("output", "PATH", "agentic-code: the folder of the new folder; mooncake: the new file [default: .]"))
        .arg(flag("config", "FILE", "JSON with options of the generator, or the manifest.json of an earlier trace"))
        .arg(flag("seed", "SEED", "The same seed gives the same trace [default: 42]"))
        .arg(flag("num-sessions", "N", "agentic-code: sessions [default: 1000]"))
        .arg(flag("max-isl", "TOKENS", "agentic-code: sessions end before a longer prompt [default: 200000]"))
        .arg(flag("max-osl", "TOKENS", "agentic-code: no output is longer"))
        .arg(flag("rows", "N", "mooncake: requests [default: 10000]"))
        .arg(flag("request-rate", "PER_SECOND", "mooncake: arrivals per second [default: that of the configuration]"))
        .arg(flag(
            "isl",
            "TOKENS",
            "mooncake: input length, a number or a distribution such as lognormal:mean=512,median=300",
        ))
        .arg(flag("osl", "TOKENS", "mooncake: output length, likewise"))
        .arg(flag("share", "SHARE", "mooncake: share of rows that begin with a shared prefix, 0 to 1"))
}

pub(crate) fn run(invocation: Invocation) -> u8 {
    let mut problems = invocation.problems;
    let text = |name: &str| invocation.matches.get_one::<String>(name);
    let kind = choice(
        "KIND",
        text("kind"),
        &[("agentic-code", Kind::AgenticCode), ("mooncake", Kind::Mooncake)],
        &[],
        &mut problems,
    );
    if text("kind").is_none() {
        problems.add("KIND", "is required: agentic-code or mooncake");
    }
    let Some(kind) = kind else { return usage_error("synthesize", &problems) };
    let others: &[&str] = match kind {
        Kind::AgenticCode => &["rows", "request-rate", "isl", "osl", "share"],
        Kind::Mooncake => &["num-sessions", "max-isl", "max-osl"],
    };
    for name in others.iter().filter(|name| text(name).is_some()) {
        problems.add(&format!("--{name}"), "is for the other kind of trace");
    }
    let config = text("config").map(|file| std::fs::read_to_string(file).map_err(|error| format!("`{file}`: {error}")));
    let config = config.transpose().unwrap_or_else(|error| {
        problems.add("--config", error);
        None
    });
    let made = match kind {
        Kind::AgenticCode => agentic(config.as_deref(), &text, &mut problems).map(Made::AgenticCode),
        Kind::Mooncake => mooncake(config.as_deref(), &text, &mut problems).map(Made::Mooncake),
    };
    let Some(made) = made.filter(|_| problems.is_empty()) else { return usage_error("synthesize", &problems) };
    let output = PathBuf::from(text("output").map_or(".", String::as_str));
    made.write(&output).unwrap_or_else(|error| could_not_run(&error))
}

enum Made {
    AgenticCode(Box<AgenticCode>),
    Mooncake(Box<MooncakeTrace>),
}

fn agentic<'a>(
    config: Option<&str>,
    text: &impl Fn(&str) -> Option<&'a String>,
    problems: &mut Problems,
) -> Option<Box<AgenticCode>> {
    let read = config.map(AgenticCode::from_json).transpose();
    let mut options = read.map_err(|error| problems.add("--config", error.to_string())).ok()?.unwrap_or_default();
    options.seed = whole("--seed", text("seed"), 0, u64::MAX, problems).unwrap_or(options.seed);
    options.sessions = whole("--num-sessions", text("num-sessions"), 1, u64::MAX, problems).unwrap_or(options.sessions);
    options.max_isl = whole("--max-isl", text("max-isl"), 1, u64::MAX, problems).unwrap_or(options.max_isl);
    options.max_osl = whole("--max-osl", text("max-osl"), 1, u64::MAX, problems).or(options.max_osl);
    Some(Box::new(options))
}

fn mooncake<'a>(
    config: Option<&str>,
    text: &impl Fn(&str) -> Option<&'a String>,
    problems: &mut Problems,
) -> Option<Box<MooncakeTrace>> {
    let read = config.map(MooncakeTrace::from_json).transpose();
    let mut options = read.map_err(|error| problems.add("--config", error.to_string())).ok()?.unwrap_or_default();
    options.seed = whole("--seed", text("seed"), 0, u64::MAX, problems).unwrap_or(options.seed);
    options.rows = whole("--rows", text("rows"), 1, u64::MAX, problems).unwrap_or(options.rows);
    options.rate_per_s =
        decimal("--request-rate", text("request-rate"), Range::Positive, problems).unwrap_or(options.rate_per_s);
    if let Some(share) = decimal("--share", text("share"), Range::NotNegative, problems) {
        options.prefix.share = share;
    }
    for (flag, into) in [("isl", &mut options.input), ("osl", &mut options.output)] {
        match text(flag).map(|text| text.parse()) {
            Some(Ok(length)) => *into = length,
            Some(Err(error)) => problems.add(&format!("--{flag}"), format!("{error}")),
            None => {}
        }
    }
    Some(Box::new(options))
}

impl Made {
    fn write(&self, output: &Path) -> anyhow::Result<u8> {
        match self {
            Self::AgenticCode(options) => {
                let folder = output.join(format!("agentic-code-seed{}", options.seed));
                std::fs::create_dir_all(&folder).with_context(|| format!("{} cannot be made", folder.display()))?;
                options.write_files(&folder)?;
                console::print(&format!("Written: {}\n", folder.display()))?;
            }
            Self::Mooncake(options) => {
                let file = if output.is_dir() { output.join("mooncake_trace.jsonl") } else { output.to_owned() };
                let shown = file.display();
                let out = OpenOptions::new().write(true).create_new(true).open(&file);
                let mut out = BufWriter::new(out.with_context(|| format!("{shown} cannot be written"))?);
                options.write(&mut out)?;
                out.flush().with_context(|| format!("{shown} cannot be written"))?;
                console::print(&format!("Written: {shown}\n"))?;
            }
        }
        Ok(exit_code::OK)
    }
}
