//! From the columns of a row to a conversation.

use serde_json::Value;
use tokamark_conversation::{Audio, Conversation, History, Image, Prompt, Turn, Video};

use super::media::seconds;
use super::names::Mapping;
use super::rows::each_row;
use crate::DatasetError;
use crate::fault::Place;
use crate::fields::{Fields, kind};
use crate::formats::{audio, take_spans};
use crate::input::Input;
use crate::sink::Sink;

/// Longer clips are left out, as those who compare speech recognition do.
const LONGEST_CLIP_S: f64 = 30.0;

/// Reads the rows of all files.
pub(super) fn read(
    mapping: Mapping,
    filters: &[(String, String)],
    input: &Input,
    sink: &mut Sink<'_>,
) -> Result<(), DatasetError> {
    let mut missing: Vec<&str> = filters.iter().map(|(column, _)| column_of(mapping, column)).collect();
    if mapping == Mapping::Spans {
        sink.start_at_zero();
    }
    for file in input.files() {
        let read = each_row(file, &mut |mut fields| {
            missing.retain(|column| !fields.has(column));
            if !filters.iter().all(|(column, wanted)| fields.is_text(column_of(mapping, column), wanted)) {
                return Ok(true);
            }
            if mapping == Mapping::Spans && !fields.is_no_object() {
                let place = fields.place;
                take_spans(file, place, Value::Object(fields.take_rest()), None, sink)?;
                // Rows are whole sessions, so no other belongs to one of these.
                return Ok(sink.options.entries.is_none_or(|entries| sink.store.len() < entries));
            }
            let conversation = conversation(mapping, &mut fields);
            // A table has columns for many uses.
            fields.take_rest();
            if sink.close(file, fields)
                && let Some(mut conversation) = conversation
            {
                let row = sink.row();
                conversation.turns.iter_mut().for_each(|turn| turn.row = row);
                sink.push(conversation)?;
            }
            Ok(!sink.is_full())
        })?;
        if let Err(reason) = read {
            sink.bad(file, Place::Whole, None, reason);
        }
        if sink.is_full() {
            break;
        }
    }
    match missing.first() {
        Some(column) => Err(DatasetError::unusable(input.path(), format!("has no column `{column}` to filter by"))),
        None => Ok(()),
    }
}

/// The column of a filter's name.
fn column_of(mapping: Mapping, name: &str) -> &str {
    if mapping == Mapping::Spans && name == "source_model" { "models" } else { name }
}

/// What a row asks; none if it is left out or faulty.
fn conversation(mapping: Mapping, fields: &mut Fields) -> Option<Conversation> {
    let mut turn = Turn::default();
    match mapping {
        Mapping::Text(column) => turn.prompt = Prompt::Texts(vec![text(fields, column)?]),
        Mapping::Turns(column) => {
            let turns = texts(fields, column)?.into_iter().map(|text| Turn::text(0, text)).collect();
            return Some(Conversation { history: History::Live, turns, ..Conversation::default() });
        }
        Mapping::FirstTurn(column) => {
            turn.prompt = Prompt::Texts(texts(fields, column)?.into_iter().take(1).collect());
        }
        Mapping::Edit => {
            let (code, request) = (text(fields, "code")?, text(fields, "change_request")?);
            turn.prompt = Prompt::Texts(vec![format!(
                "Change the following code as asked, and answer with the whole changed code only.\n\n\
                 ```\n{code}\n```\n\nThe change: {request}"
            )]);
        }
        Mapping::TextAndImage(column, image) => {
            turn.prompt = Prompt::Texts(vec![text(fields, column)?]);
            turn.images = images(fields, image)?;
        }
        Mapping::Video => {
            turn.prompt = Prompt::Texts(vec![question(fields)?]);
            turn.videos = vec![Video { uri: text(fields, "video")?.into() }];
        }
        Mapping::Chat { messages, images: column } => {
            turn.prompt = Prompt::Texts(vec![first_question(fields, messages)?]);
            turn.images = images(fields, column)?;
        }
        Mapping::Speech => {
            turn.prompt = Prompt::Texts(vec!["Transcribe this recording. Answer with its words only.".to_owned()]);
            turn.audios = vec![clip(fields)?];
        }
        Mapping::Sharegpt | Mapping::Weka | Mapping::Spans => return None,
    }
    Some(Conversation { history: History::None, ..Conversation::single(String::new(), turn) })
}

fn text(fields: &mut Fields, column: &str) -> Option<String> {
    if !fields.has(column) && !fields.is_no_object() {
        fields.fault(column, "is missing");
    }
    fields.filled(column)
}

fn texts(fields: &mut Fields, column: &str) -> Option<Vec<String>> {
    if !fields.has(column) && !fields.is_no_object() {
        fields.fault(column, "is missing");
    }
    let list = fields.list(column)?;
    let texts: Vec<String> =
        list.iter().filter_map(Value::as_str).filter(|text| !text.is_empty()).map(str::to_owned).collect();
    if texts.is_empty() || texts.len() != list.len() {
        fields.fault(column, "is not a list of texts");
        return None;
    }
    Some(texts)
}

/// The media of a column: a text, an object with bytes, or a list of these.
fn media(fields: &mut Fields, column: &str) -> Option<Vec<String>> {
    let Some(value) = fields.take(column) else {
        fields.fault(column, "is missing");
        return None;
    };
    let items = match value {
        Value::Array(items) => items,
        item => vec![item],
    };
    let mut uris = Vec::with_capacity(items.len());
    for mut item in items {
        // The hub's features for images and sounds: bytes, or where they lie.
        let bytes = item.get_mut("bytes").map(Value::take).filter(|bytes| !bytes.is_null());
        let path = item.get_mut("path").map(Value::take).filter(|path| !path.is_null());
        match bytes.or(path).unwrap_or(item) {
            Value::String(uri) if !uri.is_empty() => uris.push(uri),
            other => {
                fields.fault(column, format!("has {} where bytes are expected", kind(&other)));
                return None;
            }
        }
    }
    if uris.is_empty() {
        fields.fault(column, "is empty");
        return None;
    }
    Some(uris)
}

fn images(fields: &mut Fields, column: &str) -> Option<Vec<Image>> {
    Some(media(fields, column)?.into_iter().map(|uri| Image { uri: uri.into(), uuid: None }).collect())
}

/// The clip, unless it is too long.
fn clip(fields: &mut Fields) -> Option<Audio> {
    let uri = media(fields, "audio")?.swap_remove(0);
    let seconds = seconds(&uri);
    if seconds.is_some_and(|seconds| seconds > LONGEST_CLIP_S) {
        return None;
    }
    Some(Audio { seconds, ..audio(uri) })
}

/// The question of a row with its choices, one per line.
fn question(fields: &mut Fields) -> Option<String> {
    let mut text = text(fields, "question")?;
    if let Some(Value::Object(choices)) = fields.take("choices") {
        for (letter, choice) in choices {
            if let Value::String(choice) = choice
                && !choice.is_empty()
            {
                text += &format!("\n{letter}. {choice}");
            }
        }
    }
    Some(text)
}

/// The first message of a person, without the mark where an image was.
fn first_question(fields: &mut Fields, column: &str) -> Option<String> {
    let said = fields.take(column).unwrap_or_default();
    match first_text(&said) {
        Some(text) => Some(text),
        None => {
            fields.fault(column, "has no message of a person");
            None
        }
    }
}

fn first_text(said: &Value) -> Option<String> {
    match said {
        // Lists of lists too: each round of a chat may be one.
        Value::Array(items) => items.iter().find_map(first_text),
        Value::Object(message) => {
            let role = message.get("role").or_else(|| message.get("from")).and_then(Value::as_str);
            let text = message.get("content").or_else(|| message.get("value")).and_then(Value::as_str)?;
            let text = text.replace("<image>", "").trim().to_owned();
            (matches!(role, Some("user" | "human")) && !text.is_empty()).then_some(text)
        }
        _ => None,
    }
}
