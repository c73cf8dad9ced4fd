//! A piece of media, ready to be put into a request.

use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::{Facts, Format};

/// A piece of media: a data URI, built once and shared, or a URL that the server fetches.
#[derive(Clone, Debug, PartialEq)]
pub struct Media {
    uri: Arc<str>,
    mime: Option<Arc<str>>,
    format: Option<Format>,
    facts: Facts,
}

/// What an `input_audio` part of a chat message holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InputAudio<'a> {
    /// The bytes, in base64.
    pub data: &'a str,
    /// The format's name, such as `wav`.
    pub format: &'static str,
}

impl Media {
    /// Encodes the bytes of a file.
    pub(crate) fn inline(bytes: &[u8], format: Format, facts: Facts) -> Self {
        let uri = data_uri(bytes, format.mime()).into();
        Self { uri, mime: Some(format.mime().into()), format: Some(format), facts }
    }

    /// Keeps a data URI that was found well formed.
    pub(crate) fn kept(uri: &str, mime: &str, format: Option<Format>, facts: Facts) -> Self {
        Self { uri: uri.into(), mime: Some(mime.into()), format, facts }
    }

    /// Keeps the URL of a remote file.
    pub(crate) fn remote(url: &str) -> Self {
        Self { uri: url.into(), mime: None, format: None, facts: Facts::default() }
    }

    /// The data URI, or the URL of a remote file.
    pub fn uri(&self) -> &Arc<str> {
        &self.uri
    }

    /// The media type; none if the file is remote.
    pub fn mime(&self) -> Option<&str> {
        self.mime.as_deref()
    }

    /// The format; none if the file is remote or its format is not known.
    pub fn format(&self) -> Option<Format> {
        self.format
    }

    /// What is known of the content.
    pub fn facts(&self) -> Facts {
        self.facts
    }

    /// Whether the bytes are here, rather than on a server.
    pub fn is_inline(&self) -> bool {
        self.mime.is_some()
    }

    /// The bytes in base64; none if the file is remote.
    pub fn base64(&self) -> Option<&str> {
        if self.is_inline() { self.uri.split_once(',').map(|(_, data)| data) } else { None }
    }

    /// The bytes, as form uploads need them; none if the file is remote.
    pub fn bytes(&self) -> Option<Vec<u8>> {
        STANDARD.decode(self.base64()?).ok()
    }

    /// What an `input_audio` part holds; none if the file is remote or in no known format.
    pub fn input_audio(&self) -> Option<InputAudio<'_>> {
        Some(InputAudio { data: self.base64()?, format: self.format?.name() })
    }
}

/// The data URI of some bytes.
pub fn data_uri(bytes: &[u8], mime: &str) -> String {
    let mut uri = String::with_capacity("data:;base64,".len() + mime.len() + bytes.len().div_ceil(3) * 4);
    uri.push_str("data:");
    uri.push_str(mime);
    uri.push_str(";base64,");
    STANDARD.encode_string(bytes, &mut uri);
    uri
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_go_into_a_data_uri_and_come_back() {
        assert_eq!(data_uri(b"light w", "image/png"), "data:image/png;base64,bGlnaHQgdw==");
        let media = Media::inline(b"light w", Format::Wav, Facts::default());
        assert_eq!(&**media.uri(), "data:audio/wav;base64,bGlnaHQgdw==");
        assert_eq!(media.bytes().unwrap(), b"light w");
        assert_eq!(media.input_audio().unwrap(), InputAudio { data: "bGlnaHQgdw==", format: "wav" });
        assert_eq!((media.mime(), media.format()), (Some("audio/wav"), Some(Format::Wav)));
    }

    #[test]
    fn a_remote_file_has_a_url_alone() {
        let media = Media::remote("https://example.com/a,b.wav");
        assert_eq!(&**media.uri(), "https://example.com/a,b.wav");
        assert_eq!((media.base64(), media.bytes(), media.input_audio(), media.mime()), (None, None, None, None));
    }
}
