//! Events of a stream, put together from parts that are made once for each answer.

use super::{Frame, Kind};
use crate::http::push_chunk_head;
use crate::tokens::word;

/// The constant parts of one sequence's events.
#[derive(Clone, Debug)]
pub(crate) struct EventTemplate {
    pub(crate) frame: Frame,
    /// All before the words of a content event.
    content: Vec<u8>,
    /// All before the words of a reasoning event; empty if there is none.
    reasoning: Vec<u8>,
    /// All after the words.
    closing: &'static [u8],
}

impl EventTemplate {
    pub(crate) fn new(frame: Frame) -> Self {
        let (index, place) = (frame.index, frame.text_place());
        let (content, reasoning, closing): (_, _, &[u8]) = match frame.kind {
            Kind::Chat => (
                format!(r#"{}{{"index":{index},"delta":{{"content":""#, frame.choices()),
                format!(r#"{}{{"index":{index},"delta":{{"reasoning_content":""#, frame.choices()),
                b"\"},\"logprobs\":null,\"finish_reason\":null}]}\n\n",
            ),
            Kind::Response => {
                (delta("output_text", &frame.id, place), delta("reasoning_text", &frame.id, 0), b"\"}\n\n")
            }
            Kind::Message => (
                block_delta(place, r#""type":"text_delta","text":""#),
                block_delta(0, r#""type":"thinking_delta","thinking":""#),
                b"\"}}\n\n",
            ),
            Kind::HuggingFace => (
                r#"data:{"token":{"id":1,"text":""#.to_owned(),
                String::new(),
                b"\",\"logprob\":-0.5,\"special\":false},\"generated_text\":null,\"details\":null}\n\n",
            ),
            Kind::Triton => (
                format!(r#"data: {{"model_name":{},"model_version":"1","text_output":""#, frame.model),
                String::new(),
                b"\"}\n\n",
            ),
            _ => (
                format!(r#"{}{{"index":{index},"text":""#, frame.choices()),
                String::new(),
                b"\",\"logprobs\":null,\"finish_reason\":null}]}\n\n",
            ),
        };
        Self { frame, content: content.into_bytes(), reasoning: reasoning.into_bytes(), closing }
    }

    /// The event with token counts, where they are asked for.
    pub(crate) fn usage(&self, usage_json: &str) -> String {
        format!("{}],\"usage\":{usage_json}}}\n\n", self.frame.choices())
    }

    /// An event that breaks off in its JSON.
    pub(crate) fn malformed(&self) -> Vec<u8> {
        [self.content.as_slice(), b"\n\n"].concat()
    }
}

/// A delta of a response, up to its text.
fn delta(kind: &str, id: &str, place: usize) -> String {
    format!(
        "event: response.{kind}.delta\ndata: {{\"type\":\"response.{kind}.delta\",\"item_id\":\"{id}-{place}\",\"output_index\":{place},\"content_index\":0,\"delta\":\""
    )
}

/// A delta of a message, up to its text.
fn block_delta(place: usize, rest: &str) -> String {
    format!("event: content_block_delta\ndata: {{\"type\":\"content_block_delta\",\"index\":{place},\"delta\":{{{rest}")
}

/// Appends events to a buffer, each in a chunk of its own if the body is in chunks.
#[derive(Debug)]
pub(crate) struct EventWriter<'a> {
    pub(crate) out: &'a mut Vec<u8>,
    pub(crate) is_chunked: bool,
}

impl EventWriter<'_> {
    /// A whole event.
    pub(crate) fn event(&mut self, event: &[u8]) {
        if self.is_chunked {
            push_chunk_head(self.out, event.len());
        }
        self.out.extend_from_slice(event);
        self.end();
    }

    /// An event with words `first` to `first + count - 1` of an answer.
    pub(crate) fn words(&mut self, template: &EventTemplate, is_reasoning: bool, first: u64, count: u64) {
        let before = if is_reasoning { &template.reasoning } else { &template.content };
        if self.is_chunked {
            let words: usize = (first..first + count).map(|number| word(number).len()).sum();
            push_chunk_head(self.out, before.len() + words + template.closing.len());
        }
        self.out.extend_from_slice(before);
        for number in first..first + count {
            self.out.extend_from_slice(word(number).as_bytes());
        }
        self.out.extend_from_slice(template.closing);
        self.end();
    }

    /// The end of the body.
    pub(crate) fn finish(&mut self) {
        if self.is_chunked {
            self.out.extend_from_slice(b"0\r\n\r\n");
        }
    }

    fn end(&mut self) {
        if self.is_chunked {
            self.out.extend_from_slice(b"\r\n");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::Usage;

    fn json(event: &str) -> serde_json::Value {
        let data = event.strip_prefix("data: ").unwrap().strip_suffix("\n\n").unwrap();
        serde_json::from_str(data).unwrap()
    }

    fn template(kind: Kind, index: usize, reasons: bool) -> EventTemplate {
        let frame = Frame { kind, id: "id-1".to_owned(), model: r#""m\"x""#.to_owned(), created: 5, index, reasons };
        EventTemplate::new(frame)
    }

    #[test]
    fn every_event_is_json_of_the_right_shape() {
        let template = template(Kind::Chat, 2, true);
        let usage = Usage::default();
        let [role] = template.frame.opening(&usage).try_into().unwrap();
        assert_eq!(json(&role)["choices"][0]["delta"]["role"], "assistant");
        assert_eq!(json(&role)["model"], "m\"x");
        let [finish] = template.frame.closing(false, &usage, "").try_into().unwrap();
        assert_eq!(json(&finish)["choices"][0]["finish_reason"], "stop");
        assert_eq!(json(&template.usage(r#"{"prompt_tokens":1}"#))["usage"]["prompt_tokens"], 1);
        let mut out = Vec::new();
        let mut writer = EventWriter { out: &mut out, is_chunked: false };
        writer.words(&template, false, 9, 2);
        let event = json(std::str::from_utf8(&out).unwrap());
        assert_eq!(event["choices"][0]["delta"]["content"], format!("{}{}", word(9), word(10)));
        assert_eq!(event["choices"][0]["index"], 2);
        out.clear();
        EventWriter { out: &mut out, is_chunked: false }.words(&template, true, 0, 1);
        assert_eq!(json(std::str::from_utf8(&out).unwrap())["choices"][0]["delta"]["reasoning_content"], word(0));
    }

    #[test]
    fn chunks_have_the_length_they_say() {
        let template = template(Kind::Completion, 0, false);
        let mut plain = Vec::new();
        EventWriter { out: &mut plain, is_chunked: false }.words(&template, false, 95, 10);
        let mut out = Vec::new();
        EventWriter { out: &mut out, is_chunked: true }.words(&template, false, 95, 10);
        let expected = [format!("{:x}\r\n", plain.len()).as_bytes(), &plain, b"\r\n"].concat();
        assert_eq!(out, expected);
        let text: String = (95..105).map(word).collect();
        assert_eq!(json(std::str::from_utf8(&plain).unwrap())["choices"][0]["text"], text);
    }

    #[test]
    fn a_malformed_event_is_no_json() {
        for kind in [Kind::Chat, Kind::Completion, Kind::Response, Kind::Message, Kind::Triton, Kind::HuggingFace] {
            let event = String::from_utf8(template(kind, 0, false).malformed()).unwrap();
            let data = event.lines().find_map(|line| line.strip_prefix("data:")).unwrap();
            assert!(serde_json::from_str::<serde_json::Value>(data).is_err(), "{event}");
        }
    }
}
