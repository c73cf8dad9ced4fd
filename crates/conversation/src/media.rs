//! Media of a turn.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// An image.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Image {
    /// A URL or a data URI; a path until the workload has read the file. Empty if the server is to know it by its `uuid`.
    pub uri: Arc<str>,
    /// The name by which the server may keep it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uuid: Option<String>,
}

/// An audio clip.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Audio {
    /// `wav` or `mp3`; empty while `data` is a path or a URL that the workload has not read yet.
    pub format: String,
    /// Base64.
    pub data: Arc<str>,
    /// Its length in seconds, if it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
}

/// A video.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Video {
    /// A URL or a data URI; a path until the workload has read the file.
    pub uri: Arc<str>,
}
