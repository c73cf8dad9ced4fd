//! Triton over gRPC, in the layouts of its two backends for language models.
//!
//! A body is a JSON object with a list of elements for each tensor, as GenAI-Perf's `inputs.json` has it; the messages are made
//! of it where the model's own description is known.

use bytes::Bytes;
use serde_json::{Map, Value, json};
use tokamark_conversation::Turn;
use tokamark_kserve::Layout;
use tokamark_plan::EndpointKind;
use tokamark_wire::{Answer, EventInfo, kserve};

use crate::message::texts_of;
use crate::{BodyOptions, Dialect, Request, body, messages_of};

/// The most tokens of an answer where the request does not say, as GenAI-Perf has it; TensorRT-LLM needs some number.
const DEFAULT_MAX_TOKENS: u64 = 256;
/// vLLM's parameters for one request, as JSON in a text.
const SAMPLING_PARAMETERS: &str = "sampling_parameters";
/// The inputs of vLLM's backend beside those that every body has. Any other extra input is a sampling parameter.
const VLLM_INPUTS: [&str; 9] = [
    SAMPLING_PARAMETERS,
    "text_input",
    "stream",
    "exclude_input_in_output",
    "image",
    "return_finish_reason",
    "return_cumulative_logprob",
    "return_num_input_tokens",
    "return_num_output_tokens",
];

pub(crate) static TENSORRTLLM: Kserve = Kserve { kind: EndpointKind::KserveTensorrtllm };
pub(crate) static VLLM: Kserve = Kserve { kind: EndpointKind::KserveVllm };

/// The dialect of one backend.
#[derive(Debug)]
pub(crate) struct Kserve {
    kind: EndpointKind,
}

/// The layout of the tensors that an endpoint's bodies are sent as; none if they are sent as they are.
#[must_use]
pub fn tensor_layout(kind: EndpointKind) -> Option<Layout> {
    match kind {
        EndpointKind::KserveTensorrtllm => Some(Layout::TensorRtLlm),
        EndpointKind::KserveVllm => Some(Layout::Vllm),
        _ => None,
    }
}

impl Dialect for Kserve {
    fn kind(&self) -> EndpointKind {
        self.kind
    }

    /// The parameter that marks the last response is Triton's own; elsewhere the call's status is the end.
    fn marks_end(&self) -> bool {
        false
    }

    fn body(&self, request: Request<'_>, options: &BodyOptions) -> Bytes {
        let turn = request.turn;
        if let Some(given) = body::given(turn) {
            return given;
        }
        let own = messages_of(turn);
        // There are no roles here: what was said before is simply the text that goes before.
        let text = texts_of(request.past).chain(texts_of(&own)).collect::<Vec<_>>().join("\n\n");
        let mut fields = body::with_model(turn, options);
        fields.insert("text_input".to_owned(), json!([text]));
        let extra = options.extra.iter().chain(&turn.extra);
        if self.kind == EndpointKind::KserveVllm {
            add_common(&mut fields, options);
            add_vllm(&mut fields, turn, extra);
        } else {
            fields.insert("max_tokens".to_owned(), json!([turn.output_tokens.unwrap_or(DEFAULT_MAX_TOKENS)]));
            add_common(&mut fields, options);
            extra.for_each(|(name, value)| add_tensor(&mut fields, name, value));
        }
        body::write(&fields)
    }

    fn read_event(&self, _name: &[u8], data: &[u8], answer: &mut Answer) -> EventInfo {
        kserve::read_message(data, answer)
    }

    fn read_body(&self, _body: &[u8], _answer: &mut Answer) -> Result<EventInfo, String> {
        Err("the answer is no gRPC: is this the server's gRPC port?".to_owned())
    }
}

fn add_common(fields: &mut Map<String, Value>, options: &BodyOptions) {
    fields.insert("exclude_input_in_output".to_owned(), json!([true]));
    if options.streaming {
        fields.insert("stream".to_owned(), json!([true]));
    }
}

fn add_vllm<'a>(fields: &mut Map<String, Value>, turn: &Turn, extra: impl Iterator<Item = (&'a String, &'a Value)>) {
    let mut parameters = Map::new();
    if let Some(tokens) = turn.output_tokens {
        // As a text, which GenAI-Perf sends and the backend turns into a number.
        parameters.insert("max_tokens".to_owned(), tokens.to_string().into());
    }
    let mut inputs = Vec::new();
    for (name, value) in extra {
        if VLLM_INPUTS.contains(&name.as_str()) {
            inputs.push((name, value));
        } else {
            parameters.insert(name.clone(), value.clone());
        }
    }
    if !parameters.is_empty() {
        fields.insert(SAMPLING_PARAMETERS.to_owned(), json!([Value::Object(parameters).to_string()]));
    }
    inputs.into_iter().for_each(|(name, value)| add_tensor(fields, name, value));
}

/// A tensor of one element, or of a list's.
fn add_tensor(fields: &mut Map<String, Value>, name: &str, value: &Value) {
    let elements =
        if value.is_array() || value.is_object() || value.is_null() { value.clone() } else { json!([value]) };
    fields.insert(name.to_owned(), elements);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(extra: &Value, streaming: bool) -> BodyOptions {
        let extra = extra.as_object().cloned().unwrap_or_default();
        BodyOptions { model: "m".to_owned(), streaming, legacy_max_tokens: false, extra }
    }

    fn body(dialect: &Kserve, output_tokens: Option<u64>, options: &BodyOptions) -> Value {
        let turn = Turn { output_tokens, ..Turn::text(0, "hi") };
        serde_json::from_slice(&dialect.body((&turn).into(), options)).unwrap()
    }

    #[test]
    fn tensorrtllm_has_a_tensor_for_each_parameter() {
        assert_eq!(
            body(&TENSORRTLLM, Some(7), &options(&json!({"min_length": 7, "stop_words": ["a", "b"]}), true))
                .to_string(),
            json!({"model": "m", "text_input": ["hi"], "max_tokens": [7], "exclude_input_in_output": [true],
                "stream": [true], "min_length": [7], "stop_words": ["a", "b"]})
            .to_string()
        );
        assert_eq!(
            body(&TENSORRTLLM, None, &options(&json!({}), false)),
            json!({"model": "m", "text_input": ["hi"], "max_tokens": [256], "exclude_input_in_output": [true]})
        );
    }

    #[test]
    fn vllm_has_its_parameters_in_a_text() {
        let extra = json!({"temperature": 0.5, "ignore_eos": true, "return_num_output_tokens": true});
        assert_eq!(
            body(&VLLM, Some(8), &options(&extra, true)).to_string(),
            json!({"model": "m", "text_input": ["hi"], "exclude_input_in_output": [true], "stream": [true],
                "sampling_parameters": ["{\"max_tokens\":\"8\",\"temperature\":0.5,\"ignore_eos\":true}"],
                "return_num_output_tokens": [true]})
            .to_string()
        );
        let own = json!({"sampling_parameters": "{\"max_tokens\":3}"});
        assert_eq!(body(&VLLM, Some(8), &options(&own, false))["sampling_parameters"], json!(["{\"max_tokens\":3}"]));
        assert!(body(&VLLM, None, &options(&json!({}), false)).get("sampling_parameters").is_none());
    }
}
