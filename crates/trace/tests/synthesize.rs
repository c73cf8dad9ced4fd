//! Made traces: sound, as asked for, and the same each time.

#![expect(clippy::unwrap_used, clippy::panic, reason = "helpers of tests fail the test")]

use std::collections::{HashMap, HashSet};

use serde_json::Value;
use tokamark_plan::LengthDistribution;
use tokamark_trace::{AgenticCode, Arrivals, MooncakeTrace, PrefixTree, Restarts, SynthesizeError, TurnCounts};

fn lines(bytes: &[u8]) -> Vec<Value> {
    bytes
        .split(|byte| *byte == b'\n')
        .filter(|line| !line.is_empty())
        .map(|line| serde_json::from_slice(line).unwrap())
        .collect()
}

fn number(line: &Value, field: &str) -> u64 {
    line[field].as_u64().unwrap_or_else(|| panic!("no `{field}` in {line}"))
}

fn ids(line: &Value) -> Vec<u64> {
    line["hash_ids"].as_array().unwrap().iter().map(|id| id.as_u64().unwrap()).collect()
}

fn agentic(options: &AgenticCode) -> (Vec<u8>, Vec<Value>) {
    let mut bytes = Vec::new();
    options.write(&mut bytes).unwrap();
    let lines = lines(&bytes);
    (bytes, lines)
}

fn small() -> AgenticCode {
    AgenticCode { sessions: 40, ..AgenticCode::default() }
}

#[test]
fn agentic_sessions_are_sound() {
    let (_, lines) = agentic(&small());
    let mut contexts: HashMap<String, u64> = HashMap::new();
    let mut own = HashSet::new();
    for line in &lines {
        let name = line["session_id"].as_str().unwrap().to_owned();
        let (input, output, ids) = (number(line, "input_length"), number(line, "output_length"), ids(line));
        assert_eq!(ids.len() as u64, input.div_ceil(512));
        assert!(output >= 30);
        let is_first = !contexts.contains_key(&name);
        assert_eq!(line.get("timestamp").is_some(), is_first);
        assert_eq!(line.get("delay").is_some(), !is_first);
        assert_eq!(line.get("group_id").is_some(), is_first);
        let context = contexts.entry(name).or_default();
        *context += input;
        assert!(*context < 200_000);
        *context += output;
        if is_first {
            // 32,000 and 20,000 are 62.5 and 39.06 blocks: 63 and 39.
            let group = number(line, "group_id");
            assert_eq!(ids[..63], (0..63).collect::<Vec<_>>());
            assert_eq!(ids[63..102], (63 + 39 * group..63 + 39 * (group + 1)).collect::<Vec<_>>());
        }
        for id in &ids[if is_first { 102 } else { 0 }..] {
            assert!(own.insert(*id), "{id} twice");
        }
    }
    assert_eq!(contexts.len(), 40);
}

#[test]
fn the_seed_alone_fixes_the_bytes() {
    let (first, _) = agentic(&small());
    assert_eq!(first, agentic(&small()).0);
    assert_ne!(first, agentic(&AgenticCode { seed: 43, ..small() }).0);
    // The first sessions do not depend on how many follow.
    let (fewer, _) = agentic(&AgenticCode { sessions: 10, ..small() });
    assert!(first.starts_with(&fewer));
}

#[test]
fn agentic_figures_are_those_asked_for() {
    let options = AgenticCode { sessions: 500, ..AgenticCode::default() };
    let quality = options.write(&mut std::io::sink()).unwrap();
    assert_eq!((quality.sessions, quality.restarts), (500, 0));
    assert_eq!(quality.ends.full + quality.ends.reset, 500);
    let own = quality.targets[0].came.unwrap();
    assert!((own.p50 / 5_000.0 - 1.0).abs() < 0.3 && (own.avg / 10_000.0 - 1.0).abs() < 0.35, "{own:?}");
    let output = quality.targets[2].came.unwrap();
    assert!((output.avg / 500.0 - 1.0).abs() < 0.05 && (output.p50 / 300.0 - 1.0).abs() < 0.05, "{output:?}");
    assert!(quality.analysis.reuse.unwrap().token_hit_rate > 0.8);
}

#[test]
fn limits_hold() {
    let (_, lines) = agentic(&AgenticCode { max_isl: 70_000, max_osl: Some(100), ..small() });
    assert!(lines.iter().all(|line| number(line, "output_length") <= 100 && number(line, "input_length") < 70_000));
    let counts =
        TurnCounts { mean: 6.0, median: 5.0, min: 4, max: 8, allow_truncation: false, max_session_attempts: 100 };
    let (_, lines) = agentic(&AgenticCode { turns: Some(counts), ..small() });
    let mut turns: HashMap<&str, u32> = HashMap::new();
    lines.iter().for_each(|line| *turns.entry(line["session_id"].as_str().unwrap()).or_default() += 1);
    assert!(turns.values().all(|turns| (4..=8).contains(turns)), "{turns:?}");
}

#[test]
fn a_restart_begins_with_all_that_was_known() {
    let restarts = Some(Restarts { probability: 1.0, until_share: 1.0 });
    let options = AgenticCode { sessions: 60, restarts, ..AgenticCode::default() };
    let (_, lines) = agentic(&options);
    let restarted: Vec<&Value> = lines.iter().filter(|line| line["is_restart"] == true).collect();
    assert!(restarted.len() > 10);
    for line in restarted {
        let name = line["session_id"].as_str().unwrap().strip_suffix("-restart").unwrap();
        let rows: Vec<&Value> = lines.iter().filter(|line| line["session_id"] == *name).collect();
        let known: u64 = rows.iter().map(|row| number(row, "input_length") + number(row, "output_length")).sum();
        assert!(number(line, "input_length") > known);
        let whole = (number(rows[0], "input_length") / 512) as usize;
        assert_eq!(ids(line)[..whole], ids(rows[0])[..whole]);
        assert!(number(line, "input_length").div_ceil(512) == ids(line).len() as u64);
    }
    // The probability falls: the last sessions begin again less often than the first.
    let restarts_in = |range: std::ops::Range<usize>| {
        range.filter(|at| lines.iter().any(|line| line["session_id"] == format!("session-{at:06}-restart"))).count()
    };
    assert!(restarts_in(0..30) > restarts_in(30..60));
}

#[test]
fn impossible_options_name_themselves() {
    let zero = AgenticCode { block_size: 0, ..small() };
    assert_eq!(zero.write(&mut std::io::sink()).unwrap_err().to_string(), "the option `block_size` must be at least 1");
    let tight = AgenticCode { max_isl: 50_000, ..small() };
    assert!(matches!(tight.write(&mut std::io::sink()), Err(SynthesizeError::Option { option: "max_isl", .. })));
    let nan = AgenticCode { sessions_per_s: f64::NAN, ..small() };
    assert!(matches!(nan.write(&mut std::io::sink()), Err(SynthesizeError::Option { option: "sessions_per_s", .. })));
}

#[test]
fn a_manifest_makes_the_same_trace_again() {
    let folder = tempfile::tempdir().unwrap();
    let (first, again) = (folder.path().join("first"), folder.path().join("again"));
    let (manifest, quality) = AgenticCode { sessions: 5, seed: 7, ..small() }.write_files(&first).unwrap();
    let text = std::fs::read_to_string(first.join("manifest.json")).unwrap();
    let options = AgenticCode::from_json(&text).unwrap();
    assert_eq!(options, manifest.options);
    let (second, _) = options.write_files(&again).unwrap();
    assert_eq!(second, manifest);
    assert_eq!(manifest.sha256.len(), 64);
    let bytes = std::fs::read(first.join("dataset.jsonl")).unwrap();
    assert_eq!(bytes, std::fs::read(again.join("dataset.jsonl")).unwrap());
    assert_eq!(lines(&bytes).len() as u64, manifest.rows);
    let written: tokamark_trace::Quality =
        serde_json::from_slice(&std::fs::read(first.join("quality.json")).unwrap()).unwrap();
    assert_eq!(written, quality);
    let page = std::fs::read_to_string(first.join("report.html")).unwrap();
    assert!(
        page.contains(&manifest.sha256) && page.contains(&format!("<p>5 sessions with {} requests", manifest.rows))
    );
    assert!(!page.contains("http") && !page.contains("NaN"));
    // What is there stays as it is.
    let error = options.write_files(&first).unwrap_err();
    assert!(matches!(&error, SynthesizeError::File { path, .. } if path.ends_with("dataset.jsonl")), "{error}");
}

#[test]
fn a_configuration_changes_what_it_names() {
    let options = AgenticCode::from_json(r#"{"sessions": 3, "delays": {"agentic_share": 1.0}}"#).unwrap();
    assert_eq!((options.sessions, options.delays.agentic_share, options.groups), (3, 1.0, 50));
    assert!(AgenticCode::from_json(r#"{"sesions": 3}"#).is_err());
    assert!(MooncakeTrace::from_json(r#"{"rows": "x"}"#).is_err());
}

fn mooncake() -> MooncakeTrace {
    MooncakeTrace { rows: 5_000, ..MooncakeTrace::default() }
}

#[test]
fn a_mooncake_trace_is_sound_and_as_asked_for() {
    let options = mooncake();
    let mut bytes = Vec::new();
    options.write(&mut bytes).unwrap();
    let lines = lines(&bytes);
    assert_eq!(lines.len(), 5_000);
    let mut last = 0.0;
    for line in &lines {
        assert_eq!(ids(line).len() as u64, number(line, "input_length").div_ceil(512));
        let time = line["timestamp"].as_f64().unwrap();
        assert!(time >= last);
        last = time;
    }
    // 10 rows a second: five deviations of a mean of 5,000 exponential gaps are 7 %.
    assert!((last / 500_000.0 - 1.0).abs() < 0.07, "{last}");
    let tree = 8 * 2 + 8 * 4 * 2;
    let sharing = lines.iter().filter(|line| ids(line)[0] < tree).count();
    // Half of the rows that have room for a block and a token more (85 % are longer than 512 tokens).
    let roomy = lines.iter().filter(|line| number(line, "input_length") > 512).count();
    assert!(sharing.abs_diff(roomy / 2) < 180, "{sharing} of {roomy}");
}

#[test]
fn prefixes_follow_the_tree() {
    let prefix = PrefixTree { roots: 2, branching: 3, depth: 2, level_blocks: 2, share: 1.0, alpha: 0.0 };
    let options = MooncakeTrace {
        rows: 300,
        block_size: 10,
        input: LengthDistribution::fixed(45.0),
        output: LengthDistribution::fixed(7.0),
        prefix,
        arrivals: Arrivals::Constant,
        rate_per_s: 4.0,
        ..MooncakeTrace::default()
    };
    let rows: Vec<_> = options.rows().unwrap().collect();
    assert_eq!((rows[0].timestamp_ms, rows[3].timestamp_ms), (Some(0.0), Some(750.0)));
    let mut leaves = HashSet::new();
    for row in &rows {
        let root = row.hash_ids[0] / 2;
        assert_eq!(row.hash_ids[..2], [2 * root, 2 * root + 1]);
        let leaf = (row.hash_ids[2] - 4) / 2;
        assert_eq!((leaf / 3, row.hash_ids[3]), (root, 4 + 2 * leaf + 1));
        assert_eq!((row.hash_ids.len(), row.output_tokens), (5, Some(7)));
        leaves.insert(leaf);
    }
    assert_eq!(leaves, (0..6).collect());
}

#[test]
fn a_shared_prefix_leaves_room_for_a_token() {
    let prefix = PrefixTree { share: 1.0, ..PrefixTree::default() };
    let options = MooncakeTrace { rows: 20, input: LengthDistribution::fixed(1_024.0), prefix, ..mooncake() };
    let rows: Vec<_> = options.rows().unwrap().collect();
    // Of two blocks only the first is the tree's, so no two rows have the second in common.
    let seconds: HashSet<u64> = rows.iter().map(|row| row.hash_ids[1]).collect();
    assert!(rows.iter().all(|row| row.hash_ids.len() == 2 && row.hash_ids[0] < 16));
    assert_eq!(seconds.len(), 20);
}

#[test]
fn impossible_trees_are_refused() {
    let tree = PrefixTree::default;
    for prefix in [
        PrefixTree { share: 1.5, ..tree() },
        PrefixTree { alpha: -1.0, ..tree() },
        PrefixTree { roots: 0, ..tree() },
        PrefixTree { level_blocks: 0, ..tree() },
        PrefixTree { depth: 40, ..tree() },
    ] {
        assert!(MooncakeTrace { prefix, ..mooncake() }.rows().is_err());
    }
    assert!(MooncakeTrace { rate_per_s: 0.0, ..mooncake() }.rows().is_err());
}
