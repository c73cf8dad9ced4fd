//! `openai_batch`: the input of OpenAI's batch API, whose bodies are sent byte for byte.

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use tokamark_conversation::{Conversation, History, Prompt, Turn};

use crate::DatasetError;
use crate::fields::Fields;
use crate::input::Input;
use crate::raw::is_object;
use crate::reader::Reader;
use crate::sink::Sink;

/// Reads the format.
#[derive(Debug, Default)]
pub(super) struct OpenaiBatch {
    /// The path that the first line names. A run asks one endpoint, so the others must name it too.
    path: Option<String>,
}

#[derive(Deserialize)]
struct Body<'a> {
    #[serde(borrow)]
    body: Option<&'a RawValue>,
}

impl Reader for OpenaiBatch {
    fn read(&mut self, input: &Input, sink: &mut Sink<'_>) -> Result<(), DatasetError> {
        for file in input.files() {
            let mut lines = file.lines()?;
            while let Some(line) = lines.next()? {
                let mut fields = Fields::of_line(&line);
                let id = fields.name("custom_id").unwrap_or_default();
                fields.constant("method", "POST");
                self.path(&mut fields);
                let text = line.text.unwrap_or_default();
                let body = body(&mut fields, text);
                if !id.is_empty() && sink.store.has(&id) {
                    fields.fault("custom_id", "is that of an earlier line");
                }
                if sink.close(file, fields)
                    && let Some(body) = body
                {
                    let turn = Turn { row: sink.row(), prompt: Prompt::Body(body), ..Turn::default() };
                    sink.push(Conversation { history: History::None, ..Conversation::single(id, turn) })?;
                }
            }
        }
        Ok(())
    }
}

impl OpenaiBatch {
    fn path(&mut self, fields: &mut Fields) {
        let Some(path) = fields.filled("url") else { return };
        match &self.path {
            None => self.path = Some(path),
            Some(first) if *first != path => {
                fields.fault("url", format!("is {path}, but earlier lines have {first}; a run asks one endpoint"));
            }
            Some(_) => {}
        }
    }
}

/// The text of the body as the line has it.
fn body(fields: &mut Fields, line: &str) -> Option<String> {
    match fields.take("body") {
        Some(Value::Object(_)) => {}
        Some(_) => fields.fault("body", "is not an object"),
        None if fields.is_no_object() => {}
        None => fields.fault("body", "is missing"),
    }
    let body = serde_json::from_str::<Body<'_>>(line).ok()?.body?;
    is_object(body).then(|| body.get().to_owned())
}
