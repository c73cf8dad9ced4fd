//! Replaying a trace with hash ids: the prompts share what was shared when it was recorded.

#![allow(clippy::expect_used, reason = "a test that cannot go on fails")]

use std::collections::HashSet;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

const ROWS: usize = 400;
/// Tokens of a hash id in this format.
const BLOCK: u64 = 512;

fn tokamark(folder: &Path, arguments: &str) {
    let output = Command::new(env!("CARGO_BIN_EXE_tokamark"))
        .args(arguments.split_whitespace())
        .current_dir(folder)
        .output()
        .expect("the program starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

fn lines(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).expect("the file is there");
    text.lines().map(|line| serde_json::from_str(line).expect("a line is JSON")).collect()
}

/// The engine tells how many tokens it found in its prefix cache. Sent one after the other, that is exactly what the hash
/// ids tell: the leading blocks that an earlier row had, and of a prompt that was there as a whole all but the last block,
/// since at least one token must be read.
#[test]
fn the_engine_finds_in_its_cache_what_the_hash_ids_say() {
    let folder = tempfile::tempdir().expect("a folder");
    tokamark(
        folder.path(),
        &format!(
            "synthesize mooncake --rows {ROWS} --isl lognormal:mean=900,median=700 --osl 2 --seed 5 --output t.jsonl"
        ),
    );
    tokamark(
        folder.path(),
        "profile -m sim --url sim:?prefix-cache=100000000 --endpoint-type completions --streaming --tokenizer builtin \
         --input-file t.jsonl --no-fixed-schedule --concurrency 1 --artifact-dir out --ui none",
    );
    let trace = lines(&folder.path().join("t.jsonl"));
    let rows = lines(&folder.path().join("out/profile_export.jsonl"));
    assert_eq!((trace.len(), rows.len()), (ROWS, ROWS));
    let mut seen = HashSet::new();
    let (mut shared, mut found) = (0, 0);
    for (said, row) in trace.iter().zip(&rows) {
        let tokens = said["input_length"].as_u64().expect("a length");
        let ids: Vec<u64> = said["hash_ids"].as_array().expect("ids").iter().filter_map(Value::as_u64).collect();
        let known = ids.iter().take_while(|id| seen.contains(*id)).count() as u64;
        seen.extend(ids);
        let expected = (known * BLOCK).min(tokens) / 16 * 16;
        shared += expected.min((tokens - 1) / 16 * 16);
        let metric = |name: &str| row["metrics"][name]["value"].as_u64();
        assert_eq!(metric("input_sequence_length"), Some(tokens));
        assert_eq!(metric("usage_prompt_tokens"), Some(tokens));
        found += metric("usage_prompt_cache_read_tokens").unwrap_or(0);
    }
    assert!(shared > 0, "the trace shares something");
    assert_eq!(found, shared);
}
