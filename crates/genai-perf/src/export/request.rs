//! One request of a profile export.

use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, Error, Visitor};
use serde_json::{Map, Value};

/// A request as perf_analyzer recorded it. Times are nanoseconds of the wall clock.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub struct ExportRequest {
    /// When it was handed to the client.
    pub timestamp: u64,
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
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub struct ResponseOutput {
    /// The bytes of the read.
    #[serde(default)]
    pub response: Option<RawText>,
    /// The text tensor of Triton's language-model backends.
    #[serde(default)]
    pub text_output: Option<Value>,
    /// The token ids of an engine without text.
    #[serde(default)]
    pub output_ids: Option<Value>,
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
