//! Bodies from a Jinja template, to any URL.

use std::sync::LazyLock;

use bytes::Bytes;
use minijinja::{AutoEscape, Environment};
use serde_json::{Map, Value, json};
use thiserror::Error;
use tokamark_conversation::{Prompt, Turn};
use tokamark_plan::EndpointKind;
use tokamark_wire::{Answer, EventInfo, any};

use crate::message::texts_of;
use crate::passages::Ranking;
use crate::{BodyOptions, Dialect, RESPONSE_FIELD, Request, body, messages_of};

/// The extra input that holds the template: its text, or the name of a built-in one (who takes a file's path from the user
/// puts its text here). It is no part of a body.
pub const PAYLOAD_TEMPLATE: &str = "payload_template";

/// Templates that have a name.
const BUILTIN: [(&str, &str); 1] = [("nv-embedqa", r#"{"text": {{ texts|tojson }}}"#)];

/// A template that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TemplateError {
    /// There is none.
    #[error("no template is given: name one with --extra-inputs payload_template:TEMPLATE")]
    Missing,
    /// It does not follow Jinja's grammar.
    #[error("the template is not valid Jinja: {0}")]
    Syntax(String),
    /// It cannot be filled in.
    #[error("the template cannot be filled in: {0}")]
    Render(String),
    /// What it makes is not JSON.
    #[error("the template does not make JSON: {0} (write texts as {{{{ text|tojson }}}}, without quotes around them)")]
    NotJson(String),
}

/// Checks the template among the extra inputs by making a body of it.
///
/// # Errors
/// What is wrong with it.
pub fn check_template(extra: &Map<String, Value>) -> Result<(), TemplateError> {
    let source = source(extra).ok_or(TemplateError::Missing)?;
    ENVIRONMENT.template_from_str(source).map_err(|error| TemplateError::Syntax(error.to_string()))?;
    let options =
        BodyOptions { model: "model".to_owned(), streaming: false, legacy_max_tokens: false, extra: extra.clone() };
    // Quotes, a line feed and a backslash show whether texts are written as JSON.
    let turn = Turn::text(0, "a \"text\" \\ with\nall in it");
    let text = render(source, &Request::from(&turn), &options).map_err(TemplateError::Render)?;
    serde_json::from_str::<Value>(&text).map(drop).map_err(|error| TemplateError::NotJson(error.to_string()))
}

/// Bodies that a template makes, answers of any known form. The other extra inputs are merged into what it makes.
#[derive(Debug)]
pub(crate) struct Template;

impl Dialect for Template {
    fn kind(&self) -> EndpointKind {
        EndpointKind::Template
    }

    fn marks_end(&self) -> bool {
        false
    }

    fn body(&self, request: Request<'_>, options: &BodyOptions) -> Bytes {
        let turn = request.turn;
        if let Some(given) = body::given(turn) {
            return given;
        }
        // Faults of the template are found by `check_template` before anything is sent.
        let text = source(&options.extra).and_then(|source| render(source, &request, options).ok()).unwrap_or_default();
        match serde_json::from_str(&text) {
            Ok(Value::Object(mut fields)) => {
                let own = |key: &str| key == PAYLOAD_TEMPLATE || key == RESPONSE_FIELD;
                let more = options.extra.iter().filter(|(key, _)| !own(key)).chain(&turn.extra);
                fields.extend(more.map(|(key, value)| (key.clone(), value.clone())));
                body::write(&fields)
            }
            // A list, or what the server may make sense of.
            _ => Bytes::from(text),
        }
    }

    fn read_event(&self, name: &[u8], data: &[u8], answer: &mut Answer) -> EventInfo {
        any::read_event(name, data, answer)
    }

    fn read_body(&self, body: &[u8], answer: &mut Answer) -> Result<EventInfo, String> {
        any::read_body(body, answer)
    }
}

static ENVIRONMENT: LazyLock<Environment<'static>> = LazyLock::new(|| {
    let mut environment = Environment::new();
    // Texts of a body are no HTML.
    environment.set_auto_escape_callback(|_| AutoEscape::None);
    environment
});

/// The template that is given or named.
fn source(extra: &Map<String, Value>) -> Option<&str> {
    let given = extra.get(PAYLOAD_TEMPLATE)?.as_str()?;
    Some(BUILTIN.iter().find(|(name, _)| *name == given).map_or(given, |(_, source)| source))
}

fn render(source: &str, request: &Request<'_>, options: &BodyOptions) -> Result<String, String> {
    let template = ENVIRONMENT.template_from_str(source).map_err(|error| error.to_string())?;
    template.render(minijinja::value::Serde(context(request, options))).map_err(|error| error.to_string())
}

/// What a template may speak of.
fn context(request: &Request<'_>, options: &BodyOptions) -> Value {
    let turn = request.turn;
    let own = messages_of(turn);
    let texts: Vec<&str> = match &turn.prompt {
        Prompt::Messages(_) => texts_of(&own).collect(),
        _ => turn.texts().collect(),
    };
    let images: Vec<&str> = turn.images.iter().map(|image| &*image.uri).collect();
    let audios: Vec<String> = turn.audios.iter().map(|audio| format!("{},{}", audio.format, audio.data)).collect();
    let videos: Vec<&str> = turn.videos.iter().map(|video| &*video.uri).collect();
    let Ranking { query, passages } = Ranking::of(turn);
    let mut by_name = Map::new();
    if let Prompt::Groups(groups) = &turn.prompt {
        by_name.extend(groups.iter().map(|group| (group.name.clone(), json!(group.texts))));
    }
    let messages: Vec<&Value> = request.past.iter().chain(&own).collect();
    let shown = json!({"texts": texts, "images": images, "audios": audios, "videos": videos});
    json!({
        "text": texts.first(),
        "texts": texts,
        "image": images.first(),
        "images": images,
        "audio": audios.first(),
        "audios": audios,
        "video": videos.first(),
        "videos": videos,
        "query": query,
        "queries": [query],
        "passage": passages.first(),
        "passages": passages,
        "texts_by_name": by_name,
        "messages": messages,
        "model": body::model(turn, options),
        "max_tokens": turn.output_tokens,
        "stream": options.streaming,
        "role": turn.role.as_deref().unwrap_or("user"),
        "turn": shown,
        "turns": [shown],
        "tools": turn.tools.as_ref().or(request.tools),
    })
}
