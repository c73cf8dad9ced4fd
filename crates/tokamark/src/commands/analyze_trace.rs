//! `tokamark analyze-trace`: what a trace is like, before anything is sent.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::Context;
use clap::{Arg, ArgAction, Command};
use tokamark_dataset::{Batch, Options, analyze, open};
use tokamark_plan::{DatasetFormat, DatasetPlan};
use tokamark_tokenizer::Tokenizer;
use tokamark_trace::{Analysis, Distribution};

use crate::cli::{Invocation, could_not_run, usage_error};
use crate::resolve::values::{choice, whole};
use crate::{console, exit_code};

pub(crate) fn command() -> Command {
    let flag = |name: &'static str, value: &'static str, help: &'static str| {
        Arg::new(name).long(name).value_name(value).help(help)
    };
    Command::new("analyze-trace")
        .about("Says what a trace is like: lengths, times, shared prefixes, cache hits to expect")
        .next_line_help(true)
        .arg(Arg::new("file").value_name("FILE").help("The trace, in any format of --input-file"))
        .arg(flag("custom-dataset-type", "FORMAT", "Its format [default: found out from the content]"))
        .arg(flag("block-size", "TOKENS", "Tokens of each hash id [default: the format's own]"))
        .arg(
            flag(
                "cache-blocks",
                "N",
                "Also the hits of a cache of so many blocks that forgets what was used longest ago",
            )
            .num_args(1..)
            .action(ArgAction::Append),
        )
        .arg(flag("output-file", "FILE", "Write the figures as JSON too"))
        .arg(
            Arg::new("skip-bad-lines")
                .long("skip-bad-lines")
                .action(ArgAction::SetTrue)
                .help("Leave faulty lines out and count them"),
        )
}

pub(crate) fn run(invocation: Invocation) -> u8 {
    let mut problems = invocation.problems;
    let matches = &invocation.matches;
    let text = |name: &str| matches.get_one::<String>(name);
    let Some(file) = text("file") else {
        problems.add("FILE", "is required: the trace");
        return usage_error("analyze-trace", &problems);
    };
    let formats = DatasetFormat::ALL.map(|format| (format.name(), format));
    let mut plan = DatasetPlan::of(
        file,
        choice("--custom-dataset-type", text("custom-dataset-type"), &formats, &[], &mut problems),
    );
    plan.skip_bad_lines = matches.get_flag("skip-bad-lines");
    plan.trace.block_size = whole("--block-size", text("block-size"), 1, u32::MAX, &mut problems);
    let sizes = matches.get_many::<String>("cache-blocks").into_iter().flatten().flat_map(|list| list.split(','));
    let sizes: Vec<u64> =
        sizes.filter_map(|size| whole("--cache-blocks", Some(&size.to_owned()), 1, u64::MAX, &mut problems)).collect();
    if !problems.is_empty() {
        return usage_error("analyze-trace", &problems);
    }
    carry_out(&plan, &sizes, text("output-file").map(Path::new)).unwrap_or_else(|error| could_not_run(&error))
}

fn carry_out(plan: &DatasetPlan, sizes: &[u64], out: Option<&Path>) -> anyhow::Result<u8> {
    let tokenizer = Tokenizer::builtin();
    let count = |text: &str| tokenizer.count(text) as u64;
    let options = Options { seed: 0, entries: None, batch: Batch::default(), count: &count, missing: &|_| None };
    let dataset = open(plan, &options)?;
    let analysis = analyze(&dataset, sizes, &count)?;
    if let Some(out) = out {
        let file = std::fs::File::create(out).with_context(|| format!("{} cannot be written", out.display()))?;
        serde_json::to_writer_pretty(file, &analysis)
            .with_context(|| format!("{} cannot be written", out.display()))?;
    }
    let mut page = format!("{}\n\n", dataset.how_found());
    if dataset.skipped_lines() > 0 {
        let _ = writeln!(page, "{} faulty line(s) are left out\n", dataset.skipped_lines());
    }
    page.push_str(&table(&analysis));
    console::print(&page)?;
    Ok(exit_code::OK)
}

fn table(analysis: &Analysis) -> String {
    let mut page = String::new();
    let mut line = |label: &str, value: String| {
        let _ = writeln!(page, "{label:<34}{value}");
    };
    line("requests", analysis.rows.to_string());
    line("sessions", analysis.sessions.to_string());
    if let Some(span) = analysis.span_s {
        line("span (s)", number(span));
    }
    if let Some(rate) = analysis.rate_per_s {
        line("requests per second", number(rate));
    }
    if let Some(reuse) = &analysis.reuse {
        line("distinct prefixes", reuse.distinct_prefixes.to_string());
        line("prefix groups", reuse.prefix_groups.to_string());
        line("blocks in all (working set)", reuse.working_set_blocks.to_string());
        line("tokens found by an endless cache", percent(reuse.token_hit_rate));
        for cache in &reuse.caches {
            line(&format!("tokens found with {} blocks", cache.blocks), percent(cache.token_hit_rate));
        }
    }
    let head = ["", "mean", "std", "min", "p25", "median", "p75", "p99", "max"];
    let _ =
        writeln!(page, "\n{:<24}{}", head[0], head[1..].iter().map(|name| format!("{name:>11}")).collect::<String>());
    let mut row = |label: &str, distribution: Option<&Distribution>| {
        if let Some(all) = distribution {
            let values = [all.avg, all.std, all.min, all.p25, all.p50, all.p75, all.p99, all.max];
            let cells = values.map(|value| format!("{:>11}", number(value))).concat();
            let _ = writeln!(page, "{label:<24}{cells}");
        }
    };
    row("input length", analysis.input_length.as_ref());
    row("context length", analysis.context_length.as_ref());
    row("output length", analysis.output_length.as_ref());
    row("turns", analysis.turns.as_ref());
    row("gap (ms)", analysis.gap_ms.as_ref());
    if let Some(reuse) = &analysis.reuse {
        row("shared prompt length", Some(&reuse.shared_prompt_length));
        row("unique prompt length", Some(&reuse.unique_prompt_length));
        row("hit rate", Some(&reuse.hit_rate));
    }
    page
}

fn number(value: f64) -> String {
    if value.fract() == 0.0 && value.abs() < 1e15 { format!("{value:.0}") } else { format!("{value:.3}") }
}

fn percent(share: f64) -> String {
    format!("{:.2} %", share * 100.0)
}
