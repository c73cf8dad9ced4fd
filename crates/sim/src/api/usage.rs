//! Token counts of an answer.

/// What an answer cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Usage {
    pub(crate) prompt: u64,
    pub(crate) cached: u64,
    pub(crate) completion: u64,
    pub(crate) reasoning: u64,
}

impl Usage {
    /// As a JSON object.
    pub(crate) fn json(&self) -> String {
        let Self { prompt, cached, completion, reasoning } = self;
        let details = match reasoning {
            0 => String::new(),
            _ => format!(r#","completion_tokens_details":{{"reasoning_tokens":{reasoning}}}"#),
        };
        format!(
            r#"{{"prompt_tokens":{prompt},"completion_tokens":{completion},"total_tokens":{},"prompt_tokens_details":{{"cached_tokens":{cached}}}{details}}}"#,
            prompt + completion
        )
    }
}
