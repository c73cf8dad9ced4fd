//! What requests ask for.

use std::borrow::Cow;
use std::hash::{DefaultHasher, Hasher};

use serde::Deserialize;

use super::ApiError;
use crate::config::{PromptTokens, SimConfig};
use crate::draw::LengthWish;
use crate::prefix::BlockHasher;

/// Which endpoint a request went to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Chat,
    Completion,
    Embedding,
}

/// A prompt, reduced to what the engine needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Prompt {
    /// At least 1.
    pub(crate) tokens: u64,
    /// Hashes of its whole blocks, for the prefix cache.
    pub(crate) blocks: Vec<u64>,
    /// Hash of all of it.
    pub(crate) digest: u64,
}

/// A request that can be worked on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Job {
    pub(crate) kind: Kind,
    pub(crate) model: String,
    pub(crate) is_stream: bool,
    pub(crate) include_usage: bool,
    /// At least one.
    pub(crate) prompts: Vec<Prompt>,
    pub(crate) wish: LengthWish,
    pub(crate) is_base64: bool,
    pub(crate) dimensions: Option<u32>,
}

#[derive(Deserialize)]
struct Fields<'a> {
    #[serde(borrow)]
    model: Option<Cow<'a, str>>,
    #[serde(borrow)]
    messages: Option<Vec<Message<'a>>>,
    #[serde(borrow)]
    prompt: Option<Input<'a>>,
    #[serde(borrow)]
    input: Option<Input<'a>>,
    stream: Option<bool>,
    stream_options: Option<StreamOptions>,
    max_tokens: Option<u64>,
    max_completion_tokens: Option<u64>,
    min_tokens: Option<u64>,
    ignore_eos: Option<bool>,
    n: Option<u64>,
    encoding_format: Option<Cow<'a, str>>,
    dimensions: Option<u32>,
}

#[derive(Deserialize)]
struct StreamOptions {
    include_usage: Option<bool>,
}

#[derive(Deserialize)]
struct Message<'a> {
    #[serde(borrow)]
    content: Option<Content<'a>>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Content<'a> {
    Text(#[serde(borrow)] Cow<'a, str>),
    Parts(#[serde(borrow)] Vec<Part<'a>>),
}

/// A part of a message. Only its text counts; pictures and sound cost nothing here.
#[derive(Deserialize)]
struct Part<'a> {
    #[serde(borrow)]
    text: Option<Cow<'a, str>>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Input<'a> {
    Text(#[serde(borrow)] Cow<'a, str>),
    Ids(Vec<u32>),
    Texts(#[serde(borrow)] Vec<Cow<'a, str>>),
    IdLists(Vec<Vec<u32>>),
}

/// Reads a request's body.
pub(crate) fn read_job(kind: Kind, body: &[u8], config: &SimConfig, tokens: &PromptTokens) -> Result<Job, ApiError> {
    let fields: Fields<'_> = serde_json::from_slice(body)
        .map_err(|error| ApiError::bad_request(format!("the body is not a valid request: {error}")))?;
    let model = match fields.model {
        Some(model) => model.into_owned(),
        None => config.models.first().cloned().unwrap_or_else(|| "sim".to_owned()),
    };
    if !config.models.is_empty() && !config.models.contains(&model) {
        return Err(ApiError::not_found(format!("the model `{model}` does not exist")));
    }
    if fields.n.is_some_and(|n| n != 1) {
        return Err(ApiError::bad_request("n: the simulated server gives one answer to each prompt"));
    }
    let prompts = match kind {
        Kind::Chat => {
            let messages = fields.messages.ok_or_else(|| ApiError::bad_request("messages: field required"))?;
            if messages.is_empty() {
                return Err(ApiError::bad_request("messages: expected at least one"));
            }
            vec![chat_prompt(&messages, tokens)]
        }
        Kind::Completion => {
            input_prompts(&fields.prompt.ok_or_else(|| ApiError::bad_request("prompt: field required"))?, tokens)
        }
        Kind::Embedding => {
            input_prompts(&fields.input.ok_or_else(|| ApiError::bad_request("input: field required"))?, tokens)
        }
    };
    if prompts.is_empty() {
        return Err(ApiError::bad_request("the list of prompts is empty"));
    }
    let wish = match kind {
        Kind::Embedding => LengthWish { max: Some(0), ..LengthWish::default() },
        _ => LengthWish {
            max: fields.max_completion_tokens.or(fields.max_tokens),
            min: fields.min_tokens.unwrap_or(0),
            ignore_eos: fields.ignore_eos.unwrap_or(false),
        },
    };
    let job = Job {
        kind,
        model,
        is_stream: fields.stream.unwrap_or(false) && kind != Kind::Embedding,
        include_usage: fields.stream_options.and_then(|options| options.include_usage).unwrap_or(false),
        prompts,
        wish,
        is_base64: fields.encoding_format.is_some_and(|format| format == "base64"),
        dimensions: fields.dimensions.filter(|dimensions| (1..=65_536).contains(dimensions)),
    };
    check_lengths(&job, config.longest())?;
    Ok(job)
}

fn check_lengths(job: &Job, longest: u64) -> Result<(), ApiError> {
    let generates = job.kind != Kind::Embedding;
    if generates && job.wish.max == Some(0) {
        return Err(ApiError::bad_request("max_tokens must be at least 1"));
    }
    if let Some(max) = job.wish.max.filter(|max| generates && job.wish.min > *max) {
        return Err(ApiError::bad_request(format!(
            "min_tokens is {}, which is more than max_tokens={max}",
            job.wish.min
        )));
    }
    for prompt in &job.prompts {
        let answer = job.wish.max.unwrap_or(u64::from(generates));
        if prompt.tokens.saturating_add(answer) > longest {
            return Err(ApiError::bad_request(format!(
                "This model's maximum context length is {longest} tokens, but the request needs {} of them: {} of the \
                 prompt and {answer} of the answer. Shorten the prompt or ask for fewer tokens.",
                prompt.tokens.saturating_add(answer),
                prompt.tokens
            )));
        }
    }
    Ok(())
}

/// All texts of the messages in order. Roles and a chat template cost nothing here.
fn chat_prompt(messages: &[Message<'_>], tokens: &PromptTokens) -> Prompt {
    let texts = messages.iter().flat_map(|message| match &message.content {
        Some(Content::Text(text)) => vec![text.as_ref()],
        Some(Content::Parts(parts)) => parts.iter().filter_map(|part| part.text.as_deref()).collect(),
        None => Vec::new(),
    });
    prompt_of(texts, tokens)
}

fn input_prompts(input: &Input<'_>, tokens: &PromptTokens) -> Vec<Prompt> {
    match input {
        Input::Text(text) => vec![prompt_of([text.as_ref()], tokens)],
        Input::Texts(texts) => texts.iter().map(|text| prompt_of([text.as_ref()], tokens)).collect(),
        Input::Ids(ids) if ids.is_empty() => Vec::new(),
        Input::Ids(ids) => vec![prompt_of_ids(ids)],
        Input::IdLists(lists) => lists.iter().map(|ids| prompt_of_ids(ids)).collect(),
    }
}

fn prompt_of<'a>(texts: impl IntoIterator<Item = &'a str>, tokens: &PromptTokens) -> Prompt {
    let (mut count, mut blocks, mut digest) = (0, BlockHasher::default(), DefaultHasher::new());
    for text in texts {
        match tokens {
            PromptTokens::Counted(counter) => {
                count += counter(text) as u64;
                blocks.update(text.as_bytes());
            }
            PromptTokens::Encoded(encoder) => {
                let ids = encoder(text);
                count += ids.len() as u64;
                blocks.update_ids(&ids);
            }
        }
        digest.write(text.as_bytes());
    }
    Prompt { tokens: count.max(1), blocks: blocks.finish(), digest: digest.finish() }
}

fn prompt_of_ids(ids: &[u32]) -> Prompt {
    let (mut blocks, mut digest) = (BlockHasher::default(), DefaultHasher::new());
    blocks.update_ids(ids);
    ids.iter().for_each(|id| digest.write_u32(*id));
    Prompt { tokens: (ids.len() as u64).max(1), blocks: blocks.finish(), digest: digest.finish() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Counting;
    use crate::tokens::counter;

    fn read(kind: Kind, body: &str) -> Result<Job, ApiError> {
        let config = SimConfig { context_tokens: 100, ..SimConfig::default() };
        read_job(kind, body.as_bytes(), &config, &PromptTokens::Counted(counter(Counting::Bytes)))
    }

    fn tokens(kind: Kind, body: &str) -> Vec<u64> {
        read(kind, body).unwrap().prompts.iter().map(|prompt| prompt.tokens).collect()
    }

    #[test]
    fn prompts_come_in_every_form() {
        let chat = r#"{"messages":[{"role":"system","content":"abcd"},{"role":"user","content":
            [{"type":"text","text":"abcde\n"},{"type":"image_url","image_url":{"url":"x"}}]},{"role":"assistant","content":null}]}"#;
        assert_eq!(tokens(Kind::Chat, chat), [3]);
        assert_eq!(tokens(Kind::Completion, r#"{"prompt":""}"#), [1]);
        assert_eq!(tokens(Kind::Completion, r#"{"prompt":["abcd","\u0061bcde"]}"#), [1, 2]);
        assert_eq!(tokens(Kind::Completion, r#"{"prompt":[1,2,3]}"#), [3]);
        assert_eq!(tokens(Kind::Completion, r#"{"prompt":[[1,2,3],[4]]}"#), [3, 1]);
        assert_eq!(tokens(Kind::Embedding, r#"{"input":["a","b","c"]}"#), [1, 1, 1]);
    }

    /// 16 ids make a block, whatever their texts' lengths, also across messages.
    #[test]
    fn blocks_are_tokens_where_tokens_are_told_apart() {
        let encoder = std::sync::Arc::new(|text: &str| {
            text.split_whitespace().map(|word| word.len() as u32).collect::<Vec<_>>()
        });
        let config = SimConfig { context_tokens: 100, ..SimConfig::default() };
        let read = |body: String| {
            let job = read_job(Kind::Chat, body.as_bytes(), &config, &PromptTokens::Encoded(encoder.clone())).unwrap();
            job.prompts.into_iter().next().unwrap()
        };
        let one = read(format!(r#"{{"messages":[{{"content":"{}"}}]}}"#, "long word ".repeat(17)));
        let two = read(format!(
            r#"{{"messages":[{{"content":"{}"}},{{"content":"{}"}}]}}"#,
            "long word ".repeat(5),
            "mine also ".repeat(12)
        ));
        assert_eq!((one.tokens, one.blocks.len()), (34, 2));
        assert_eq!((two.tokens, two.blocks.len()), (34, 2));
        assert_eq!(one.blocks, two.blocks);
    }

    #[test]
    fn null_is_absent() {
        let job = read(
            Kind::Chat,
            r#"{"model":"m","messages":[{"content":"a"}],"stream":null,"max_tokens":null,"stream_options":null,"n":null}"#,
        )
        .unwrap();
        assert_eq!((job.model.as_str(), job.is_stream, job.wish), ("m", false, LengthWish::default()));
    }

    #[test]
    fn the_newer_name_of_the_maximum_wins() {
        let body = r#"{"prompt":"a","max_tokens":5,"max_completion_tokens":7,"min_tokens":6,"ignore_eos":true}"#;
        let wish = read(Kind::Completion, body).unwrap().wish;
        assert_eq!(wish, LengthWish { max: Some(7), min: 6, ignore_eos: true });
    }

    #[test]
    fn wrong_requests_are_refused() {
        for body in [
            "",
            "{",
            "[]",
            "{}",
            r#"{"prompt":[]}"#,
            r#"{"prompt":{"a":1}}"#,
            r#"{"prompt":"a","max_tokens":0}"#,
            r#"{"prompt":"a","max_tokens":-1}"#,
            r#"{"prompt":"a","max_tokens":100}"#,
            r#"{"prompt":"a","max_tokens":5,"min_tokens":6}"#,
            r#"{"prompt":"a","n":2}"#,
        ] {
            assert_eq!(read(Kind::Completion, body).unwrap_err().status, 400, "{body}");
        }
        assert_eq!(read(Kind::Chat, r#"{"messages":[]}"#).unwrap_err().status, 400);
        let long = format!(r#"{{"prompt":"{}"}}"#, "a".repeat(400));
        assert!(read(Kind::Completion, &long).unwrap_err().message.contains("maximum context length is 100 tokens"));
        assert!(read(Kind::Completion, r#"{"prompt":"a","max_tokens":99}"#).is_ok());
    }
}
