//! What requests ask for.

use std::borrow::Cow;
use std::hash::{DefaultHasher, Hasher};

use serde::Deserialize;

use super::{ApiError, Kind, Target};
use crate::config::{PromptTokens, SimConfig};
use crate::draw::LengthWish;
use crate::prefix::BlockHasher;

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
    /// A whole answer is put into a list.
    pub(crate) in_list: bool,
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
    max_output_tokens: Option<u64>,
    #[serde(borrow)]
    instructions: Option<Cow<'a, str>>,
    #[serde(borrow)]
    system: Option<Content<'a>>,
    #[serde(borrow)]
    text_input: Option<Input<'a>>,
    #[serde(borrow)]
    inputs: Option<Cow<'a, str>>,
    parameters: Option<Parameters>,
    #[serde(borrow)]
    query: Option<Passage<'a>>,
    #[serde(borrow)]
    passages: Option<Vec<Passage<'a>>>,
    #[serde(borrow)]
    documents: Option<Vec<Passage<'a>>>,
    #[serde(borrow)]
    texts: Option<Vec<Passage<'a>>>,
}

/// Of text-generation-inference.
#[derive(Deserialize)]
struct Parameters {
    max_new_tokens: Option<u64>,
}

/// A query or passage.
#[derive(Deserialize)]
#[serde(untagged)]
enum Passage<'a> {
    Text(#[serde(borrow)] Cow<'a, str>),
    Part(#[serde(borrow)] Part<'a>),
}

impl Passage<'_> {
    fn text(&self) -> &str {
        match self {
            Self::Text(text) => text,
            Self::Part(part) => part.text.as_deref().unwrap_or_default(),
        }
    }
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
    /// Items of a response, or images.
    Items(#[serde(borrow)] Vec<Message<'a>>),
}

/// Reads a request's body.
pub(crate) fn read_job(
    target: &Target,
    body: &[u8],
    config: &SimConfig,
    tokens: &PromptTokens,
) -> Result<Job, ApiError> {
    let kind = target.kind;
    let fields: Fields<'_> = serde_json::from_slice(body)
        .map_err(|error| ApiError::bad_request(format!("the body is not a valid request: {error}")))?;
    let named = target.model.clone().or_else(|| fields.model.as_deref().map(str::to_owned));
    let model = named.or_else(|| config.models.first().cloned()).unwrap_or_else(|| "sim".to_owned());
    if !config.models.is_empty() && !config.models.contains(&model) {
        return Err(ApiError::not_found(format!("the model `{model}` does not exist")));
    }
    if fields.n.is_some_and(|n| n != 1) {
        return Err(ApiError::bad_request("n: the simulated server gives one answer to each prompt"));
    }
    let prompts = prompts_of(kind, &fields, tokens)?;
    if prompts.is_empty() {
        return Err(ApiError::bad_request("the list of prompts is empty"));
    }
    let wish = if kind.generates() {
        let max = fields.max_completion_tokens.or(fields.max_tokens).or(fields.max_output_tokens);
        LengthWish {
            max: max.or_else(|| fields.parameters.as_ref()?.max_new_tokens),
            min: fields.min_tokens.unwrap_or(0),
            ignore_eos: fields.ignore_eos.unwrap_or(false),
        }
    } else {
        LengthWish { max: Some(0), ..LengthWish::default() }
    };
    if kind == Kind::Message && wish.max.is_none() {
        return Err(ApiError::bad_request("max_tokens: field required"));
    }
    let job = Job {
        kind,
        model,
        is_stream: target.is_stream.or(fields.stream).unwrap_or(false) && kind.generates(),
        include_usage: fields.stream_options.and_then(|options| options.include_usage).unwrap_or(false),
        prompts,
        wish,
        is_base64: fields.encoding_format.is_some_and(|format| format == "base64"),
        dimensions: fields.dimensions.filter(|dimensions| (1..=65_536).contains(dimensions)),
        in_list: target.in_list,
    };
    check_lengths(&job, config.longest())?;
    Ok(job)
}

fn prompts_of(kind: Kind, fields: &Fields<'_>, tokens: &PromptTokens) -> Result<Vec<Prompt>, ApiError> {
    let required = |name: &str| ApiError::bad_request(format!("{name}: field required"));
    let of_messages = || {
        let messages = fields.messages.as_ref().ok_or_else(|| required("messages"))?;
        if messages.is_empty() {
            return Err(ApiError::bad_request("messages: expected at least one"));
        }
        let system = fields.system.iter().flat_map(Content::texts);
        Ok(vec![prompt_of(system.chain(messages.iter().flat_map(Message::texts)), tokens)])
    };
    match kind {
        Kind::Chat | Kind::Message => of_messages(),
        Kind::Completion => Ok(input_prompts(fields.prompt.as_ref().ok_or_else(|| required("prompt"))?, tokens)),
        Kind::Embedding if fields.input.is_none() && fields.messages.is_some() => of_messages(),
        Kind::Embedding | Kind::Boxes => {
            Ok(input_prompts(fields.input.as_ref().ok_or_else(|| required("input"))?, tokens))
        }
        Kind::Response => {
            let instructions = fields.instructions.as_deref().into_iter();
            match fields.input.as_ref().ok_or_else(|| required("input"))? {
                Input::Text(text) => Ok(vec![prompt_of(instructions.chain([text.as_ref()]), tokens)]),
                Input::Items(items) => {
                    Ok(vec![prompt_of(instructions.chain(items.iter().flat_map(Message::texts)), tokens)])
                }
                _ => Err(ApiError::bad_request("input: expected a text or a list of items")),
            }
        }
        Kind::Triton => Ok(input_prompts(fields.text_input.as_ref().ok_or_else(|| required("text_input"))?, tokens)),
        Kind::HuggingFace => Ok(vec![prompt_of([fields.inputs.as_deref().ok_or_else(|| required("inputs"))?], tokens)]),
        Kind::NimRanking | Kind::CohereRanking | Kind::TeiRanking => {
            let (name, passages) = match kind {
                Kind::NimRanking => ("passages", &fields.passages),
                Kind::CohereRanking => ("documents", &fields.documents),
                _ => ("texts", &fields.texts),
            };
            let query = fields.query.as_ref().ok_or_else(|| required("query"))?.text();
            let passages = passages.as_ref().ok_or_else(|| required(name))?;
            Ok(passages.iter().map(|passage| prompt_of([query, passage.text()], tokens)).collect())
        }
    }
}

fn check_lengths(job: &Job, longest: u64) -> Result<(), ApiError> {
    let generates = job.kind.generates();
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

impl Content<'_> {
    fn texts(&self) -> Vec<&str> {
        match self {
            Self::Text(text) => vec![text.as_ref()],
            Self::Parts(parts) => parts.iter().filter_map(|part| part.text.as_deref()).collect(),
        }
    }
}

impl Message<'_> {
    /// All its texts in order. Roles and a chat template cost nothing here.
    fn texts(&self) -> Vec<&str> {
        self.content.as_ref().map(Content::texts).unwrap_or_default()
    }
}

fn input_prompts(input: &Input<'_>, tokens: &PromptTokens) -> Vec<Prompt> {
    match input {
        Input::Text(text) => vec![prompt_of([text.as_ref()], tokens)],
        Input::Texts(texts) => texts.iter().map(|text| prompt_of([text.as_ref()], tokens)).collect(),
        Input::Ids(ids) if ids.is_empty() => Vec::new(),
        Input::Ids(ids) => vec![prompt_of_ids(ids)],
        Input::IdLists(lists) => lists.iter().map(|ids| prompt_of_ids(ids)).collect(),
        Input::Items(items) => items.iter().map(|item| prompt_of(item.texts(), tokens)).collect(),
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

    fn target(kind: Kind) -> Target {
        Target { kind, model: None, is_stream: None, in_list: false }
    }

    fn read(kind: Kind, body: &str) -> Result<Job, ApiError> {
        let config = SimConfig { context_tokens: 100, ..SimConfig::default() };
        read_job(&target(kind), body.as_bytes(), &config, &PromptTokens::Counted(counter(Counting::Bytes)))
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
        assert_eq!(tokens(Kind::Embedding, r#"{"messages":[{"role":"user","content":"abcde"}]}"#), [2]);
    }

    #[test]
    fn every_api_has_its_own_prompt() {
        for (kind, body, expected) in [
            (Kind::Response, r#"{"input":"abcde","instructions":"abcd"}"#, vec![3]),
            (
                Kind::Response,
                r#"{"input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"abcde"}]},
                    {"type":"function_call_output","call_id":"c","output":"x"}]}"#,
                vec![2],
            ),
            (
                Kind::Message,
                r#"{"max_tokens":5,"system":[{"type":"text","text":"abcd"}],"messages":[{"role":"user","content":"abcde"}]}"#,
                vec![3],
            ),
            (Kind::Triton, r#"{"text_input":["abcde","a"]}"#, vec![2, 1]),
            (Kind::HuggingFace, r#"{"inputs":"abcde","parameters":{"max_new_tokens":5}}"#, vec![2]),
            (Kind::NimRanking, r#"{"query":{"text":"abcd"},"passages":[{"text":"abcde"},{"text":"a"}]}"#, vec![3, 2]),
            (Kind::CohereRanking, r#"{"query":"abcd","documents":["abcde",{"text":"a"}]}"#, vec![3, 2]),
            (Kind::TeiRanking, r#"{"query":"abcd","texts":["abcde"]}"#, vec![3]),
            (
                Kind::Boxes,
                r#"{"input":[{"type":"image_url","url":"data:a"},{"type":"image_url","url":"data:b"}]}"#,
                vec![1, 1],
            ),
        ] {
            assert_eq!(tokens(kind, body), expected, "{body}");
            assert_eq!(read(kind, "{}").unwrap_err().status, 400, "{kind:?}");
        }
        let wish = |kind, body| read(kind, body).unwrap().wish.max;
        assert_eq!(wish(Kind::Response, r#"{"input":"a","max_output_tokens":7}"#), Some(7));
        assert_eq!(wish(Kind::HuggingFace, r#"{"inputs":"a","parameters":{"max_new_tokens":7}}"#), Some(7));
        let without = read(Kind::Message, r#"{"messages":[{"role":"user","content":"a"}]}"#).unwrap_err();
        assert_eq!(without.message, "max_tokens: field required");
    }

    /// 16 ids make a block, whatever their texts' lengths, also across messages.
    #[test]
    fn blocks_are_tokens_where_tokens_are_told_apart() {
        let encoder =
            std::sync::Arc::new(|text: &str| text.split_whitespace().map(|word| word.len() as u32).collect::<Vec<_>>());
        let config = SimConfig { context_tokens: 100, ..SimConfig::default() };
        let read = |body: String| {
            let job = read_job(&target(Kind::Chat), body.as_bytes(), &config, &PromptTokens::Encoded(encoder.clone()))
                .unwrap();
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
