//! How many tokens a request had: the server's counts first, the client's where the server is silent.

use tokamark_record::RequestRecord;
use tokamark_wire::Usage;

/// Token counts of one request. What is not known is absent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TokenCounts {
    /// Prompt.
    pub input: Option<u64>,
    /// Answer, reasoning included.
    pub output: Option<u64>,
    /// Reasoning within the answer.
    pub reasoning: Option<u64>,
    /// The rest of the answer.
    pub visible: Option<u64>,
}

impl TokenCounts {
    /// The counts of a record.
    #[must_use]
    pub fn of(record: &RequestRecord) -> Self {
        let usage = record.usage.unwrap_or_default();
        let input = usage.prompt.or(record.local_input_tokens);
        let output = server_output(&usage).or_else(|| local_output(record));
        let reasoning =
            usage.reasoning.or(record.local_reasoning_tokens).map(|count| count.min(output.unwrap_or(count)));
        let visible = output.map(|output| output - reasoning.unwrap_or(0));
        Self { input, output, reasoning, visible }
    }
}

/// Tokens of the whole answer by the client's tokenizer.
pub(crate) fn local_output(record: &RequestRecord) -> Option<u64> {
    match (record.local_output_tokens, record.local_reasoning_tokens) {
        (None, None) => None,
        (output, reasoning) => Some(output.unwrap_or(0) + reasoning.unwrap_or(0)),
    }
}

/// Tokens of the whole answer by the server. Most servers count reasoning among the completion tokens; those that count
/// it beside them give themselves away by their total, or by more reasoning than completion.
pub(crate) fn server_output(usage: &Usage) -> Option<u64> {
    let completion = usage.completion?;
    let Some(reasoning) = usage.reasoning.filter(|count| *count > 0) else { return Some(completion) };
    let together = completion.saturating_add(reasoning);
    let beside_by_total =
        matches!((usage.total, usage.prompt), (Some(total), Some(prompt)) if total == prompt.saturating_add(together));
    Some(if beside_by_total || reasoning > completion { together } else { completion })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usage(prompt: u64, completion: u64, total: u64, reasoning: u64) -> Usage {
        Usage {
            prompt: Some(prompt),
            completion: Some(completion),
            total: Some(total),
            reasoning: Some(reasoning),
            ..Usage::default()
        }
    }

    #[test]
    fn reasoning_is_counted_once_however_the_server_counts() {
        assert_eq!(server_output(&usage(10, 8, 18, 5)), Some(8));
        assert_eq!(server_output(&usage(10, 3, 18, 5)), Some(8));
        assert_eq!(server_output(&usage(10, 8, 23, 5)), Some(13));
        assert_eq!(server_output(&Usage { completion: Some(4), ..Usage::default() }), Some(4));
        assert_eq!(server_output(&Usage::default()), None);
    }
}
