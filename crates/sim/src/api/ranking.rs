//! Scores of passages, and boxes in images, that depend on the prompt alone.

use super::{Job, Kind, json_string};

/// The whole body of a ranking, the best passage first.
pub(crate) fn ranking_body(job: &Job, id: &str) -> String {
    let mut scores: Vec<(usize, f64)> =
        job.prompts.iter().enumerate().map(|(index, prompt)| (index, score(prompt.digest))).collect();
    scores.sort_by(|a, b| b.1.total_cmp(&a.1));
    let list = |name: &str| -> String {
        let items: Vec<_> =
            scores.iter().map(|(index, score)| format!(r#"{{"index":{index},"{name}":{score}}}"#)).collect();
        items.join(",")
    };
    let tokens: u64 = job.prompts.iter().map(|prompt| prompt.tokens).sum();
    match job.kind {
        Kind::NimRanking => format!(
            r#"{{"rankings":[{}],"usage":{{"prompt_tokens":{tokens},"total_tokens":{tokens}}}}}"#,
            list("logit")
        ),
        Kind::CohereRanking => format!(
            r#"{{"id":{},"results":[{}],"meta":{{"api_version":{{"version":"2"}},"billed_units":{{"search_units":1}},"tokens":{{"input_tokens":{tokens}}}}}}}"#,
            json_string(id),
            list("relevance_score")
        ),
        _ => format!("[{}]", list("score")),
    }
}

/// The whole body of an answer about images.
pub(crate) fn boxes_body(job: &Job) -> String {
    let items: Vec<_> = job
        .prompts
        .iter()
        .enumerate()
        .map(|(index, prompt)| {
            let confidence = score(prompt.digest);
            format!(
                r#"{{"index":{index},"bounding_boxes":{{"table":[{{"x_min":0.1,"y_min":0.1,"x_max":0.9,"y_max":0.9,"confidence":{confidence}}}]}}}}"#
            )
        })
        .collect();
    format!(r#"{{"data":[{}]}}"#, items.join(","))
}

/// A score from 0 to 1.
fn score(digest: u64) -> f64 {
    // Three bytes give a short decimal.
    ((digest >> 40) as f64 / f64::from(1 << 24) * 1e6).round() / 1e6
}
