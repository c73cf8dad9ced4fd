//! `single_turn`: one request per line. Rows that share a session are sent one after the other, each complete in itself.

use tokamark_conversation::{Conversation, History, Turn};

use super::content;
use crate::fields::Fields;
use crate::input::Input;
use crate::reader::Reader;
use crate::sink::Sink;
use crate::{DatasetError, Options};

/// Names of the field with the output tokens to ask for.
pub(super) const OUTPUT_TOKENS: [&str; 2] = ["output_length", "max_tokens"];

/// Reads the format.
#[derive(Debug)]
pub(super) struct SingleTurn;

impl Reader for SingleTurn {
    fn read(&mut self, input: &Input, sink: &mut Sink<'_>) -> Result<(), DatasetError> {
        for file in input.files() {
            let mut lines = file.lines()?;
            while let Some(line) = lines.next()? {
                if sink.is_full() {
                    return Ok(());
                }
                let mut fields = Fields::of_line(&line);
                fields.constant("type", "single_turn");
                let id = fields.name("session_id").unwrap_or_default();
                let mut turn = turn(&mut fields, sink.options);
                if sink.close(file, fields) {
                    turn.row = sink.row();
                    sink.push(Conversation { history: History::None, ..Conversation::single(id, turn) })?;
                }
            }
        }
        Ok(())
    }
}

/// The turn of an object with the fields of this format.
pub(super) fn turn(fields: &mut Fields, options: &Options<'_>) -> Turn {
    let mut turn = Turn {
        role: fields.filled("role"),
        output_tokens: fields.output_tokens(&OUTPUT_TOKENS),
        model: fields.filled("model"),
        extra: fields.object("extra").unwrap_or_default(),
        ..Turn::default()
    };
    if !fields.is_no_object() {
        content::take(fields, &mut turn, options);
    }
    content::take_times(fields, &mut turn);
    turn
}
