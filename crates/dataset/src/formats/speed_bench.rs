//! `speed_bench`: rows of SPEED-Bench. The split names a file of its folder, and with it a category of rows.

use serde_json::Value;
use tokamark_conversation::{Conversation, Prompt, Turn};

use crate::DatasetError;
use crate::fields::Fields;
use crate::input::{Input, InputFile};
use crate::reader::Reader;
use crate::sink::Sink;

/// The splits that are files.
const FILES: [&str; 6] =
    ["qualitative", "throughput_1k", "throughput_2k", "throughput_8k", "throughput_16k", "throughput_32k"];

/// Reads the format.
#[derive(Debug)]
pub(super) struct SpeedBench;

/// Which rows are wanted.
struct Wanted {
    /// The file of the folder; every one if absent.
    file: Option<&'static str>,
    /// The category; every one if absent.
    category: Option<String>,
}

impl Wanted {
    /// What a split's name says, such as `throughput_8k_low_entropy`, `qualitative` or `coding`.
    fn of(split: Option<&str>) -> Self {
        let Some(split) = split.map(plain) else { return Self { file: None, category: None } };
        for file in FILES {
            match split.strip_prefix(file) {
                Some("") => return Self { file: Some(file), category: None },
                Some(rest) if rest.starts_with('_') => {
                    return Self { file: Some(file), category: Some(rest[1..].to_owned()) };
                }
                _ => {}
            }
        }
        Self { file: Some(FILES[0]), category: Some(split) }
    }

    fn has(&self, category: &str) -> bool {
        let category = plain(category);
        // The entropy classes are written with and without the word.
        let bare = |name: &str| name.strip_suffix("_entropy").unwrap_or(name).to_owned();
        self.category.as_deref().is_none_or(|wanted| bare(wanted) == bare(&category))
    }
}

/// A name as flags spell it.
fn plain(name: &str) -> String {
    name.trim().to_lowercase().replace([' ', '-'], "_")
}

impl Reader for SpeedBench {
    fn read(&mut self, input: &Input, sink: &mut Sink<'_>) -> Result<(), DatasetError> {
        let wanted = Wanted::of(sink.plan.split.as_deref());
        let is_wanted = |file: &InputFile| {
            !input.is_folder() || wanted.file.map_or(FILES.contains(&file.stem().as_str()), |name| file.stem() == name)
        };
        let mut files = input.files().iter().filter(|file| is_wanted(file)).peekable();
        if files.peek().is_none() {
            let name = wanted.file.unwrap_or(FILES[0]);
            return Err(DatasetError::unusable(input.path(), format!("has no file {name}.jsonl")));
        }
        let before = sink.rows;
        for file in files {
            read(file, &wanted, sink)?;
        }
        if sink.rows == before
            && sink.faults.count() == 0
            && let Some(category) = &wanted.category
        {
            let reason = format!("has no rows of the category {category}");
            return Err(DatasetError::unusable(input.path(), reason));
        }
        Ok(())
    }
}

fn read(file: &InputFile, wanted: &Wanted, sink: &mut Sink<'_>) -> Result<(), DatasetError> {
    let mut lines = file.lines()?;
    while let Some(line) = lines.next()? {
        let mut fields = Fields::of_line(&line);
        let category = fields.text("category").unwrap_or_default();
        let id = fields.name("question_id").unwrap_or_default();
        let mut conversation = conversation(&mut fields, id);
        if fields.faults() == 0 && !wanted.has(&category) {
            continue;
        }
        if sink.close(file, fields) {
            let row = sink.row();
            // The same question may stand in several files; it is asked anew.
            if sink.store.has(&conversation.id) {
                conversation.id.clear();
            }
            conversation.turns.iter_mut().for_each(|turn| turn.row = row);
            sink.push(conversation)?;
        }
    }
    Ok(())
}

fn conversation(fields: &mut Fields, id: String) -> Conversation {
    if !fields.has("messages") && !fields.is_no_object() {
        fields.fault("messages", "is missing");
    }
    let messages = fields.list("messages");
    if messages.as_ref().is_some_and(Vec::is_empty) {
        fields.fault("messages", "is empty");
    }
    of_messages(id, messages.unwrap_or_default())
}

/// A conversation of chat messages: each question is a turn of its own. If answers stand among them, all of it is one
/// request.
pub(super) fn of_messages(id: String, messages: Vec<Value>) -> Conversation {
    let role = |message: &Value| message.get("role").and_then(Value::as_str).unwrap_or_default().to_owned();
    let text = |message: &Value| message.get("content").and_then(Value::as_str).map(str::to_owned);
    let has_system = messages.first().is_some_and(|message| role(message) == "system" && text(message).is_some());
    let questions = &messages[usize::from(has_system)..];
    if questions.is_empty() || questions.iter().any(|message| role(message) != "user") {
        let turn = Turn { prompt: Prompt::Messages(messages), ..Turn::default() };
        return Conversation::single(id, turn);
    }
    let system = if has_system { text(&messages[0]) } else { None };
    let turns = questions
        .iter()
        .map(|message| match text(message) {
            Some(text) => Turn::text(0, text),
            None => Turn { prompt: Prompt::Messages(vec![message.clone()]), ..Turn::default() },
        })
        .collect();
    Conversation { id, system, turns, ..Conversation::default() }
}
