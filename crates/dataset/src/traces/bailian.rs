//! `bailian_trace`: chats as trees of requests, with names of blocks.

use std::collections::{HashMap, HashSet};

use tokamark_conversation::History;
use tokamark_plan::TracePlan;
use tokamark_trace::Row;

use super::rows::{Entry, RowFormat, block_names, needed, seconds};
use crate::fields::Fields;

/// Tokens of a block unless the plan says otherwise.
const BLOCK_SIZE: u32 = 16;

/// A parent that says there is none.
const ROOT: &str = "-1";

/// The format. A tree is one conversation in the order of its turns. Lengths and blocks of each row are those of the
/// whole request, so that nothing is repeated before it.
#[derive(Debug, Default)]
pub(super) struct Bailian {
    /// The parent of each chat that has one.
    parents: HashMap<String, String>,
    chats: HashSet<String>,
    /// The roots of the chats that have been given on.
    roots: HashMap<String, String>,
    /// The chat and the parent of the row that is being read.
    chat: String,
    parent: Option<String>,
}

impl RowFormat for Bailian {
    const LOOKS_AHEAD: bool = true;

    fn entry(&mut self, fields: &mut Fields, _text: &str, plan: &TracePlan) -> Entry {
        self.chat = needed(fields, "chat_id", Fields::name).unwrap_or_default();
        self.parent = fields.name("parent_chat_id").filter(|parent| parent != ROOT);
        // The kind of request, such as `text`, changes nothing.
        fields.skip(&["type"]);
        Entry {
            row: Row {
                timestamp_ms: needed(fields, "timestamp", seconds),
                input_tokens: needed(fields, "input_length", Fields::above_zero).unwrap_or(0),
                output_tokens: needed(fields, "output_length", Fields::above_zero),
                hash_ids: block_names(fields, "hash_ids"),
                block_size: plan.block_size.unwrap_or(BLOCK_SIZE),
                is_complete: true,
                ..Row::default()
            },
            history: History::None,
            order: fields.whole("turn").map_or(0, |turn| i64::try_from(turn).unwrap_or(i64::MAX)),
            ..Entry::default()
        }
    }

    fn look(&mut self, _entry: &Entry) {
        if let Some(parent) = &self.parent {
            self.parents.insert(self.chat.clone(), parent.clone());
        }
        self.chats.insert(self.chat.clone());
    }

    fn settle(&mut self, entry: &mut Entry, fields: &mut Fields) {
        if self.roots.contains_key(&self.chat) {
            fields.fault("chat_id", "is that of an earlier line");
            return;
        }
        let Some(root) = self.root() else {
            fields.fault("parent_chat_id", "leads back to the chat itself");
            return;
        };
        entry.row.session = Some(root.clone());
        self.roots.insert(self.chat.clone(), root);
    }
}

impl Bailian {
    /// The chat with which the tree of this one begins; none if it goes in a circle.
    fn root(&self) -> Option<String> {
        let mut root = &self.chat;
        for _ in 0..=self.chats.len() {
            if let Some(known) = self.roots.get(root) {
                return Some(known.clone());
            }
            // A parent that the file does not have was cut off with its part of the trace.
            match self.parents.get(root).filter(|parent| self.chats.contains(*parent)) {
                Some(parent) => root = parent,
                None => return Some(root.clone()),
            }
        }
        None
    }
}
