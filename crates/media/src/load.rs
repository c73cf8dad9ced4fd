//! Media that the user names: files, URLs, data URIs.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use url::Url;

use crate::kept::Kept;
use crate::{Facts, Format, Kind, Media, MediaError};

/// How many encoded bytes of files are kept for other rows.
const KEPT_BYTES: usize = 256 << 20;

/// Turns references into media; shared by threads. A file that many rows name is read and encoded once, as long as
/// it is among the files used last.
#[derive(Debug)]
pub struct Loader {
    base: PathBuf,
    kept: Mutex<Kept>,
}

impl Loader {
    /// A loader whose relative paths start at a folder.
    pub fn new(base: impl Into<PathBuf>) -> Self {
        Self { base: base.into(), kept: Mutex::new(Kept::new(KEPT_BYTES)) }
    }

    /// The media of a reference:
    /// - a data URI in base64 is kept as it is;
    /// - an http or https URL is kept for the server to fetch;
    /// - `FORMAT,BASE64` (such as `wav,UklGR…`) becomes a data URI, if it is audio that is wanted;
    /// - anything else, or a `file:` URL, is the path of a file, whose first bytes tell its format.
    ///
    /// # Errors
    /// A reference that is malformed, unreadable, in no known format, or of another kind than the one wanted.
    pub fn load(&self, reference: &str, kind: Kind) -> Result<Media, MediaError> {
        if let Some(rest) = strip_scheme(reference, "data:") {
            return data(reference, rest, kind);
        }
        if kind == Kind::Audio
            && let Some((name, text)) = reference.split_once(',')
            && let Some(format) = Format::of_name(name)
        {
            return named(reference, format, text);
        }
        match reference.split_once("://") {
            Some((scheme, _)) if is_scheme(scheme) => match url(reference)? {
                Some(path) => self.file(path, kind),
                None => Ok(Media::remote(reference)),
            },
            _ => self.file(self.base.join(reference), kind),
        }
    }

    /// The media of a file.
    fn file(&self, path: PathBuf, kind: Kind) -> Result<Media, MediaError> {
        let kept = || self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(media) = kept().find(&path) {
            return of_kind(media, kind, &path.to_string_lossy());
        }
        let media = self.read(&path, kind)?;
        kept().insert(path, media.clone());
        Ok(media)
    }

    /// Reads and encodes a file.
    fn read(&self, path: &Path, kind: Kind) -> Result<Media, MediaError> {
        let unreadable = |source| MediaError::Io { path: path.to_owned(), base: self.base.clone(), source };
        // A device would never end, a pipe might never begin.
        if !fs::metadata(path).map_err(unreadable)?.is_file() {
            return Err(MediaError::NotAFile { path: path.to_owned(), kind });
        }
        let bytes = fs::read(path).map_err(unreadable)?;
        let origin = path.to_string_lossy();
        let Some(format) = Format::of_bytes(&bytes) else {
            return Err(MediaError::Unrecognised { origin: origin.into(), kind });
        };
        check_kind(format, kind, &origin)?;
        let facts =
            Facts::read(&bytes, format).map_err(|reason| MediaError::Undecodable { path: path.to_owned(), reason })?;
        Ok(Media::inline(&bytes, format, facts))
    }
}

/// What follows a scheme, whose case does not matter.
fn strip_scheme<'a>(reference: &'a str, scheme: &str) -> Option<&'a str> {
    let head = reference.get(..scheme.len())?;
    head.eq_ignore_ascii_case(scheme).then(|| &reference[scheme.len()..])
}

/// Whether a text can be the scheme of a URL (RFC 3986); one letter alone would be a drive.
fn is_scheme(text: &str) -> bool {
    text.len() > 1
        && text.starts_with(|first: char| first.is_ascii_alphabetic())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
}

/// Checks a URL; the path if it is that of a file here.
fn url(reference: &str) -> Result<Option<PathBuf>, MediaError> {
    let unusable = |reason: &str| MediaError::Url { url: reference.into(), reason: reason.into() };
    let url = Url::parse(reference).map_err(|fault| unusable(&fault.to_string()))?;
    match url.scheme() {
        "http" | "https" => Ok(None),
        "file" => url.to_file_path().map(Some).map_err(|()| unusable("it names no file on this machine")),
        scheme => Err(unusable(&format!("the scheme `{scheme}` is not supported"))),
    }
}

/// Checks a data URI and keeps it.
fn data(reference: &str, rest: &str, kind: Kind) -> Result<Media, MediaError> {
    let malformed = |reason: String| MediaError::Inline { start: start(reference), kind, reason };
    let (head, text) = rest.split_once(',').ok_or_else(|| malformed("it has no comma before the data".into()))?;
    let mut parts = head.split(';');
    let mime = parts.next().unwrap_or_default();
    if !parts.any(|part| part.eq_ignore_ascii_case("base64")) {
        return Err(malformed("its data is not marked as base64".into()));
    }
    let of_kind =
        mime.split_once('/').is_some_and(|(top, sub)| top.eq_ignore_ascii_case(kind.name()) && !sub.is_empty());
    if !of_kind {
        let found = if mime.is_empty() { "data of no given type".into() } else { mime.into() };
        return Err(MediaError::WrongKind { origin: start(reference), found, wanted: kind });
    }
    let bytes = decode(text).map_err(malformed)?;
    // The type is the user's word, so what its data really are is not judged; only facts are taken from them.
    let facts = Format::of_bytes(&bytes).and_then(|format| Facts::read(&bytes, format).ok()).unwrap_or_default();
    Ok(Media::kept(reference, mime, Format::of_mime(mime), facts))
}

/// Checks audio given as `FORMAT,BASE64`.
fn named(reference: &str, format: Format, text: &str) -> Result<Media, MediaError> {
    check_kind(format, Kind::Audio, &start(reference))?;
    let malformed = |reason| MediaError::Inline { start: start(reference), kind: Kind::Audio, reason };
    let bytes = decode(text).map_err(malformed)?;
    Ok(Media::inline(&bytes, format, Facts::read(&bytes, format).unwrap_or_default()))
}

/// The bytes of a base64 text, which must not be empty.
fn decode(text: &str) -> Result<Vec<u8>, String> {
    let bytes = STANDARD.decode(text).map_err(|fault| format!("its base64 is damaged ({fault})"))?;
    if bytes.is_empty() { Err("it holds no data".into()) } else { Ok(bytes) }
}

/// Checks that a format is of the kind that is wanted.
fn check_kind(format: Format, wanted: Kind, origin: &str) -> Result<(), MediaError> {
    if format.kind() == wanted {
        return Ok(());
    }
    let found = format!("{} ({})", format.kind(), format.name());
    Err(MediaError::WrongKind { origin: origin.into(), found, wanted })
}

/// Checks that media that were kept are of the kind that is wanted.
fn of_kind(media: Media, wanted: Kind, origin: &str) -> Result<Media, MediaError> {
    match media.format() {
        Some(format) => check_kind(format, wanted, origin).map(|()| media),
        None => Ok(media),
    }
}

/// The first characters of a reference that may be megabytes long.
fn start(reference: &str) -> String {
    reference.chars().take(40).collect()
}
