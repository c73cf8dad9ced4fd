//! `mooncake_trace`: lengths and names of blocks, or prompts as they are.

use std::collections::HashMap;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use tokamark_conversation::{History, Prompt};
use tokamark_plan::TracePlan;
use tokamark_trace::Row;

use super::rows::{Entry, RowFormat, block_names};
use crate::fields::{Fields, kind};
use crate::raw::is_object;

/// Tokens of a block unless the plan says otherwise.
const BLOCK_SIZE: u32 = 512;

/// The fields of which a row has exactly one.
const PROMPTS: [&str; 4] = ["input_length", "text_input", "messages", "payload"];

/// The format. A session whose rows say what they add repeats what was said before, with the answers really given; one
/// of messages or payloads repeats nothing, for they are complete.
#[derive(Debug, Default)]
pub(super) struct Mooncake {
    /// What each session's rows are.
    histories: HashMap<String, History>,
}

#[derive(Deserialize)]
struct Payload<'a> {
    #[serde(borrow)]
    payload: Option<&'a RawValue>,
}

impl RowFormat for Mooncake {
    fn entry(&mut self, fields: &mut Fields, text: &str, plan: &TracePlan) -> Entry {
        fields.constant("type", "mooncake_trace");
        // What made-up traces say beside their rows.
        fields.skip(&["group_id", "is_restart"]);
        let mut entry = Entry {
            row: Row {
                session: fields.name("session_id"),
                timestamp_ms: fields.ms("timestamp"),
                delay_ms: fields.ms("delay"),
                output_tokens: fields.output_tokens(&["output_length"]),
                block_size: plan.block_size.unwrap_or(BLOCK_SIZE),
                ..Row::default()
            },
            extra: fields.object("extra").unwrap_or_default(),
            ..Entry::default()
        };
        if !fields.is_no_object() {
            prompt(fields, text, &mut entry);
        }
        if let Some(session) = &entry.row.session {
            let first = self.histories.entry(session.clone()).or_insert(entry.history);
            if *first != entry.history && fields.faults() == 0 {
                fields.fault("session_id", "is that of rows of another kind; a session is of complete rows or of none");
            }
        }
        entry
    }
}

fn prompt(fields: &mut Fields, text: &str, entry: &mut Entry) {
    let given: Vec<&str> = PROMPTS.into_iter().filter(|field| fields.has(field)).collect();
    let [field] = given[..] else {
        match given.get(..2) {
            Some([first, second]) => {
                fields.fault(second, format!("stands beside `{first}`; only one of them may be given"));
            }
            _ => {
                fields.fault("input_length", "is missing; `text_input`, `messages` or `payload` may stand in its place")
            }
        }
        return;
    };
    for (other, owner) in [("hash_ids", "input_length"), ("tools", "messages")] {
        if fields.has(other) && field != owner {
            fields.fault(other, format!("needs `{owner}`"));
        }
    }
    match field {
        "input_length" => {
            entry.row.input_tokens = fields.above_zero(field).unwrap_or(0);
            entry.row.hash_ids = block_names(fields, "hash_ids");
        }
        "text_input" => entry.given = fields.filled(field).map(|text| Prompt::Texts(vec![text])),
        "messages" => {
            entry.history = History::None;
            entry.given = fields.list(field).map(Prompt::Messages);
            if matches!(&entry.given, Some(Prompt::Messages(messages)) if messages.is_empty()) {
                fields.fault(field, "is empty");
            }
            entry.tools = fields.list("tools").map(Value::Array);
        }
        _ => {
            entry.history = History::None;
            match fields.take(field) {
                Some(Value::Object(_)) => {}
                other => fields.fault(field, format!("is {}, not an object", kind(&other.unwrap_or_default()))),
            }
            let raw = serde_json::from_str::<Payload<'_>>(text).ok().and_then(|line| line.payload);
            entry.given = raw.filter(|body| is_object(body)).map(|body| Prompt::Body(body.get().to_owned()));
        }
    }
}
