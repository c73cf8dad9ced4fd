//! `raw_payload`: whole request bodies, sent byte for byte. Each line of a file is a request of its own; each file of a
//! folder is one session.

use serde_json::value::RawValue;
use tokamark_conversation::{Conversation, History, Prompt, Turn};

use crate::DatasetError;
use crate::fault::Place;
use crate::fields::position;
use crate::input::{Input, InputFile, whole};
use crate::raw::is_object;
use crate::reader::Reader;
use crate::sink::Sink;

/// Reads the format.
#[derive(Debug)]
pub(super) struct RawPayload;

impl Reader for RawPayload {
    fn read(&mut self, input: &Input, sink: &mut Sink<'_>) -> Result<(), DatasetError> {
        for file in input.files() {
            let is_one_body = file.path().extension().is_some_and(|ending| ending == "json");
            let id = if input.is_folder() { file.session() } else { String::new() };
            if is_one_body
                && let Ok(text) = whole(file)?
                && let Ok(body) = serde_json::from_str::<&RawValue>(&text)
            {
                take(file, Place::Whole, body.get(), id, sink)?;
                continue;
            }
            let mut lines = file.lines()?;
            while let Some(line) = lines.next()? {
                if sink.is_full() {
                    return Ok(());
                }
                match line.text {
                    Ok(text) => take(file, Place::Line(line.number), text, id.clone(), sink)?,
                    Err(reason) => sink.bad(file, Place::Line(line.number), None, reason),
                }
            }
        }
        Ok(())
    }
}

fn take(file: &InputFile, place: Place, text: &str, id: String, sink: &mut Sink<'_>) -> Result<(), DatasetError> {
    match serde_json::from_str::<&RawValue>(text) {
        Ok(body) if is_object(body) => {
            let turn = Turn { row: sink.row(), prompt: Prompt::Body(text.to_owned()), ..Turn::default() };
            sink.push(Conversation { history: History::None, ..Conversation::single(id, turn) })
        }
        Ok(_) => {
            sink.bad(file, place, None, "is not an object, so it is no request body");
            Ok(())
        }
        Err(error) => {
            sink.bad(file, place, None, format!("is not JSON ({})", position(&error)));
            Ok(())
        }
    }
}
