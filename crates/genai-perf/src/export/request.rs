//! One request of a profile export.

use std::fmt;

use serde::de::{Deserializer, Error, MapAccess, Visitor};
use serde::ser::{SerializeMap, Serializer};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A request as perf_analyzer recorded it. Times are nanoseconds of the wall clock.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ExportRequest {
    /// When it was handed to the client.
    pub timestamp: u64,
    /// The sequence of Triton's stateful models; absent if there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sequence_id: Option<u64>,
    /// What was sent: the body as JSON text under `payload`, or one key for each tensor.
    #[serde(default)]
    pub request_inputs: Map<String, Value>,
    /// When each response came.
    #[serde(default)]
    pub response_timestamps: Vec<u64>,
    /// The responses, as many as there are times.
    #[serde(default)]
    pub response_outputs: Vec<ResponseOutput>,
}

impl ExportRequest {
    /// The body that was sent, if it was one of HTTP.
    #[must_use]
    pub fn payload(&self) -> Option<&str> {
        self.request_inputs.get("payload")?.as_str()
    }

    /// The conversation that the request belongs to.
    #[must_use]
    pub fn session_id(&self) -> Option<String> {
        match self.request_inputs.get("session_id")? {
            Value::String(id) => Some(id.clone()),
            Value::Null => None,
            other => Some(other.to_string()),
        }
    }
}

/// One response: what one read brought over HTTP, or the tensors of one gRPC message.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ResponseOutput {
    /// The bytes of the read.
    pub response: Option<RawText>,
    /// The tensors, among them `text_output` of language models and `output_ids` of engines without text.
    pub tensors: Map<String, Value>,
}

impl ResponseOutput {
    /// A response over HTTP.
    #[must_use]
    pub fn of_text(text: &str) -> Self {
        Self { response: Some(RawText(text.as_bytes().to_vec())), ..Self::default() }
    }

    /// The bytes of an HTTP response; none where there are none.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        self.response.as_ref().map_or(&[], |raw| raw.0.as_slice())
    }
}

/// Text that may break off within a character, as reads do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RawText(pub Vec<u8>);

impl RawText {
    /// The text without the bytes that are not UTF-8, which is how GenAI-Perf reads its files.
    #[must_use]
    pub fn text(&self) -> String {
        self.0.utf8_chunks().map(|chunk| chunk.valid()).collect()
    }
}

impl<'de> Deserialize<'de> for RawText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Bytes;
        impl Visitor<'_> for Bytes {
            type Value = RawText;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the text of a response")
            }

            fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<RawText, E> {
                Ok(RawText(bytes.to_vec()))
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<RawText, E> {
                Ok(RawText(text.as_bytes().to_vec()))
            }
        }
        deserializer.deserialize_bytes(Bytes)
    }
}

impl Serialize for RawText {
    /// As text; bytes that are not UTF-8 become replacement characters.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&String::from_utf8_lossy(&self.0))
    }
}

impl Serialize for ResponseOutput {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        if let Some(response) = &self.response {
            map.serialize_entry("response", response)?;
        }
        for (name, tensor) in &self.tensors {
            map.serialize_entry(name, tensor)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for ResponseOutput {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Output;
        impl<'de> Visitor<'de> for Output {
            type Value = ResponseOutput;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a response")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<ResponseOutput, M::Error> {
                let mut output = ResponseOutput::default();
                while let Some(key) = map.next_key::<String>()? {
                    if key == "response" {
                        output.response = map.next_value()?;
                    } else {
                        output.tensors.insert(key, map.next_value()?);
                    }
                }
                Ok(output)
            }
        }
        deserializer.deserialize_map(Output)
    }
}
