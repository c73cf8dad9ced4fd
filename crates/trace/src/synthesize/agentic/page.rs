//! A page that shows what a made trace came to.

use std::fmt::Write;

use super::{Manifest, Quality};
use crate::analysis::Distribution;

const STYLE: &str = "body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:60rem;padding:0 1rem;\
color-scheme:light dark}table{border-collapse:collapse;width:100%}th,td{padding:.25rem .6rem;text-align:right;\
border-bottom:1px solid #8884}th:first-child,td:first-child{text-align:left}code{word-break:break-all}";

/// The page as HTML, with nothing to load.
pub(super) fn page(manifest: &Manifest, quality: &Quality) -> String {
    let analysis = &quality.analysis;
    let mut rows = String::new();
    for (name, distribution) in [
        ("Prompt, tokens", &analysis.input_length),
        ("Context, tokens", &analysis.context_length),
        ("Answer, tokens", &analysis.output_length),
        ("Turns of a session", &analysis.turns),
        ("Share of the context in the cache", &analysis.reuse.as_ref().map(|reuse| reuse.hit_rate)),
    ] {
        if let Some(distribution) = distribution {
            row(&mut rows, name, distribution);
        }
    }
    for target in &quality.targets {
        if let Some(came) = &target.came {
            let name = format!(
                "<code>{}</code>, asked: mean {}, median {}",
                target.name, target.asked.mean, target.asked.median
            );
            row(&mut rows, &name, came);
        }
    }
    let ends = quality.ends;
    let hits = analysis.reuse.as_ref().map_or(0.0, |reuse| reuse.token_hit_rate * 100.0);
    format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Sessions of coding agents</title>\
         <style>{STYLE}</style><h1>Sessions of coding agents</h1>\
         <p>{} sessions with {} requests, made from seed {}. {} sessions ended with a full context, {} were given up, and \
         {} had the turns asked for; {} began again. A cache that forgets nothing holds {hits:.1} % of all tokens.</p>\
         <table><tr><th></th><th>count</th><th>mean</th><th>std</th><th>min</th><th>p25</th><th>p50</th><th>p75</th>\
         <th>p99</th><th>max</th></tr>{rows}</table>\
         <p>SHA-256 of <code>dataset.jsonl</code>: <code>{}</code></p></html>\n",
        quality.sessions,
        manifest.rows,
        manifest.options.seed,
        ends.full,
        ends.reset,
        ends.done,
        quality.restarts,
        manifest.sha256,
    )
}

fn row(rows: &mut String, name: &str, of: &Distribution) {
    let digits = if of.max <= 1.0 { 3 } else { 0 };
    // A text takes whatever is written.
    let _ = write!(rows, "<tr><td>{name}</td><td>{}</td>", of.count);
    for number in [of.avg, of.std, of.min, of.p25, of.p50, of.p75, of.p99, of.max] {
        let _ = write!(rows, "<td>{number:.digits$}</td>");
    }
    rows.push_str("</tr>");
}
