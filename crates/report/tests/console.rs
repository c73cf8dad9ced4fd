//! What the console shows.
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests")]

#[path = "../../metrics/tests/made/mod.rs"]
mod made;

use std::path::PathBuf;

use made::{Made, answer, facts, ns, plan};
use tokamark_metrics::{Accumulator, Summary};
use tokamark_record::{FailureKind, Phase};
use tokamark_report::{Style, render};

fn mixed() -> Summary {
    let mut plan = plan();
    plan.load.warmup_requests = 1;
    let mut facts = facts(&plan);
    facts.profiling.end_ns = ns(1650.0);
    let mut accumulator = Accumulator::new(&plan, None).unwrap();
    accumulator.add(&Made::sent(0, 0.0).content(5.0, "A").with(|record| record.phase = Phase::Warmup).done());
    for i in 0..5 {
        let at = i as f64 * 300.0;
        accumulator.add(&answer(2 * i, at, at + 100.0 + i as f64, 50.0, 2));
        let refused = Made::sent(2 * i + 1, at + 200.0);
        accumulator.add(
            &refused
                .failed(
                    at + 205.0,
                    FailureKind::HttpStatus,
                    Some("429"),
                    Some("Too Many Requests"),
                    "rate\u{1b} limited",
                )
                .done(),
        );
    }
    accumulator.finish(&facts).unwrap()
}

fn shown(width: usize, color: bool) -> String {
    let files = ["profile_export.jsonl", "profile_export_tokamark.json", "profile_export_tokamark.csv"]
        .map(|name| PathBuf::from("artifacts/m-openai-chat-concurrency1").join(name));
    render(&mixed(), &files, Style { color, width })
}

#[test]
fn wide() {
    assert_eq!(shown(125, false), include_str!("console_wide.txt"));
}

#[test]
fn narrow() {
    assert_eq!(shown(80, false), include_str!("console_narrow.txt"));
}

#[test]
fn no_line_is_wider_than_the_console() {
    for width in 60..160 {
        for line in shown(width, false).lines() {
            assert!(line.chars().count() <= width, "{line}");
        }
    }
    // Names of files cannot be broken, but head and figures fit where little else does.
    for width in 42..60 {
        for line in shown(width, false).lines().take_while(|line| *line != "Errors") {
            assert!(line.chars().count() <= width, "{line}");
        }
    }
}

#[test]
fn colours_only_where_they_are_wanted() {
    assert!(!shown(125, false).contains('\u{1b}'));
    let coloured = shown(125, true);
    assert!(coloured.contains("\u{1b}[1;31m5 failed (50.0 %)\u{1b}[0m"));
    let mut plain = String::new();
    for (i, part) in coloured.split('\u{1b}').enumerate() {
        plain.push_str(if i == 0 { part } else { part.split_once('m').unwrap().1 });
    }
    assert_eq!(plain, shown(125, false));
}

#[test]
fn without_any_success_there_is_no_table() {
    let plan = plan();
    let mut accumulator = Accumulator::new(&plan, None).unwrap();
    accumulator.add(&Made::sent(0, 0.0).failed(5.0, FailureKind::Connect, None, None, "connection refused").done());
    let text = render(&accumulator.finish(&facts(&plan)).unwrap(), &[], Style { color: false, width: 100 });
    assert!(text.contains("1 attempted · 0 ok · 1 failed (100.0 %) · 0 cancelled"));
    assert!(!text.contains("Metric"));
    assert!(text.contains("connection refused"));
}
