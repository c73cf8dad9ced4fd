//! Which tokenizer counts.

use serde::{Deserialize, Serialize};

/// Which tokenizer counts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TokenizerPlan {
    /// `builtin`, a tiktoken encoding, a file, a folder, or a Hugging Face name. Absent: the model's own if it is to be had
    /// on this machine, else `builtin` with a warning.
    pub name: Option<String>,
    /// Revision in the cache or on the hub.
    pub revision: String,
    /// Count prompts as the model's chat template renders them.
    #[serde(default)]
    pub apply_chat_template: bool,
}

impl TokenizerPlan {
    /// The compiled-in tokenizer.
    #[must_use]
    pub fn builtin() -> Self {
        Self { name: Some("builtin".to_owned()), revision: "main".to_owned(), apply_chat_template: false }
    }
}
