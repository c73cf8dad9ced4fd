//! A value that is an empty string in the file when it is absent.

use serde::de::{DeserializeOwned, Error};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

/// A value or an empty string.
#[derive(Clone, Debug, PartialEq)]
pub struct Blank<T>(pub Option<T>);

impl<T> Default for Blank<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T: Serialize> Serialize for Blank<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.0 {
            Some(value) => value.serialize(serializer),
            None => serializer.serialize_str(""),
        }
    }
}

impl<'de, T: DeserializeOwned> Deserialize<'de> for Blank<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Value::deserialize(deserializer)? {
            Value::Null => Ok(Self(None)),
            Value::String(text) if text.is_empty() => Ok(Self(None)),
            value => serde_json::from_value(value).map(|value| Self(Some(value))).map_err(D::Error::custom),
        }
    }
}
