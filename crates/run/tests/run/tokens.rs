//! Who counts the tokens of answers.

use tokamark_metrics::Metric;
use tokamark_tokenizer::Tokenizer;

use crate::support::{json_of, plan, rows, run, serve, values, without_usage};

#[test]
fn without_the_server_s_counts_the_client_s_tokenizer_counts() {
    let (_server, url) = serve("event-rate=inf&ttft=0&reasoning=0.5");
    let folder = tempfile::tempdir().unwrap();
    let summary = run(&without_usage(plan(&url, 10, folder.path()))).summary;
    let tokenizer = Tokenizer::builtin();
    let outputs = json_of(&folder.path().join("outputs.json"));
    let entries = outputs["data"].as_array().unwrap();
    assert_eq!(entries.len(), 10);
    let mut total = 0;
    for entry in entries {
        let count = |key: &str| tokenizer.count(entry[key].as_str().unwrap()) as u64;
        let (reasoning, content) = (count("reasoning_text"), count("response_text"));
        assert!(reasoning > 0 && content > 0);
        let metrics = &entry["metrics"];
        assert_eq!(metrics["output_sequence_length"]["value"].as_u64(), Some(reasoning + content));
        assert_eq!(metrics["output_token_count"]["value"].as_u64(), Some(content));
        total += reasoning + content;
    }
    assert_eq!(summary.metrics.avg(Metric::TotalOsl), Some(total as f64));
    assert_eq!(summary.metrics.avg(Metric::UsageCompletionTokens), None);
    // Prompts were made to have as many tokens as were asked for.
    assert_eq!(values(&rows(folder.path()), "input_sequence_length"), [20.0; 10]);
    assert!(folder.path().join("profile_export_counts.tkm").exists());
}

#[test]
fn the_server_s_counts_come_first() {
    let (_server, url) = serve("event-rate=inf&ttft=0");
    let folder = tempfile::tempdir().unwrap();
    let metrics = run(&plan(&url, 10, folder.path())).summary.metrics;
    assert_eq!(values(&rows(folder.path()), "output_sequence_length"), [5.0; 10]);
    assert_eq!(metrics.avg(Metric::TotalUsageCompletionTokens), Some(50.0));
    assert!(metrics.avg(Metric::UsageCompletionTokensDiffPct).is_some(), "the client counted as well");
}

#[test]
fn the_client_does_not_count_if_the_server_s_counts_are_enough() {
    let (_server, url) = serve("event-rate=inf&ttft=0");
    let folder = tempfile::tempdir().unwrap();
    let mut plan = plan(&url, 10, folder.path());
    plan.target.use_server_token_count = true;
    let metrics = run(&plan).summary.metrics;
    assert!(!folder.path().join("profile_export_counts.tkm").exists());
    assert_eq!(metrics.avg(Metric::TotalOsl), Some(50.0));
    assert_eq!(metrics.avg(Metric::UsageCompletionTokensDiffPct), None);

    let silent = tempfile::tempdir().unwrap();
    plan.report.artifact_dir = Some(silent.path().to_owned());
    let metrics = run(&without_usage(plan)).summary.metrics;
    assert_eq!(metrics.avg(Metric::TotalOsl), None, "nobody counted");
    assert_eq!(metrics.avg(Metric::RequestCount), Some(10.0));
}
