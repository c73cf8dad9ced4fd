//! Formats of media files, and how their first bytes tell them apart.

use std::fmt;

/// What a piece of media is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// A picture.
    Image,
    /// Sound.
    Audio,
    /// A clip.
    Video,
}

impl Kind {
    /// The word that media types of this kind start with.
    pub fn name(self) -> &'static str {
        match self {
            Self::Image => "image",
            Self::Audio => "audio",
            Self::Video => "video",
        }
    }

    /// The formats of this kind that are known, in words.
    pub(crate) fn formats(self) -> &'static str {
        match self {
            Self::Image => "a png, jpeg, webp, gif or bmp",
            Self::Audio => "a wav, mp3, flac or ogg",
            Self::Video => "an mp4 or webm",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A format of media files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// Portable Network Graphics.
    Png,
    /// JPEG.
    Jpeg,
    /// WebP.
    WebP,
    /// Graphics Interchange Format.
    Gif,
    /// Windows bitmap.
    Bmp,
    /// RIFF WAVE.
    Wav,
    /// MPEG audio layer III.
    Mp3,
    /// Free Lossless Audio Codec.
    Flac,
    /// Ogg.
    Ogg,
    /// ISO base media (MPEG-4 part 14).
    Mp4,
    /// WebM.
    Webm,
}

impl Format {
    /// All that are known.
    const ALL: [Self; 11] = [
        Self::Png,
        Self::Jpeg,
        Self::WebP,
        Self::Gif,
        Self::Bmp,
        Self::Wav,
        Self::Mp3,
        Self::Flac,
        Self::Ogg,
        Self::Mp4,
        Self::Webm,
    ];

    /// What it is for.
    pub fn kind(self) -> Kind {
        match self {
            Self::Png | Self::Jpeg | Self::WebP | Self::Gif | Self::Bmp => Kind::Image,
            Self::Wav | Self::Mp3 | Self::Flac | Self::Ogg => Kind::Audio,
            Self::Mp4 | Self::Webm => Kind::Video,
        }
    }

    /// The name that request bodies use, such as `wav` in an `input_audio`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Png => "png",
            Self::Jpeg => "jpeg",
            Self::WebP => "webp",
            Self::Gif => "gif",
            Self::Bmp => "bmp",
            Self::Wav => "wav",
            Self::Mp3 => "mp3",
            Self::Flac => "flac",
            Self::Ogg => "ogg",
            Self::Mp4 => "mp4",
            Self::Webm => "webm",
        }
    }

    /// The media type.
    pub fn mime(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
            Self::WebP => "image/webp",
            Self::Gif => "image/gif",
            Self::Bmp => "image/bmp",
            Self::Wav => "audio/wav",
            Self::Mp3 => "audio/mpeg",
            Self::Flac => "audio/flac",
            Self::Ogg => "audio/ogg",
            Self::Mp4 => "video/mp4",
            Self::Webm => "video/webm",
        }
    }

    /// The format of a name, whatever its case.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name().eq_ignore_ascii_case(name))
    }

    /// The format of a media type; the common second names (`image/jpg`, `audio/mp3`, `audio/x-wav` …) are known too.
    pub fn of_mime(mime: &str) -> Option<Self> {
        let mime = mime.to_ascii_lowercase();
        Self::ALL.into_iter().find(|format| format.mime() == mime).or(match mime.as_str() {
            "image/jpg" => Some(Self::Jpeg),
            "audio/x-wav" | "audio/wave" | "audio/vnd.wave" => Some(Self::Wav),
            "audio/mp3" => Some(Self::Mp3),
            "audio/x-flac" => Some(Self::Flac),
            _ => None,
        })
    }

    /// The format of a file, from its first bytes.
    pub fn of_bytes(bytes: &[u8]) -> Option<Self> {
        let at = |offset: usize, magic: &[u8]| bytes.get(offset..).is_some_and(|rest| rest.starts_with(magic));
        Some(match bytes {
            _ if at(0, b"\x89PNG\r\n\x1a\n") => Self::Png,
            _ if at(0, b"\xff\xd8\xff") => Self::Jpeg,
            _ if at(0, b"RIFF") && at(8, b"WEBP") => Self::WebP,
            _ if at(0, b"GIF87a") || at(0, b"GIF89a") => Self::Gif,
            _ if is_bmp(bytes) => Self::Bmp,
            _ if at(0, b"RIFF") && at(8, b"WAVE") => Self::Wav,
            _ if at(0, b"fLaC") => Self::Flac,
            _ if at(0, b"OggS") => Self::Ogg,
            _ if at(0, b"ID3") || is_mp3_frame(bytes) => Self::Mp3,
            _ if at(4, b"ftyp") && !["avif", "avis", "heic", "heix", "mif1"].iter().any(|b| at(8, b.as_bytes())) => {
                Self::Mp4
            }
            _ if is_webm(bytes) => Self::Webm,
            _ => return None,
        })
    }
}

/// `BM`, and a header of one of the lengths there are: two letters alone would take texts for pictures.
fn is_bmp(bytes: &[u8]) -> bool {
    bytes.starts_with(b"BM")
        && bytes.get(14..18).is_some_and(|size| matches!(size, [12 | 16 | 40 | 52 | 56 | 64 | 108 | 124, 0, 0, 0]))
}

/// The header of an MPEG audio frame of layer III: 11 set bits, a version, the layer, a legal rate.
fn is_mp3_frame(bytes: &[u8]) -> bool {
    let [0xff, second, third, ..] = *bytes else { return false };
    let version = (second >> 3) & 3;
    let bitrate = third >> 4;
    second >> 5 == 7 && version != 1 && (second >> 1) & 3 == 1 && (1..15).contains(&bitrate) && (third >> 2) & 3 != 3
}

/// An EBML header whose document type (element 0x4282) is `webm`; other Matroska files are not for requests.
fn is_webm(bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(64)];
    head.starts_with(b"\x1a\x45\xdf\xa3") && head.windows(7).any(|window| window == b"\x42\x82\x84webm")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_bytes_tell_the_format() {
        let bmp = [b"BM\x3a\0\0\0\0\0\0\0\x36\0\0\0".as_slice(), &[40, 0, 0, 0]].concat();
        let cases: [(&[u8], Option<Format>); 22] = [
            (b"\x89PNG\r\n\x1a\n....", Some(Format::Png)),
            (b"\xff\xd8\xff\xe0", Some(Format::Jpeg)),
            (b"RIFF\0\0\0\0WEBPVP8 ", Some(Format::WebP)),
            (b"GIF89a", Some(Format::Gif)),
            (&bmp, Some(Format::Bmp)),
            (b"BMW is a maker of cars", None),
            (b"RIFF\0\0\0\0WAVEfmt ", Some(Format::Wav)),
            (b"RIFF\0\0\0\0AVI LIST", None),
            (b"fLaC", Some(Format::Flac)),
            (b"OggS", Some(Format::Ogg)),
            (b"ID3\x04", Some(Format::Mp3)),
            (b"\xff\xfb\x90\x00", Some(Format::Mp3)),
            (b"\xff\xf3\x48\xc4", Some(Format::Mp3)),
            (b"\xff\xf1\x50\x80", None), // AAC in ADTS: layer bits 00.
            (b"\xff\xfb\xf0\x00", None), // No such bit rate.
            (b"\0\0\0\x20ftypisom", Some(Format::Mp4)),
            (b"\0\0\0\x20ftypavif", None),
            (b"\x1a\x45\xdf\xa3\x9f\x42\x86\x81\x01\x42\x82\x84webm", Some(Format::Webm)),
            (b"\x1a\x45\xdf\xa3\x9f\x42\x86\x81\x01\x42\x82\x88matroska", None),
            (b"RIFF", None),
            (b"\xff", None),
            (b"", None),
        ];
        for (bytes, format) in cases {
            assert_eq!(Format::of_bytes(bytes), format, "{bytes:?}");
        }
    }

    #[test]
    fn names_and_media_types_lead_back_to_their_format() {
        for format in Format::ALL {
            assert_eq!(Format::of_name(&format.name().to_uppercase()), Some(format));
            assert_eq!(Format::of_mime(&format.mime().to_uppercase()), Some(format));
            assert!(format.mime().starts_with(format.kind().name()));
        }
        assert_eq!(Format::of_mime("image/jpg"), Some(Format::Jpeg));
        assert_eq!((Format::of_name("aac"), Format::of_mime("text/plain")), (None, None));
    }
}
