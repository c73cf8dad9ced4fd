//! Chat messages of a turn, in OpenAI's form: what chat requests hold, and the form in which what was said before is kept.

use serde_json::{Value, json};
use tokamark_conversation::{Prompt, Turn};

/// A message of one text.
#[must_use]
pub fn message(role: &str, text: &str) -> Value {
    json!({"role": role, "content": text})
}

/// The messages that a turn adds to its conversation. A body that is sent as it is adds none.
#[must_use]
pub fn messages_of(turn: &Turn) -> Vec<Value> {
    match &turn.prompt {
        Prompt::Messages(messages) => messages.clone(),
        Prompt::Body(_) => Vec::new(),
        Prompt::Texts(_) | Prompt::Groups(_) | Prompt::Made { .. } => {
            vec![json!({"role": turn.role.as_deref().unwrap_or("user"), "content": content(turn)})]
        }
    }
}

/// One text stands by itself; several, or media, make a list of parts.
fn content(turn: &Turn) -> Value {
    let has_media = !(turn.images.is_empty() && turn.audios.is_empty() && turn.videos.is_empty());
    let mut texts = turn.texts();
    match (texts.next(), texts.next()) {
        (None, _) if !has_media => return "".into(),
        (Some(text), None) if !has_media => return text.into(),
        _ => {}
    }
    let texts = turn.texts().map(|text| json!({"type": "text", "text": text}));
    let images = turn.images.iter().map(|image| {
        // The server that knows an image by its name need not be shown it again.
        let shown = if image.uri.is_empty() { Value::Null } else { json!({"url": image.uri}) };
        let mut part = json!({"type": "image_url", "image_url": shown});
        if let (Some(uuid), Value::Object(part)) = (&image.uuid, &mut part) {
            part.insert("uuid".to_owned(), uuid.as_str().into());
        }
        part
    });
    let audios = turn
        .audios
        .iter()
        .map(|audio| json!({"type": "input_audio", "input_audio": {"data": audio.data, "format": audio.format}}));
    let videos = turn.videos.iter().map(|video| json!({"type": "video_url", "video_url": {"url": video.uri}}));
    texts.chain(images).chain(audios).chain(videos).collect()
}

/// The plain texts of messages, in order.
pub(crate) fn texts_of(messages: &[Value]) -> impl Iterator<Item = &str> {
    messages.iter().flat_map(|message| {
        let content = message.get("content");
        let parts = content.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        let parts = parts.iter().filter_map(|part| part.get("text").and_then(Value::as_str));
        content.and_then(Value::as_str).into_iter().chain(parts)
    })
}

/// The text of the system messages that lead, and the messages after them: some APIs take the two apart.
pub(crate) fn system_first<'m>(messages: impl Iterator<Item = &'m Value>) -> (Option<String>, Vec<&'m Value>) {
    let is_system =
        |message: &Value| matches!(message.get("role").and_then(Value::as_str), Some("system" | "developer"));
    let mut messages = messages.peekable();
    let mut system: Option<String> = None;
    while let Some(message) = messages.next_if(|message| is_system(message)) {
        let text = message.get("content").map(text_of_content).unwrap_or_default();
        match &mut system {
            Some(all) => all.extend(["\n\n", &text]),
            None => system = Some(text),
        }
    }
    (system, messages.collect())
}

/// The text of a message's content, whichever its form.
pub(crate) fn text_of_content(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().filter_map(|part| part.get("text").and_then(Value::as_str)).collect(),
        _ => String::new(),
    }
}
