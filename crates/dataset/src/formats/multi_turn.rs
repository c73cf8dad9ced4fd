//! `multi_turn`: one conversation per line. Its requests repeat what was said before with the answers really given.

use tokamark_conversation::{Conversation, History, Prompt, Turn};

use super::single_turn;
use crate::fields::Fields;
use crate::input::Input;
use crate::reader::Reader;
use crate::sink::Sink;
use crate::{DatasetError, Options};

/// Reads the format.
#[derive(Debug)]
pub(super) struct MultiTurn;

impl Reader for MultiTurn {
    fn read(&mut self, input: &Input, sink: &mut Sink<'_>) -> Result<(), DatasetError> {
        for file in input.files() {
            let mut lines = file.lines()?;
            while let Some(line) = lines.next()? {
                if sink.is_full() {
                    return Ok(());
                }
                let mut fields = Fields::of_line(&line);
                let mut conversation = conversation(&mut fields, sink.options);
                if sink.close(file, fields) {
                    let row = sink.row();
                    conversation.turns.iter_mut().for_each(|turn| turn.row = row);
                    sink.push(conversation)?;
                }
            }
        }
        Ok(())
    }
}

fn conversation(fields: &mut Fields, options: &Options<'_>) -> Conversation {
    fields.constant("type", "multi_turn");
    let id = fields.name("session_id").unwrap_or_default();
    let mut turns = Vec::new();
    if !fields.has("turns") && !fields.is_no_object() {
        fields.fault("turns", "is missing");
    } else if let Some(list) = fields.list("turns") {
        if list.is_empty() {
            fields.fault("turns", "is empty");
        }
        for (index, value) in list.into_iter().enumerate() {
            let mut inner = fields.inner(&format!("turns[{index}]"), value);
            turns.push(single_turn::turn(&mut inner, options));
            fields.absorb(inner);
        }
    }
    let system = turns.first().and_then(system_text);
    if system.is_some() {
        turns.remove(0);
        if turns.is_empty() {
            fields.fault("turns", "has nothing but the system's message");
        }
    }
    Conversation { id, system, history: History::Live, turns, ..Conversation::default() }
}

/// The text of a turn that is the system's and says nothing but text.
fn system_text(turn: &Turn) -> Option<String> {
    let is_plain = turn.images.is_empty() && turn.audios.is_empty() && turn.videos.is_empty();
    match &turn.prompt {
        Prompt::Texts(texts) if is_plain && turn.role.as_deref() == Some("system") => Some(texts.join("\n")),
        _ => None,
    }
}
