//! One turn of a conversation.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{Audio, Branch, Image, Video};

/// What a turn says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Prompt {
    /// Texts: one, or several for batched endpoints.
    Texts(Vec<String>),
    /// Named texts, such as a query and its passages.
    Groups(Vec<TextGroup>),
    /// A text that is yet to be made. A workload never hands it on.
    Made {
        /// Its tokens.
        tokens: u64,
        /// Names of its first blocks; the same name stands for the same tokens throughout the dataset.
        blocks: Vec<u64>,
        /// Tokens of a block; the last one may be cut short.
        block_size: u32,
    },
    /// Chat messages, as they are.
    Messages(Vec<Value>),
    /// The whole request body as JSON text, sent byte for byte.
    Body(String),
}

impl Default for Prompt {
    fn default() -> Self {
        Self::Texts(Vec::new())
    }
}

/// Texts with a name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TextGroup {
    /// The name, such as `query`.
    pub name: String,
    /// The texts.
    pub texts: Vec<String>,
}

/// One turn of a conversation. Fields that are absent are left out when it is written.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Turn {
    /// Row of the dataset.
    pub row: u64,
    /// What it says.
    pub prompt: Prompt,
    /// Images.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub images: Vec<Image>,
    /// Audio clips.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub audios: Vec<Audio>,
    /// Videos.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub videos: Vec<Video>,
    /// Who says it; `user` if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// Tokens of its own text by the workload's tokenizer.
    #[serde(default)]
    pub input_tokens: Option<u64>,
    /// Output tokens to ask for.
    #[serde(default)]
    pub output_tokens: Option<u64>,
    /// A model of the turn's own.
    #[serde(default)]
    pub model: Option<String>,
    /// Tools of the turn's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<Value>,
    /// Fields that the dataset adds to the body.
    #[serde(default)]
    pub extra: Map<String, Value>,
    /// The answer that the data gives: an assistant's message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply: Option<Value>,
    /// Milliseconds to wait after the previous answer's end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delay_ms: Option<f64>,
    /// When it was or is to be sent, milliseconds in the trace's own time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub timestamp_ms: Option<f64>,
    /// Conversations that begin when this turn has been answered.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub branches: Vec<Branch>,
    /// Nothing is sent: the turn only begins its branches (an orchestrator's).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_silent: bool,
}

impl Turn {
    /// A turn that says one text.
    #[must_use]
    pub fn text(row: u64, text: impl Into<String>) -> Self {
        Self { row, prompt: Prompt::Texts(vec![text.into()]), ..Self::default() }
    }

    /// Its plain texts, in order; those of groups one after the other. Messages and bodies have none.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        let (texts, groups): (&[String], &[TextGroup]) = match &self.prompt {
            Prompt::Texts(texts) => (texts, &[]),
            Prompt::Groups(groups) => (&[], groups),
            Prompt::Made { .. } | Prompt::Messages(_) | Prompt::Body(_) => (&[], &[]),
        };
        texts.iter().chain(groups.iter().flat_map(|group| &group.texts)).map(String::as_str)
    }
}
