//! The events around the words of a stream.

use super::{Kind, Usage, json_string};

/// What the events of one sequence have in common.
#[derive(Clone, Debug)]
pub(crate) struct Frame {
    pub(crate) kind: Kind,
    pub(crate) id: String,
    /// The model's name in JSON.
    pub(crate) model: String,
    pub(crate) created: u64,
    pub(crate) index: usize,
    /// The answer begins with reasoning.
    pub(crate) reasons: bool,
}

impl Frame {
    /// From `data:` to the choices' bracket, in OpenAI's older APIs.
    pub(crate) fn choices(&self) -> String {
        let Self { id, model, created, .. } = self;
        let object = if self.kind == Kind::Chat { "chat.completion.chunk" } else { "text_completion" };
        format!(r#"data: {{"id":"{id}","object":"{object}","created":{created},"model":{model},"choices":["#)
    }

    /// The number of the block or item that holds the text.
    pub(crate) fn text_place(&self) -> usize {
        usize::from(self.reasons)
    }

    /// Events before the first word. `usage` has the prompt's tokens.
    pub(crate) fn opening(&self, usage: &Usage) -> Vec<String> {
        let Self { id, model, .. } = self;
        match self.kind {
            Kind::Chat => vec![format!(
                "{}{{\"index\":{},\"delta\":{{\"role\":\"assistant\",\"content\":\"\"}},\"logprobs\":null,\"finish_reason\":null}}]}}\n\n",
                self.choices(),
                self.index
            )],
            Kind::Response => {
                let response = self.response("in_progress", "[]", "null", "null");
                vec![
                    event("response.created", &format!(r#""response":{response}"#)),
                    if self.reasons { self.item("reasoning", 0) } else { self.item("message", 0) },
                ]
            }
            Kind::Message => {
                let counts = counts_before(usage);
                let message = format!(
                    r#""message":{{"id":"{id}","type":"message","role":"assistant","model":{model},"content":[],"stop_reason":null,"usage":{counts}}}"#
                );
                vec![event("message_start", &message), block_start(0, self.reasons)]
            }
            _ => Vec::new(),
        }
    }

    /// Events between the reasoning and the text.
    pub(crate) fn turn_to_text(&self) -> Vec<String> {
        match self.kind {
            Kind::Response => vec![self.item("message", 1)],
            Kind::Message => vec![event("content_block_stop", r#""index":0"#), block_start(1, false)],
            _ => Vec::new(),
        }
    }

    /// Events after the last word: the finish reason and, where the API gives them unasked, the token counts. `text` is the
    /// whole visible text.
    pub(crate) fn closing(&self, at_max: bool, usage: &Usage, text: &str) -> Vec<String> {
        let reason = finish_reason(self.kind, at_max);
        match self.kind {
            Kind::Chat | Kind::Completion => {
                let empty = if self.kind == Kind::Chat { r#""delta":{}"# } else { r#""text":"""# };
                vec![format!(
                    "{}{{\"index\":{},{empty},\"logprobs\":null,\"finish_reason\":\"{reason}\"}}]}}\n\n",
                    self.choices(),
                    self.index
                )]
            }
            Kind::Response => {
                let text = json_string(text);
                let place = self.text_place();
                let done = event(
                    "response.output_text.done",
                    &format!(r#""output_index":{place},"content_index":0,"text":{text}"#),
                );
                let output = format!(
                    r#"[{{"type":"message","role":"assistant","content":[{{"type":"output_text","text":{text}}}]}}]"#
                );
                let (status, details) = response_end(at_max);
                let response = self.response(status, &output, details, &response_usage(usage));
                vec![done, event(&format!("response.{status}"), &format!(r#""response":{response}"#))]
            }
            Kind::Message => {
                let counts = format!(r#"{{"output_tokens":{}}}"#, usage.completion);
                vec![
                    event("content_block_stop", &format!(r#""index":{}"#, self.text_place())),
                    event("message_delta", &format!(r#""delta":{{"stop_reason":"{reason}"}},"usage":{counts}"#)),
                    event("message_stop", ""),
                ]
            }
            Kind::HuggingFace => vec![format!(
                "data:{{\"token\":{{\"id\":0,\"text\":\"</s>\",\"logprob\":0.0,\"special\":true}},\"generated_text\":{},\"details\":{}}}\n\n",
                json_string(text),
                details(reason, usage)
            )],
            _ => Vec::new(),
        }
    }

    /// An error in the midst of a stream.
    pub(crate) fn error(&self, message: &str) -> String {
        let message = json_string(message);
        match self.kind {
            Kind::Response => event("error", &format!(r#""code":"server_error","message":{message},"param":null"#)),
            Kind::Message => event("error", &format!(r#""error":{{"type":"api_error","message":{message}}}"#)),
            Kind::HuggingFace => format!("data:{{\"error\":{message},\"error_type\":\"generation\"}}\n\n"),
            Kind::Triton => format!("data: {{\"error\":{message}}}\n\n"),
            _ => format!(
                "data: {{\"error\":{{\"message\":{message},\"type\":\"InternalServerError\",\"param\":null,\"code\":500}}}}\n\n"
            ),
        }
    }

    /// A response, also as a whole body.
    pub(crate) fn response(&self, status: &str, output: &str, details: &str, usage: &str) -> String {
        let Self { id, model, created, .. } = self;
        format!(
            r#"{{"id":"{id}","object":"response","created_at":{created},"status":"{status}","error":null,"incomplete_details":{details},"model":{model},"output":{output},"usage":{usage}}}"#
        )
    }

    fn item(&self, kind: &str, place: usize) -> String {
        let role = if kind == "message" { r#","role":"assistant","content":[]"# } else { r#","summary":[]"# };
        event(
            "response.output_item.added",
            &format!(r#""output_index":{place},"item":{{"id":"{}-{place}","type":"{kind}"{role}}}"#, self.id),
        )
    }
}

/// An event whose name is its type.
fn event(name: &str, rest: &str) -> String {
    let comma = if rest.is_empty() { "" } else { "," };
    format!("event: {name}\ndata: {{\"type\":\"{name}\"{comma}{rest}}}\n\n")
}

fn block_start(place: usize, thinks: bool) -> String {
    let block = if thinks { r#"{"type":"thinking","thinking":""}"# } else { r#"{"type":"text","text":""}"# };
    event("content_block_start", &format!(r#""index":{place},"content_block":{block}"#))
}

/// What a cache served is counted apart, in Anthropic's API.
fn counts_before(usage: &Usage) -> String {
    format!(
        r#"{{"input_tokens":{},"cache_read_input_tokens":{},"cache_creation_input_tokens":0,"output_tokens":1}}"#,
        usage.prompt - usage.cached,
        usage.cached
    )
}

/// Anthropic's counts of a whole message.
pub(crate) fn message_usage(usage: &Usage) -> String {
    format!(
        r#"{{"input_tokens":{},"cache_read_input_tokens":{},"cache_creation_input_tokens":0,"output_tokens":{}}}"#,
        usage.prompt - usage.cached,
        usage.cached,
        usage.completion
    )
}

/// The counts of a response.
pub(crate) fn response_usage(usage: &Usage) -> String {
    let Usage { prompt, cached, completion, reasoning } = usage;
    format!(
        r#"{{"input_tokens":{prompt},"input_tokens_details":{{"cached_tokens":{cached}}},"output_tokens":{completion},"output_tokens_details":{{"reasoning_tokens":{reasoning}}},"total_tokens":{}}}"#,
        prompt + completion
    )
}

/// The status of a response that has ended, and why it is not complete.
pub(crate) fn response_end(at_max: bool) -> (&'static str, &'static str) {
    if at_max { ("incomplete", r#"{"reason":"max_output_tokens"}"#) } else { ("completed", "null") }
}

/// The details of text-generation-inference.
pub(crate) fn details(reason: &str, usage: &Usage) -> String {
    format!(
        r#"{{"finish_reason":"{reason}","generated_tokens":{},"seed":null,"input_length":{}}}"#,
        usage.completion, usage.prompt
    )
}

/// Why an answer ended, in the API's words.
pub(crate) fn finish_reason(kind: Kind, at_max: bool) -> &'static str {
    match (kind, at_max) {
        (Kind::Message, true) => "max_tokens",
        (Kind::Message, false) => "end_turn",
        (Kind::HuggingFace, false) => "eos_token",
        (_, true) => "length",
        (_, false) => "stop",
    }
}
