//! Requests as JSON, one list of elements for each tensor, and as messages.

use base64::Engine as _;
use serde_json::{Map, Value};
use thiserror::Error;

use crate::ENABLE_EMPTY_FINAL_RESPONSE;
use crate::messages::{InferParameter, InferTensor, ModelInferRequest, ModelMetadataResponse};
use crate::tensor::{Datatype, values_of};

/// Whose inputs a model has: which tensors there are, and how they look where the server does not say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// TensorRT-LLM's ensemble: a tensor for each parameter, with a batch in front.
    TensorRtLlm,
    /// vLLM's backend: the parameters as JSON in one text.
    Vllm,
}

impl Layout {
    /// The datatype of one of its inputs.
    fn datatype(self, name: &str) -> Option<Datatype> {
        Some(match (self, name) {
            (_, "text_input") | (Self::Vllm, "sampling_parameters" | "image") => Datatype::Bytes,
            (_, "stream" | "exclude_input_in_output") => Datatype::Bool,
            (Self::Vllm, _) => return None,
            (Self::TensorRtLlm, "stop_words" | "bad_words") => Datatype::Bytes,
            (Self::TensorRtLlm, "random_seed" | "seed") => Datatype::Uint(8),
            (
                Self::TensorRtLlm,
                "temperature" | "top_p" | "length_penalty" | "repetition_penalty" | "presence_penalty"
                | "frequency_penalty",
            ) => Datatype::Float(4),
            (Self::TensorRtLlm, _) => return None,
        })
    }
}

/// Why a request cannot be made of tensors.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TensorError {
    /// The body is no JSON object.
    #[error("the request is no JSON object of tensors")]
    NoObject,
    /// The model takes numbers that cannot be sent.
    #[error("the input `{name}` has the datatype {datatype}, which cannot be sent")]
    Datatype {
        /// The tensor.
        name: String,
        /// What the server says it is.
        datatype: String,
    },
    /// An element is of the wrong kind.
    #[error("the input `{name}` takes {datatype}, which {value} is not")]
    Element {
        /// The tensor.
        name: String,
        /// What it takes.
        datatype: &'static str,
        /// The first element.
        value: String,
    },
}

/// What is known of a model's inputs.
#[derive(Clone, Debug)]
pub struct ModelInputs {
    layout: Layout,
    /// Name, datatype and shape, if the server told.
    told: Vec<(String, String, Vec<i64>)>,
}

impl ModelInputs {
    /// The inputs of a layout, where the server does not say more.
    #[must_use]
    pub const fn of_layout(layout: Layout) -> Self {
        Self { layout, told: Vec::new() }
    }

    /// The inputs that the server says the model has.
    #[must_use]
    pub fn told(layout: Layout, metadata: ModelMetadataResponse) -> Self {
        let told = metadata.inputs.into_iter().map(|input| (input.name, input.datatype, input.shape));
        Self { layout, told: told.collect() }
    }

    fn datatype(&self, name: &str, values: &[Value]) -> Result<Datatype, TensorError> {
        if let Some((_, datatype, _)) = self.told.iter().find(|(known, ..)| known == name) {
            return Datatype::of(datatype)
                .ok_or_else(|| TensorError::Datatype { name: name.to_owned(), datatype: datatype.clone() });
        }
        let guess = || values.first().map_or(Datatype::Bytes, Datatype::of_value);
        Ok(self.layout.datatype(name).unwrap_or_else(guess))
    }

    /// The shape of so many elements: they go along the last dimension that is open, and one of each other open one.
    fn shape(&self, name: &str, count: usize) -> Vec<i64> {
        let count = i64::try_from(count).unwrap_or(i64::MAX);
        let Some((.., told)) = self.told.iter().find(|(known, ..)| known == name).filter(|(.., told)| !told.is_empty())
        else {
            return match self.layout {
                Layout::TensorRtLlm => vec![1, count],
                Layout::Vllm => vec![count],
            };
        };
        let mut shape: Vec<i64> = told.iter().map(|&size| if size < 0 { 1 } else { size }).collect();
        let taken: i64 = shape.iter().product();
        if let Some(open) = told.iter().rposition(|&size| size < 0).or(shape.len().checked_sub(1))
            && count != taken
            && let Some(size) = shape.get_mut(open)
        {
            let others = (taken / (*size).max(1)).max(1);
            *size = count / others;
        }
        shape
    }
}

/// A request of a body: an object with a list of elements for each tensor, or `{"content": […], "shape": […]}`, or
/// `{"b64": "…"}` for bytes; an element alone is a list of one. `model`, if it is there, is the model and no tensor.
///
/// # Errors
/// What is no tensor.
pub fn infer_request(body: &[u8], model: &str, inputs: &ModelInputs) -> Result<ModelInferRequest, TensorError> {
    let Ok(Value::Object(fields)) = serde_json::from_slice::<Value>(body) else { return Err(TensorError::NoObject) };
    let mut request = ModelInferRequest { model_name: model.to_owned(), ..ModelInferRequest::default() };
    request.parameters.insert(ENABLE_EMPTY_FINAL_RESPONSE.to_owned(), InferParameter::bool(true));
    for (name, value) in fields {
        if name == "model" {
            if let Value::String(model) = value {
                request.model_name = model;
            }
            continue;
        }
        // What is null is not sent.
        if value.is_null() {
            continue;
        }
        let (values, shape) = elements(value);
        let datatype = inputs.datatype(&name, &values)?;
        let raw = datatype.raw(&values).ok_or_else(|| TensorError::Element {
            name: name.clone(),
            datatype: datatype.name(),
            value: values.first().map(Value::to_string).unwrap_or_default(),
        })?;
        let shape = shape.unwrap_or_else(|| inputs.shape(&name, values.len()));
        request.inputs.push(InferTensor { name, datatype: datatype.name().to_owned(), shape, contents: None });
        request.raw_input_contents.push(raw);
    }
    Ok(request)
}

/// A tensor's elements, and its shape if it is given.
fn elements(value: Value) -> (Vec<Value>, Option<Vec<i64>>) {
    match value {
        Value::Array(values) => (flat(values), None),
        Value::Object(mut fields) if fields.contains_key("content") => {
            let shape = fields.get("shape").and_then(Value::as_array);
            let shape = shape.map(|sizes| sizes.iter().filter_map(Value::as_i64).collect());
            let content = fields.remove("content").unwrap_or_default();
            (elements(content).0, shape)
        }
        Value::Object(fields) if fields.len() == 1 && decoded(&fields).is_some() => {
            (decoded(&fields).into_iter().collect(), None)
        }
        value => (vec![value], None),
    }
}

fn flat(values: Vec<Value>) -> Vec<Value> {
    let each = values.into_iter().map(|value| match value {
        Value::Array(inner) => flat(inner),
        value => vec![value],
    });
    each.flatten().collect()
}

fn decoded(fields: &Map<String, Value>) -> Option<Value> {
    let bytes = base64::engine::general_purpose::STANDARD.decode(fields.get("b64")?.as_str()?).ok()?;
    String::from_utf8(bytes).ok().map(Value::from)
}

/// The tensors of a request as JSON, an element alone without its list.
#[must_use]
pub fn inputs_of(request: &ModelInferRequest) -> Map<String, Value> {
    let mut fields = Map::new();
    for (index, tensor) in request.inputs.iter().enumerate() {
        let Some(mut values) = values_of(tensor, request.raw_input_contents.get(index)) else { continue };
        let value = if values.len() == 1 { values.remove(0) } else { Value::Array(values) };
        fields.insert(tensor.name.clone(), value);
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::messages::TensorMetadata;
    use serde_json::json;

    fn told(inputs: &[(&str, &str, &[i64])]) -> ModelInputs {
        let inputs = inputs.iter().map(|(name, datatype, shape)| TensorMetadata {
            name: (*name).to_owned(),
            datatype: (*datatype).to_owned(),
            shape: shape.to_vec(),
        });
        let metadata = ModelMetadataResponse { inputs: inputs.collect(), ..ModelMetadataResponse::default() };
        ModelInputs::told(Layout::TensorRtLlm, metadata)
    }

    fn request(body: &Value, inputs: &ModelInputs) -> ModelInferRequest {
        infer_request(body.to_string().as_bytes(), "m", inputs).unwrap()
    }

    fn looks(request: &ModelInferRequest) -> Vec<(&str, &str, &[i64])> {
        request.inputs.iter().map(|t| (t.name.as_str(), t.datatype.as_str(), t.shape.as_slice())).collect()
    }

    #[test]
    fn a_layout_says_what_its_tensors_are() {
        let body = json!({"model": "other", "text_input": ["hi"], "max_tokens": [7], "stream": [true],
            "temperature": [1], "stop_words": ["a", "b"], "custom": [0.5], "left_out": null});
        let made = request(&body, &ModelInputs::of_layout(Layout::TensorRtLlm));
        assert_eq!(made.model_name, "other");
        assert!(made.parameters[ENABLE_EMPTY_FINAL_RESPONSE].is_true());
        assert_eq!(
            looks(&made),
            [
                ("text_input", "BYTES", &[1, 1][..]),
                ("max_tokens", "INT32", &[1, 1]),
                ("stream", "BOOL", &[1, 1]),
                ("temperature", "FP32", &[1, 1]),
                ("stop_words", "BYTES", &[1, 2]),
                ("custom", "FP32", &[1, 1]),
            ]
        );
        let vllm = json!({"text_input": ["hi"], "sampling_parameters": ["{\"max_tokens\":\"8\"}"]});
        let made = request(&vllm, &ModelInputs::of_layout(Layout::Vllm));
        assert_eq!(looks(&made), [("text_input", "BYTES", &[1][..]), ("sampling_parameters", "BYTES", &[1])]);
        assert_eq!(made.raw_input_contents[0].as_ref(), b"\x02\0\0\0hi");
        assert_eq!(
            Value::Object(inputs_of(&made)),
            json!({"text_input": "hi", "sampling_parameters": "{\"max_tokens\":\"8\"}"})
        );
    }

    #[test]
    fn what_the_server_says_goes_before_the_layout() {
        let inputs = told(&[
            ("text_input", "BYTES", &[-1, 1]),
            ("max_tokens", "INT64", &[1]),
            ("stop_words", "BYTES", &[-1, -1]),
            ("pair", "FP64", &[-1, 2]),
            ("half", "FP16", &[1]),
        ]);
        let body = json!({"text_input": "hi", "max_tokens": 7, "stop_words": ["a", "b"], "pair": [[1, 2], [3, 4]]});
        assert_eq!(
            looks(&request(&body, &inputs)),
            [
                ("text_input", "BYTES", &[1, 1][..]),
                ("max_tokens", "INT64", &[1]),
                ("stop_words", "BYTES", &[1, 2]),
                ("pair", "FP64", &[2, 2]),
            ]
        );
        let error = |body: Value| infer_request(body.to_string().as_bytes(), "m", &inputs).unwrap_err().to_string();
        assert_eq!(error(json!({"half": [1.0]})), "the input `half` has the datatype FP16, which cannot be sent");
        assert_eq!(error(json!({"max_tokens": ["x"]})), "the input `max_tokens` takes INT64, which \"x\" is not");
        assert_eq!(error(json!([])), "the request is no JSON object of tensors");
    }

    #[test]
    fn contents_may_come_with_a_shape_or_in_base64() {
        let inputs = ModelInputs::of_layout(Layout::TensorRtLlm);
        let body = json!({"input_ids": {"content": [1, 2, 3], "shape": [1, 3]}, "text_input": {"b64": "aGk="}});
        let made = request(&body, &inputs);
        assert_eq!(looks(&made), [("input_ids", "INT32", &[1, 3][..]), ("text_input", "BYTES", &[1, 1])]);
        assert_eq!(made.raw_input_contents[1].as_ref(), b"\x02\0\0\0hi");
    }
}
