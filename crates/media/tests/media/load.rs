//! References of the user's.

use std::fs;
use std::sync::Arc;

use proptest::prelude::*;
use tokamark_media::{
    AudioFormat, AudioMaker, AudioSpec, Format, ImageFormat, ImageMaker, ImageSource, ImageSpec, Kind, Loader, Media,
    MediaError, Sampling, Spread, data_uri,
};

/// The bytes of a picture of 12 × 7.
fn picture(format: ImageFormat) -> Vec<u8> {
    let spec = ImageSpec {
        width: Spread::fixed(12.0),
        height: Spread::fixed(7.0),
        format,
        source: ImageSource::Noise,
        sampling: Sampling::SequentialCycle,
    };
    ImageMaker::new(spec, 1).unwrap().image(0).unwrap().bytes().unwrap()
}

/// The bytes of half a second of sound.
fn sound(format: AudioFormat) -> Vec<u8> {
    let length_s = Spread::fixed(0.5);
    let spec = AudioSpec { length_s, format, depths: vec![24], sample_rates_khz: vec![8.0], channels: 2 };
    AudioMaker::new(spec, 1).unwrap().audio(0).unwrap().bytes().unwrap()
}

fn load(reference: &str, kind: Kind) -> Result<Media, MediaError> {
    Loader::new(".").load(reference, kind)
}

#[test]
fn files_are_inlined_by_their_first_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let webm = b"\x1a\x45\xdf\xa3\x87\x42\x82\x84webm....".to_vec();
    let cases = [
        (picture(ImageFormat::Png), Kind::Image, Format::Png),
        (picture(ImageFormat::Jpeg), Kind::Image, Format::Jpeg),
        (picture(ImageFormat::WebP), Kind::Image, Format::WebP),
        (sound(AudioFormat::Wav), Kind::Audio, Format::Wav),
        (sound(AudioFormat::Mp3), Kind::Audio, Format::Mp3),
        (webm, Kind::Video, Format::Webm),
    ];
    let loader = Loader::new(folder.path());
    for (at, (bytes, kind, format)) in cases.into_iter().enumerate() {
        // The name tells nothing.
        let name = format!("file {at}.bin");
        fs::write(folder.path().join(&name), &bytes).unwrap();
        let media = loader.load(&name, kind).unwrap();
        assert_eq!((media.format(), media.mime()), (Some(format), Some(format.mime())));
        assert_eq!(**media.uri(), data_uri(&bytes, format.mime()));
        assert_eq!(media.bytes().unwrap(), bytes);
        let facts = media.facts();
        if kind == Kind::Image {
            assert_eq!((facts.width, facts.height), (Some(12), Some(7)));
        }
        if kind == Kind::Audio {
            assert_eq!(facts.duration_s, Some(0.5));
        }
        let absolute = folder.path().join(&name);
        assert_eq!(load(absolute.to_str().unwrap(), kind).unwrap(), media);
        let url = url::Url::from_file_path(&absolute).unwrap();
        assert_eq!(load(url.as_str(), kind).unwrap(), media);
    }
}

#[test]
fn a_file_is_read_and_encoded_once() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.png");
    fs::write(&path, picture(ImageFormat::Png)).unwrap();
    let loader = Loader::new(folder.path());
    let first = loader.load("a.png", Kind::Image).unwrap();
    fs::remove_file(&path).unwrap();
    let again = loader.load("a.png", Kind::Image).unwrap();
    assert!(Arc::ptr_eq(first.uri(), again.uri()));
    assert!(matches!(loader.load("a.png", Kind::Audio), Err(MediaError::WrongKind { .. })));
    assert!(matches!(loader.load("b.png", Kind::Image), Err(MediaError::Io { .. })));
}

#[test]
fn a_data_uri_is_kept_as_it_is() {
    let png = picture(ImageFormat::Png);
    for uri in [data_uri(&png, "image/png"), data_uri(&png, "image/png").replacen("data:image", "DATA:Image", 1)] {
        let media = load(&uri, Kind::Image).unwrap();
        assert_eq!(**media.uri(), uri);
        assert_eq!((media.format(), media.bytes().unwrap()), (Some(Format::Png), png.clone()));
        assert_eq!((media.facts().width, media.facts().height), (Some(12), Some(7)));
    }
    let other = load("data:audio/aac;codecs=mp4a;base64,AAAA", Kind::Audio).unwrap();
    assert_eq!((other.mime(), other.format(), other.input_audio()), (Some("audio/aac"), None, None));
    let wav = sound(AudioFormat::Wav);
    let media = load(&data_uri(&wav, "audio/x-wav"), Kind::Audio).unwrap();
    assert_eq!((media.input_audio().unwrap().format, media.facts().duration_s), ("wav", Some(0.5)));
}

#[test]
fn a_url_is_left_to_the_server() {
    for url in ["https://example.com/a.png?x=1,2", "http://127.0.0.1:8000/b", "HTTPS://EXAMPLE.com/c"] {
        let media = load(url, Kind::Image).unwrap();
        assert_eq!((&**media.uri(), media.is_inline(), media.bytes()), (url, false, None));
    }
}

#[test]
fn audio_may_be_a_format_and_its_base64() {
    let wav = sound(AudioFormat::Wav);
    let uri = data_uri(&wav, "audio/wav");
    let text = uri.split_once(',').unwrap().1;
    let media = load(&format!("wav,{text}"), Kind::Audio).unwrap();
    assert_eq!((&**media.uri(), media.facts().duration_s), (&*uri, Some(0.5)));
    assert_eq!(media.input_audio().unwrap().format, "wav");
    // For other kinds it is but a file's name.
    assert!(matches!(load("png,AAAA", Kind::Image), Err(MediaError::Io { .. })));
    assert!(matches!(load("png,AAAA", Kind::Audio), Err(MediaError::WrongKind { .. })));
    assert!(matches!(load("wav,A!", Kind::Audio), Err(MediaError::Inline { .. })));
    assert!(matches!(load("wav,", Kind::Audio), Err(MediaError::Inline { .. })));
}

/// The message of a refusal.
fn refusal(reference: &str, kind: Kind) -> String {
    load(reference, kind).unwrap_err().to_string()
}

#[test]
fn malformed_references_are_refused_with_the_reason() {
    let cases = [
        ("data:image/png;base64", "no comma"),
        ("data:image/png,abc", "not marked as base64"),
        ("data:image/png;base64,####", "its base64 is damaged"),
        ("data:image/png;base64,AAA", "its base64 is damaged"),
        ("data:image/png;base64,", "it holds no data"),
        ("data:audio/wav;base64,AAAA", "is audio/wav, but image is wanted here; give a png, jpeg, webp, gif or bmp"),
        ("data:image;base64,AAAA", "is image, but image is wanted"),
        ("data:;base64,AAAA", "is data of no given type, but image is wanted"),
        ("ftp://example.com/a.png", "the scheme `ftp` is not supported; give an http:// or https:// URL"),
        ("s3://bucket/a.png", "the scheme `s3` is not supported"),
        ("https://", "is not a usable URL"),
        ("http://exa mple.com/a", "is not a usable URL"),
        ("file://other-machine/a.png", "it names no file on this machine"),
    ];
    for (reference, reason) in cases {
        let message = refusal(reference, Kind::Image);
        assert!(message.contains(reason), "{reference}: {message}");
    }
    let long = refusal(&format!("data:image/png;base64,{}", "#".repeat(10_000)), Kind::Image);
    assert!(long.len() < 300, "{long}");
}

#[test]
fn bad_files_are_refused_by_name() {
    let folder = tempfile::tempdir().unwrap();
    let png = picture(ImageFormat::Png);
    let bad: [(&str, &[u8]); 4] =
        [("empty.png", b""), ("text.png", b"hello"), ("cut.png", &png[..20]), ("cut.wav", b"RIFF\0\0\0\0WAVEfmt ")];
    for (name, content) in bad {
        fs::write(folder.path().join(name), content).unwrap();
    }
    fs::write(folder.path().join("sound.png"), sound(AudioFormat::Wav)).unwrap();
    let loader = Loader::new(folder.path());
    let fault = |name: &str, kind| loader.load(name, kind).unwrap_err();
    let shown = |name: &str| folder.path().join(name).display().to_string();

    let missing = fault("missing.png", Kind::Image);
    assert!(matches!(&missing, MediaError::Io { path, base, .. }
        if *path == folder.path().join("missing.png") && base == folder.path()));
    assert!(missing.to_string().contains("check the path"), "{missing}");
    assert!(matches!(fault(".", Kind::Image), MediaError::NotAFile { kind: Kind::Image, .. }));
    for name in ["empty.png", "text.png"] {
        let fault = fault(name, Kind::Image);
        assert!(matches!(&fault, MediaError::Unrecognised { origin, .. } if *origin == shown(name)));
        assert!(fault.to_string().contains("in no known image format; give a png, jpeg, webp, gif or bmp"), "{fault}");
    }
    assert!(matches!(fault("cut.png", Kind::Image), MediaError::Undecodable { .. }));
    assert!(matches!(fault("cut.wav", Kind::Audio), MediaError::Undecodable { .. }));
    let wrong = fault("sound.png", Kind::Image).to_string();
    assert!(wrong.contains("is audio (wav), but image is wanted here"), "{wrong}");
    assert!(wrong.contains(&shown("sound.png")));
}

#[cfg(unix)]
#[test]
fn what_never_ends_is_not_read() {
    assert!(matches!(load("/dev/zero", Kind::Image), Err(MediaError::NotAFile { .. })));
}

proptest! {
    #[test]
    fn any_reference_is_an_answer_or_a_refusal(reference in "\\PC{0,60}", which in 0..3usize) {
        let kind = [Kind::Image, Kind::Audio, Kind::Video][which];
        if let Err(fault) = load(&reference, kind) {
            prop_assert!(!fault.to_string().is_empty());
        }
    }

    #[test]
    fn any_bytes_of_any_format_are_an_answer_or_a_refusal(
        start in prop::sample::select(vec![
            b"RIFF\0\0\0\0WAVE".to_vec(), b"GIF89a".to_vec(), b"fLaC".to_vec(), b"BM".to_vec(),
            b"\x89PNG\r\n\x1a\n".to_vec(), b"\xff\xd8\xff".to_vec(), b"OggS".to_vec(), b"ID3\x04\0\0\0\0\0\0".to_vec(), b"\xff\xfb\x90\xc0".to_vec(), b"RIFF\0\0\0\0WEBP".to_vec(),
        ]),
        rest in prop::collection::vec(any::<u8>(), 0..80),
    ) {
        let bytes = [start, rest].concat();
        let media = load(&data_uri(&bytes, "image/png"), Kind::Image).unwrap();
        prop_assert_eq!(media.bytes().unwrap(), bytes);
    }
}
