//! A conversation.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::Turn;

/// What a turn's request repeats of the turns before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum History {
    /// Every turn before it with the answer that the server really gave. AIPerf's `deltas_without_responses`.
    #[default]
    Live,
    /// Every turn before it with the answer that the data gives ([`Turn::reply`]). AIPerf's `deltas_with_responses`.
    Recorded,
    /// Nothing: each turn is a complete request. AIPerf's `message_array_with_responses`.
    None,
}

/// Conversations that begin beside a turn.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Branch {
    /// Which children begin, by their name.
    pub children: Children,
    /// They begin with the history of this conversation as it then is (a fork); else with none (a spawn).
    pub inherits: bool,
    /// The turn (from 0) before which this conversation waits until the children have ended; absent if it never waits.
    pub join_at: Option<u32>,
}

/// Names of conversations.
pub type Children = Vec<String>;

/// A conversation, ready to be played turn by turn.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Conversation {
    /// Its name in files (`session_id`).
    pub id: String,
    /// The system message.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system: Option<String>,
    /// A text of its own that the first turn's follows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
    /// What each request repeats.
    pub history: History,
    /// Tools that every request offers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<Value>,
    /// When the first turn was or is to be sent, milliseconds in the trace's own time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_ms: Option<f64>,
    /// Children that begin before the first turn and are never waited for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub before: Vec<Branch>,
    /// Its turns; at least one.
    pub turns: Vec<Turn>,
}

impl Conversation {
    /// A conversation of one turn.
    #[must_use]
    pub fn single(id: String, turn: Turn) -> Self {
        Self { id, turns: vec![turn], ..Self::default() }
    }
}
