//! Whole bodies of answers that consist of tokens.

use super::frame::{details, finish_reason, message_usage, response_end, response_usage};
use super::{Frame, Kind, Usage, json_string};

/// One sequence of an answer.
#[derive(Clone, Debug)]
pub(crate) struct WholeSequence {
    pub(crate) reasoning: String,
    pub(crate) text: String,
    pub(crate) at_max: bool,
}

/// The body of an answer. `frame` is that of its first sequence.
pub(crate) fn whole_body(frame: &Frame, sequences: &[WholeSequence], usage: &Usage, in_list: bool) -> String {
    match frame.kind {
        Kind::Chat | Kind::Completion => choices(frame, sequences, usage),
        Kind::Response => sequences.first().map(|sequence| response(frame, sequence, usage)).unwrap_or_default(),
        Kind::Message => sequences.first().map(|sequence| message(frame, sequence, usage)).unwrap_or_default(),
        Kind::HuggingFace => {
            let sequence = sequences.first();
            let text = json_string(sequence.map_or("", |sequence| &sequence.text));
            let reason = finish_reason(frame.kind, sequence.is_some_and(|sequence| sequence.at_max));
            let body = format!(r#"{{"generated_text":{text},"details":{}}}"#, details(reason, usage));
            if in_list { format!("[{body}]") } else { body }
        }
        _ => {
            let texts: Vec<_> = sequences.iter().map(|sequence| json_string(&sequence.text)).collect();
            let output = match texts.as_slice() {
                [text] => text.clone(),
                texts => format!("[{}]", texts.join(",")),
            };
            format!(r#"{{"model_name":{},"model_version":"1","text_output":{output}}}"#, frame.model)
        }
    }
}

fn choices(frame: &Frame, sequences: &[WholeSequence], usage: &Usage) -> String {
    let is_chat = frame.kind == Kind::Chat;
    let object = if is_chat { "chat.completion" } else { "text_completion" };
    let choices: Vec<_> = sequences
        .iter()
        .enumerate()
        .map(|(index, sequence)| {
            let text = json_string(&sequence.text);
            let said = if is_chat {
                let reasoning = match sequence.reasoning.as_str() {
                    "" => "null".to_owned(),
                    reasoning => json_string(reasoning),
                };
                format!(r#""message":{{"role":"assistant","reasoning_content":{reasoning},"content":{text}}}"#)
            } else {
                format!(r#""text":{text}"#)
            };
            let reason = finish_reason(frame.kind, sequence.at_max);
            format!(r#"{{"index":{index},{said},"logprobs":null,"finish_reason":"{reason}"}}"#)
        })
        .collect();
    let Frame { id, created, model, .. } = frame;
    format!(
        r#"{{"id":"{id}","object":"{object}","created":{created},"model":{model},"choices":[{}],"usage":{}}}"#,
        choices.join(","),
        usage.json()
    )
}

fn response(frame: &Frame, sequence: &WholeSequence, usage: &Usage) -> String {
    let reasoning = match sequence.reasoning.as_str() {
        "" => String::new(),
        text => format!(
            r#"{{"type":"reasoning","summary":[],"content":[{{"type":"reasoning_text","text":{}}}]}},"#,
            json_string(text)
        ),
    };
    let output = format!(
        r#"[{reasoning}{{"type":"message","role":"assistant","content":[{{"type":"output_text","text":{}}}]}}]"#,
        json_string(&sequence.text)
    );
    let (status, details) = response_end(sequence.at_max);
    frame.response(status, &output, details, &response_usage(usage))
}

fn message(frame: &Frame, sequence: &WholeSequence, usage: &Usage) -> String {
    let thinking = match sequence.reasoning.as_str() {
        "" => String::new(),
        text => format!(r#"{{"type":"thinking","thinking":{}}},"#, json_string(text)),
    };
    let Frame { id, model, .. } = frame;
    format!(
        r#"{{"id":"{id}","type":"message","role":"assistant","model":{model},"content":[{thinking}{{"type":"text","text":{}}}],"stop_reason":"{}","usage":{}}}"#,
        json_string(&sequence.text),
        finish_reason(frame.kind, sequence.at_max),
        message_usage(usage)
    )
}
