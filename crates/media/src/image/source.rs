//! Finite sources of pictures: those that are drawn by the program, and the files of a folder.

use std::borrow::Cow;
use std::fs;
use std::path::{Path, PathBuf};

use image::RgbImage;

use super::{ImageSource, pictures};
use crate::MediaError;

/// How many decoded bytes of a folder are kept in memory; files beyond them are decoded each time.
const KEPT_BYTES: usize = 256 << 20;

/// A picture of a finite source.
#[derive(Debug)]
pub(super) enum Picture {
    /// Its pixels.
    Decoded(RgbImage),
    /// Its file, which was found decodable.
    File(PathBuf),
}

impl Picture {
    /// Its pixels.
    pub(super) fn pixels(&self) -> Result<Cow<'_, RgbImage>, MediaError> {
        match self {
            Self::Decoded(pixels) => Ok(Cow::Borrowed(pixels)),
            Self::File(path) => decode(path).map(Cow::Owned),
        }
    }
}

/// The pictures of a source; none for noise.
pub(super) fn open(source: &ImageSource) -> Result<Vec<Picture>, MediaError> {
    match source {
        ImageSource::Noise => Ok(Vec::new()),
        ImageSource::Pictures => Ok(pictures::all().into_iter().map(Picture::Decoded).collect()),
        ImageSource::Folder(folder) => open_folder(folder),
    }
}

/// The pictures of a folder, each decoded once, so that a bad file shows before the load starts.
fn open_folder(folder: &Path) -> Result<Vec<Picture>, MediaError> {
    let unreadable = |source| MediaError::Folder { folder: folder.to_owned(), source };
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if has_picture_name(&path) && path.is_file() {
            paths.push(path);
        }
    }
    if paths.is_empty() {
        return Err(MediaError::NoPicture { folder: folder.to_owned() });
    }
    // A folder's own order differs from machine to machine.
    paths.sort_unstable_by(|a, b| a.file_name().cmp(&b.file_name()));
    let mut kept = 0;
    let mut pictures = Vec::with_capacity(paths.len());
    for path in paths {
        let pixels = decode(&path)?;
        kept += pixels.as_raw().len();
        pictures.push(if kept <= KEPT_BYTES { Picture::Decoded(pixels) } else { Picture::File(path) });
    }
    Ok(pictures)
}

/// Whether a file's name says that it is a picture.
fn has_picture_name(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    ["png", "jpg", "jpeg", "webp"].iter().any(|known| extension.eq_ignore_ascii_case(known))
}

/// Decodes a file by its content, whatever its name says; transparency is dropped.
fn decode(path: &Path) -> Result<RgbImage, MediaError> {
    let undecodable = |reason: String| MediaError::Undecodable { path: path.to_owned(), reason };
    let bytes = fs::read(path).map_err(|fault| undecodable(fault.to_string()))?;
    Ok(image::load_from_memory(&bytes).map_err(|fault| undecodable(fault.to_string()))?.to_rgb8())
}
