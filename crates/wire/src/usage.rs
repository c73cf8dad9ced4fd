//! Token counts under all the names that servers give them.

use serde_json::{Map, Value};

use crate::Usage;

const PROMPT: &[&str] = &["prompt_tokens", "promptTokenCount", "input_token_count"];
/// Names under which some servers leave out what a cache served.
const UNCACHED_PROMPT: &[&str] = &["input_tokens", "inputTokens"];
const COMPLETION: &[&str] =
    &["completion_tokens", "output_tokens", "candidatesTokenCount", "outputTokens", "generated_token_count"];
const TOTAL: &[&str] = &["total_tokens", "totalTokenCount", "totalTokens"];
const PROMPT_DETAILS: &[&str] = &["prompt_tokens_details", "input_tokens_details"];
const COMPLETION_DETAILS: &[&str] = &["completion_tokens_details", "output_tokens_details"];
const REASONING: &[&str] = &["reasoning_tokens", "thoughtsTokenCount"];
/// Counts of cached tokens that are not within `input_tokens`.
const CACHE_READ_APART: &[&str] = &["cache_read_input_tokens", "cacheReadInputTokens"];
const CACHE_READ_WITHIN: &[&str] = &["prompt_cache_hit_tokens", "cachedContentTokenCount", "cached_tokens"];
const CACHE_WRITE: &[&str] = &["cache_creation_input_tokens", "cacheWriteInputTokens"];

/// The counts in a `usage` object; none if it has none that is known.
pub(crate) fn usage_in(value: &Value) -> Option<Usage> {
    let object = value.as_object()?;
    let read_apart = first(object, CACHE_READ_APART);
    let cache_write = first(object, CACHE_WRITE);
    let usage = Usage {
        prompt: first(object, PROMPT).or_else(|| {
            let uncached = first(object, UNCACHED_PROMPT)?;
            Some(uncached.saturating_add(read_apart.unwrap_or(0)).saturating_add(cache_write.unwrap_or(0)))
        }),
        completion: first(object, COMPLETION),
        total: first(object, TOTAL),
        reasoning: detail(object, COMPLETION_DETAILS, "reasoning_tokens").or_else(|| first(object, REASONING)),
        cache_read: detail(object, PROMPT_DETAILS, "cached_tokens")
            .or(read_apart)
            .or_else(|| first(object, CACHE_READ_WITHIN)),
        cache_write,
        accepted_prediction: detail(object, COMPLETION_DETAILS, "accepted_prediction_tokens"),
        rejected_prediction: detail(object, COMPLETION_DETAILS, "rejected_prediction_tokens"),
    };
    (usage != Usage::default()).then_some(usage)
}

fn first(object: &Map<String, Value>, names: &[&str]) -> Option<u64> {
    names.iter().find_map(|name| count(object.get(*name)?))
}

fn detail(object: &Map<String, Value>, parents: &[&str], name: &str) -> Option<u64> {
    parents.iter().find_map(|parent| count(object.get(*parent)?.get(name)?))
}

/// A count; some servers write it as a float.
pub(crate) fn count(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| {
        let number = value.as_f64()?;
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked to be whole and in range")]
        (number.fract() == 0.0 && (0.0..9.0e15).contains(&number)).then_some(number as u64)
    })
}
