//! Events of a stream, put together from parts that are made once for each answer.

use super::Kind;
use crate::http::push_chunk_head;
use crate::tokens::word;

/// The constant parts of one sequence's events.
#[derive(Clone, Debug)]
pub(crate) struct EventTemplate {
    kind: Kind,
    /// From `data:` to the choices' bracket, and the choice's index.
    opening: String,
    index: usize,
    /// All before the words of a content event.
    content: Vec<u8>,
    /// All before the words of a reasoning event; empty if there is none.
    reasoning: Vec<u8>,
    /// All after the words.
    closing: &'static [u8],
}

impl EventTemplate {
    pub(crate) fn new(kind: Kind, id: &str, model_json: &str, created: u64, index: usize, reasons: bool) -> Self {
        let object = match kind {
            Kind::Chat => "chat.completion.chunk",
            _ => "text_completion",
        };
        let opening =
            format!(r#"data: {{"id":"{id}","object":"{object}","created":{created},"model":{model_json},"choices":["#);
        let (content, closing): (_, &[u8]) = match kind {
            Kind::Chat => (
                format!(r#"{opening}{{"index":{index},"delta":{{"content":""#),
                b"\"},\"logprobs\":null,\"finish_reason\":null}]}\n\n",
            ),
            _ => (
                format!(r#"{opening}{{"index":{index},"text":""#),
                b"\",\"logprobs\":null,\"finish_reason\":null}]}\n\n",
            ),
        };
        let reasoning = if reasons && kind == Kind::Chat {
            format!(r#"{opening}{{"index":{index},"delta":{{"reasoning_content":""#).into_bytes()
        } else {
            Vec::new()
        };
        Self { kind, opening, index, content: content.into_bytes(), reasoning, closing }
    }

    /// The event that announces the role.
    pub(crate) fn role(&self) -> String {
        format!(
            "{}{{\"index\":{},\"delta\":{{\"role\":\"assistant\",\"content\":\"\"}},\"logprobs\":null,\"finish_reason\":null}}]}}\n\n",
            self.opening, self.index
        )
    }

    /// The event with the finish reason.
    pub(crate) fn finish(&self, reason: &str) -> String {
        let empty = if self.kind == Kind::Chat { r#""delta":{}"# } else { r#""text":"""# };
        format!(
            "{}{{\"index\":{},{empty},\"logprobs\":null,\"finish_reason\":\"{reason}\"}}]}}\n\n",
            self.opening, self.index
        )
    }

    /// The event with token counts.
    pub(crate) fn usage(&self, usage_json: &str) -> String {
        format!("{}],\"usage\":{usage_json}}}\n\n", self.opening)
    }

    /// An event that breaks off in its JSON.
    pub(crate) fn malformed(&self) -> String {
        format!("{}{{\"index\":{},\"delta\":{{\n\n", self.opening, self.index)
    }
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

    fn json(event: &str) -> serde_json::Value {
        let data = event.strip_prefix("data: ").unwrap().strip_suffix("\n\n").unwrap();
        serde_json::from_str(data).unwrap()
    }

    #[test]
    fn every_event_is_json_of_the_right_shape() {
        let template = EventTemplate::new(Kind::Chat, "id-1", r#""m\"x""#, 5, 2, true);
        assert_eq!(json(&template.role())["choices"][0]["delta"]["role"], "assistant");
        assert_eq!(json(&template.role())["model"], "m\"x");
        assert_eq!(json(&template.finish("stop"))["choices"][0]["finish_reason"], "stop");
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
        let template = EventTemplate::new(Kind::Completion, "id", r#""m""#, 5, 0, false);
        let mut plain = Vec::new();
        EventWriter { out: &mut plain, is_chunked: false }.words(&template, false, 95, 10);
        let mut out = Vec::new();
        EventWriter { out: &mut out, is_chunked: true }.words(&template, false, 95, 10);
        let expected = [format!("{:x}\r\n", plain.len()).as_bytes(), &plain, b"\r\n"].concat();
        assert_eq!(out, expected);
        let text: String = (95..105).map(word).collect();
        assert_eq!(json(std::str::from_utf8(&plain).unwrap())["choices"][0]["text"], text);
    }
}
