//! The query of a ranking and its passages.

use tokamark_conversation::{Prompt, Turn};

use crate::message::texts_of;
use crate::messages_of;

/// What is to be ranked by what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Ranking {
    pub(crate) query: String,
    pub(crate) passages: Vec<String>,
}

impl Ranking {
    /// Of groups, the query is the first text of the one called `query` or `queries`, the passages are the texts of those
    /// called `passage` or `passages`. Of other prompts, the query is the first text, the passages are the rest.
    pub(crate) fn of(turn: &Turn) -> Self {
        if let Prompt::Groups(groups) = &turn.prompt {
            let named = |names: [&'static str; 2]| {
                let groups = groups.iter().filter(move |group| names.contains(&group.name.as_str()));
                groups.flat_map(|group| &group.texts).cloned()
            };
            let passages: Vec<_> = named(["passages", "passage"]).collect();
            if let Some(query) = named(["query", "queries"]).next() {
                return Self { query, passages };
            }
        }
        let messages = messages_of(turn);
        let mut texts = texts_of(&messages).map(str::to_owned);
        Self { query: texts.next().unwrap_or_default(), passages: texts.collect() }
    }
}
