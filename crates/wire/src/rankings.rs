//! Answers of rankings: a score for each passage.
//!
//! `{"rankings": [{"index", "logit"}]}` (NIM), `{"results": [{"index", "relevance_score"}]}` (Cohere and those who speak
//! it), `[{"index", "score"}]` (text-embeddings-inference).

use serde_json::{Map, Value};

use crate::parts::{lacking, object_in, parse_body};
use crate::usage::{count, usage_in};
use crate::{Answer, EventFlags, EventInfo, Usage};

const LISTS: [&str; 3] = ["rankings", "results", "data"];
const SCORES: [&str; 3] = ["logit", "relevance_score", "score"];

/// Reads the body of a ranking. An error in a known shape is put into the answer and is no `Err`.
///
/// The event has no generated text; it carries [`EventFlags::USAGE`] if there are token counts, else
/// [`EventFlags::EMPTY`].
///
/// # Errors
/// Why the body could not be understood, in words: it is not JSON, or ranks nothing.
pub fn read_body(body: &[u8], answer: &mut Answer) -> Result<EventInfo, String> {
    let value = parse_body(body, answer)?;
    match ranked(&value, answer) {
        Some(info) => Ok(info),
        None => lacking("ranking", &value, body, answer),
    }
}

/// The ranking in a value, if there is one.
pub(crate) fn ranked(value: &Value, answer: &mut Answer) -> Option<EventInfo> {
    let object = value.as_object();
    let list = match object {
        Some(object) => LISTS.iter().find_map(|key| object.get(*key)?.as_array()),
        None => value.as_array(),
    }?;
    let is_scored = |item: &Value| SCORES.iter().any(|key| item.get(*key).is_some_and(Value::is_number));
    if list.is_empty() || !list.iter().all(is_scored) {
        return None;
    }
    answer.is_data = true;
    answer.usage = object.and_then(counts);
    Some(EventInfo::bare(if answer.usage.is_some() { EventFlags::USAGE } else { EventFlags::EMPTY }))
}

/// The counts of a `usage`, else of Cohere's `meta`: the tokens that were read, else those that are billed.
fn counts(object: &Map<String, Value>) -> Option<Usage> {
    object.get("usage").and_then(usage_in).or_else(|| {
        let meta = object_in(object, "meta")?;
        let read = |part| {
            let part = object_in(meta, part)?;
            let number = |key| part.get(key).and_then(count);
            let usage =
                Usage { prompt: number("input_tokens"), completion: number("output_tokens"), ..Usage::default() };
            (usage != Usage::default()).then_some(usage)
        };
        read("tokens").or_else(|| read("billed_units"))
    })
}
