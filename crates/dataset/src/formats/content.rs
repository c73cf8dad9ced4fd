//! What a turn says: texts and media, as rows of several formats give them.

use serde_json::Value;
use tokamark_conversation::{Audio, Image, Prompt, TextGroup, Turn, Video};

use crate::fields::{Fields, kind};
use crate::options::{Named, Options};

/// Items of one kind: the entries of a list, or the one of a field.
struct Items {
    /// Groups that follow one another; the name is empty for plain items.
    groups: Vec<Group>,
}

struct Group {
    name: String,
    contents: Vec<String>,
    uuids: Option<Vec<Option<String>>>,
}

/// Takes the texts and media of a turn. A turn without any is faulty, and so is one whose media are not to be had.
pub(super) fn take(fields: &mut Fields, turn: &mut Turn, options: &Options<'_>) {
    let before = fields.faults();
    let texts = texts(fields);
    turn.images = images(fields);
    turn.audios = items(fields, "audio", "audios").contents().map(audio).collect();
    turn.videos = items(fields, "video", "videos").contents().map(|uri| Video { uri: uri.into() }).collect();
    turn.prompt = prompt(texts);
    let is_empty =
        turn.texts().next().is_none() && turn.images.is_empty() && turn.audios.is_empty() && turn.videos.is_empty();
    if is_empty && fields.faults() == before {
        fields.fault("text", "is missing");
    }
    // An image without content is one that the server has.
    let images =
        turn.images.iter().filter(|image| !image.uri.is_empty()).map(|image| ("image", Named::Image(&image.uri)));
    // Audio with a format has its data already.
    let audios = turn.audios.iter().filter(|audio| audio.format.is_empty());
    let audios = audios.map(|audio| ("audio", Named::Audio(&audio.data)));
    let videos = turn.videos.iter().map(|video| ("video", Named::Video(&video.uri)));
    for (field, named) in images.chain(audios).chain(videos) {
        if let Some(reason) = (options.missing)(named) {
            fields.fault(field, format!("is not to be had: {reason}"));
        }
    }
}

/// Takes `timestamp` and `delay`, of which only one may be there.
pub(super) fn take_times(fields: &mut Fields, turn: &mut Turn) {
    let has_both = fields.has("timestamp") && fields.has("delay");
    turn.timestamp_ms = fields.ms("timestamp");
    turn.delay_ms = fields.ms("delay");
    if has_both {
        fields.fault("delay", "stands beside `timestamp`; only one of them may be given");
    }
}

fn texts(fields: &mut Fields) -> Items {
    // GenAI-Perf's name of the field.
    if let Some(value) = fields.take("text_input") {
        if fields.has("text") || fields.has("texts") {
            fields.fault("text_input", "stands beside another text; only one of them may be given");
        }
        return Items { groups: group(fields, "text_input", value).into_iter().collect() };
    }
    items(fields, "text", "texts")
}

fn prompt(texts: Items) -> Prompt {
    if texts.groups.iter().all(|group| group.name.is_empty()) {
        return Prompt::Texts(texts.contents().collect());
    }
    let mut groups: Vec<TextGroup> = Vec::new();
    for Group { name, contents, .. } in texts.groups {
        match groups.last_mut() {
            Some(last) if last.name == name => last.texts.extend(contents),
            _ => groups.push(TextGroup { name, texts: contents }),
        }
    }
    Prompt::Groups(groups)
}

impl Items {
    fn contents(self) -> impl Iterator<Item = String> {
        self.groups.into_iter().flat_map(|group| group.contents)
    }
}

/// The items of `one` or `many`, of which only one may be there. Plain items that follow one another are one group.
fn items(fields: &mut Fields, one: &str, many: &str) -> Items {
    let mut groups = Vec::new();
    match (fields.take(one), fields.take(many)) {
        (Some(_), Some(_)) => fields.fault(many, format!("stands beside `{one}`; only one of them may be given")),
        (Some(value), None) => groups.extend(group(fields, one, value)),
        (None, Some(Value::Array(values))) => {
            if values.is_empty() {
                fields.fault(many, "is empty");
            }
            for value in values {
                groups.extend(group(fields, many, value));
            }
        }
        (None, Some(other)) => fields.fault(many, format!("is {}, not a list", kind(&other))),
        (None, None) => {}
    }
    Items { groups }
}

/// A text, or an object with a name and a list of texts in `contents`.
fn group(fields: &mut Fields, field: &str, value: Value) -> Option<Group> {
    match value {
        Value::String(text) if text.is_empty() => {
            fields.fault(field, "is empty");
            None
        }
        Value::String(text) => Some(Group { name: String::new(), contents: vec![text], uuids: None }),
        Value::Object(_) => named_group(fields, field, value),
        other => {
            fields.fault(field, format!("is {}, not a text", kind(&other)));
            None
        }
    }
}

fn named_group(fields: &mut Fields, field: &str, value: Value) -> Option<Group> {
    let mut inner = fields.inner(field, value);
    let name = inner.text("name").unwrap_or_default();
    let uuids = inner.list("uuids").map(|list| uuids(&mut inner, "uuids", list));
    let listed = inner.has("contents");
    let mut contents = Vec::new();
    for content in inner.list("contents").unwrap_or_default() {
        match content {
            Value::String(text) if !text.is_empty() => contents.push(text),
            Value::String(_) => inner.fault("contents", "has an empty text"),
            other => inner.fault("contents", format!("has {}, not only texts", kind(&other))),
        }
    }
    // The server may know an image by its name alone.
    if !listed && uuids.is_none() {
        inner.fault("contents", "is missing");
    } else if listed && contents.is_empty() && inner.faults() == 0 {
        inner.fault("contents", "is empty");
    }
    fields.absorb(inner);
    Some(Group { name, contents, uuids })
}

fn uuids(fields: &mut Fields, field: &str, list: Vec<Value>) -> Vec<Option<String>> {
    list.into_iter()
        .map(|value| match value {
            Value::String(uuid) if !uuid.is_empty() => Some(uuid),
            Value::Null => None,
            _ => {
                fields.fault(field, "has an entry that is not a name");
                None
            }
        })
        .collect()
}

fn images(fields: &mut Fields) -> Vec<Image> {
    let items = items(fields, "image", "images");
    let names = fields.list("image_uuids").map(|list| uuids(fields, "image_uuids", list));
    let is_plain = items.groups.iter().all(|group| group.uuids.is_none() && group.name.is_empty());
    let mut images = Vec::new();
    for Group { contents, uuids, .. } in items.groups {
        join(fields, "images.uuids", contents, uuids, &mut images);
    }
    if names.is_some() {
        if !is_plain {
            fields.fault("image_uuids", "stands beside `images` that are objects; only plain ones are named by it");
        }
        let contents = images.drain(..).map(|image| image.uri.to_string()).collect();
        join(fields, "image_uuids", contents, names, &mut images);
    }
    images
}

/// Images with their names. Names without images stand for images that the server has.
fn join(
    fields: &mut Fields,
    field: &str,
    contents: Vec<String>,
    uuids: Option<Vec<Option<String>>>,
    images: &mut Vec<Image>,
) {
    let count = contents.len();
    let Some(uuids) = uuids else {
        images.extend(contents.into_iter().map(|uri| Image { uri: uri.into(), uuid: None }));
        return;
    };
    if count == 0 {
        if uuids.iter().any(Option::is_none) {
            fields.fault(field, "has an entry that is not a name");
        }
        images.extend(uuids.into_iter().flatten().map(|uuid| Image { uri: "".into(), uuid: Some(uuid) }));
    } else if uuids.len() == count {
        images.extend(contents.into_iter().zip(uuids).map(|(uri, uuid)| Image { uri: uri.into(), uuid }));
    } else {
        fields.fault(field, format!("has {} names for {count} images", uuids.len()));
    }
}

/// A clip: `wav,` or `mp3,` and Base64, a data URI, or else a path or a URL that is read later.
pub(crate) fn audio(text: String) -> Audio {
    let (head, data) = text.split_once(',').unwrap_or(("", ""));
    let format = match head.trim().to_ascii_lowercase().as_str() {
        "wav" | "data:audio/wav;base64" | "data:audio/x-wav;base64" | "data:audio/wave;base64" => "wav",
        "mp3" | "data:audio/mp3;base64" | "data:audio/mpeg;base64" => "mp3",
        _ => return Audio { format: String::new(), data: text.into(), seconds: None },
    };
    Audio { format: format.to_owned(), data: data.into(), seconds: None }
}
