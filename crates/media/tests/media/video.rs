//! Clips: with a stand-in for `ffmpeg` always, with the real one where it is installed.

use tokamark_media::{AudioTrack, Ffmpeg, Format, MediaError, Pattern, VideoFormat, VideoMaker, VideoSpec};

fn spec() -> VideoSpec {
    VideoSpec {
        width: 64,
        height: 48,
        duration_s: 1.0,
        fps: 4,
        pattern: Pattern::MovingShapes,
        format: VideoFormat::Webm,
        encoder: VideoSpec::DEFAULT_ENCODER.into(),
        audio: None,
    }
}

#[test]
fn a_path_without_ffmpeg_is_told() {
    let empty = tempfile::tempdir().unwrap();
    for folders in [None, Some(empty.path().as_os_str())] {
        let fault = Ffmpeg::find_in(folders).unwrap_err();
        assert!(matches!(fault, MediaError::NoFfmpeg));
        assert!(fault.to_string().contains("`ffmpeg`, which was not found on PATH; install it"), "{fault}");
    }
}

#[test]
fn a_program_that_is_not_there_is_named() {
    let fault = VideoMaker::new(spec(), 1, Ffmpeg::at("/nonexistent/ffmpeg")).unwrap_err();
    assert!(matches!(&fault, MediaError::FfmpegStart { .. }));
    assert!(fault.to_string().starts_with("`/nonexistent/ffmpeg` cannot be run"), "{fault}");
}

#[test]
fn impossible_clips_are_refused() {
    let fault = |spec: VideoSpec| VideoMaker::new(spec, 1, Ffmpeg::at("/nonexistent/ffmpeg")).unwrap_err().to_string();
    assert!(fault(VideoSpec { width: 0, ..spec() }).starts_with("the video width cannot be 0"));
    assert!(fault(VideoSpec { height: 16_385, ..spec() }).starts_with("the video height cannot be 16385"));
    for duration_s in [0.0, -1.0, f64::NAN, 3_601.0] {
        assert!(fault(VideoSpec { duration_s, ..spec() }).starts_with("the video duration cannot be"));
    }
    assert!(fault(VideoSpec { fps: 0, ..spec() }).starts_with("the number of frames a second cannot be 0"));
    let track = AudioTrack { sample_rate_khz: 44.1, channels: 1, depth: 16, encoder: None };
    let with = |track| fault(VideoSpec { audio: Some(track), ..spec() });
    assert!(with(AudioTrack { channels: 0, ..track.clone() }).contains("channels cannot be 0"));
    assert!(with(AudioTrack { depth: 20, ..track.clone() }).contains("depth cannot be 20 bits"));
    assert!(with(AudioTrack { sample_rate_khz: 0.1, ..track }).contains("sample rate cannot be 0.1"));
}

#[cfg(unix)]
mod stand_in {
    use std::fs;
    use std::io::ErrorKind;
    use std::os::unix::fs::PermissionsExt;
    use std::process::Command;
    use std::time::Duration;

    use super::*;

    /// A script in place of `ffmpeg`, which lists one encoder and does `clip` for a clip, whose path is `$out`.
    fn program(clip: &str) -> (tempfile::TempDir, Ffmpeg) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ffmpeg");
        let list = " V....D libvpx-vp9  libvpx VP9 (codec vp9)";
        let script = format!(
            "#!/bin/sh\nif [ \"$2\" = -encoders ]; then echo '{list}'; exit 0; fi\nfor out; do :; done\n{clip}\n"
        );
        fs::write(&path, script).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        // A process that another thread was just starting may hold the script open for a moment, and then it cannot run.
        let run = || Command::new(&path).args(["-hide_banner", "-encoders"]).output();
        while run().is_err_and(|fault| fault.kind() == ErrorKind::ExecutableFileBusy) {
            std::thread::yield_now();
        }
        let ffmpeg = Ffmpeg::find_in(Some(folder.path().as_os_str())).unwrap();
        (folder, ffmpeg)
    }

    fn clip(script: &str, spec: VideoSpec) -> Result<Vec<u8>, MediaError> {
        let (_folder, ffmpeg) = program(script);
        let media = VideoMaker::new(spec, 1, ffmpeg)?.video(0)?;
        Ok(media.bytes().unwrap())
    }

    #[test]
    fn a_file_that_may_not_run_is_not_taken() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("ffmpeg"), "").unwrap();
        assert!(matches!(Ffmpeg::find_in(Some(folder.path().as_os_str())), Err(MediaError::NoFfmpeg)));
    }

    #[test]
    fn all_frames_are_fed() {
        let spec = VideoSpec { duration_s: 1.6, fps: 7, ..spec() };
        // 1.6 × 7 = 11.2 frames of 64 × 48 × 3 bytes; the program answers how many bytes it got.
        let bytes = clip("wc -c | tr -d ' \\n' > \"$out\"", spec.clone()).unwrap();
        assert_eq!(String::from_utf8(bytes).unwrap(), (11 * 64 * 48 * 3).to_string());
        let (_folder, ffmpeg) = program("cat > \"$out\"");
        let facts = VideoMaker::new(spec, 1, ffmpeg).unwrap().video(0).unwrap().facts();
        assert_eq!((facts.width, facts.height, facts.duration_s), (Some(64), Some(48), Some(11.0 / 7.0)));
    }

    #[test]
    fn frames_depend_on_seed_and_number_alone() {
        for pattern in [Pattern::MovingShapes, Pattern::GridClock, Pattern::Noise] {
            let (_folder, ffmpeg) = program("cat > \"$out\"");
            let make = |seed, number| {
                let maker = VideoMaker::new(VideoSpec { pattern, ..spec() }, seed, ffmpeg.clone()).unwrap();
                maker.video(number).unwrap().bytes().unwrap()
            };
            let first = make(1, 1);
            assert_eq!(first.len(), 4 * 64 * 48 * 3);
            assert_eq!(first, make(1, 1));
            assert!(first != make(1, 2) && first != make(2, 1));
        }
    }

    #[test]
    fn a_batch_follows_the_one_before() {
        let (_folder, ffmpeg) = program("cat > \"$out\"");
        let maker = VideoMaker::new(spec(), 1, ffmpeg).unwrap();
        assert_eq!(maker.videos(3, 2).unwrap(), [maker.video(6).unwrap(), maker.video(7).unwrap()]);
    }

    #[test]
    fn an_encoder_it_lacks_is_told_before_any_clip() {
        let (_folder, ffmpeg) = program("exit 1");
        let with = |encoder: &str| {
            VideoMaker::new(VideoSpec { encoder: encoder.into(), ..spec() }, 1, ffmpeg.clone()).map(|_| ())
        };
        let fault = with("libx265").unwrap_err();
        assert!(matches!(&fault, MediaError::NoEncoder { encoder, .. } if encoder == "libx265"));
        assert!(fault.to_string().contains("has no encoder `libx265`; choose one that `ffmpeg -encoders` lists"));
        assert!(with("vp9").is_ok() && with("libvpx").is_err() && with("").is_err());
        let track = AudioTrack { sample_rate_khz: 44.1, channels: 1, depth: 16, encoder: None };
        for (format, expected) in [(VideoFormat::Webm, "libvorbis"), (VideoFormat::Mp4, "libopus")] {
            let spec = VideoSpec { format, audio: Some(track.clone()), ..spec() };
            let fault = VideoMaker::new(spec, 1, ffmpeg.clone()).unwrap_err();
            assert!(matches!(fault, MediaError::NoEncoder { encoder, .. } if encoder == expected));
        }
    }

    #[test]
    fn what_it_said_last_is_told() {
        let fault = clip("cat > /dev/null; echo one >&2; echo two >&2; echo three >&2; echo four >&2; exit 3", spec())
            .unwrap_err()
            .to_string();
        assert!(fault.contains("exit status: 3") && fault.contains("two; three; four"), "{fault}");
        assert!(!fault.contains("one"), "{fault}");
        // Success without a clip is a failure too.
        let fault = clip("cat > /dev/null", spec()).unwrap_err().to_string();
        assert!(fault.contains("exit status: 0") && fault.contains("it said nothing"), "{fault}");
    }

    #[test]
    fn a_program_that_does_not_read_its_input_does_no_harm() {
        let spec = VideoSpec { width: 640, height: 480, ..spec() };
        assert_eq!(clip("printf clip > \"$out\"", spec).unwrap(), b"clip");
    }

    #[test]
    fn many_messages_do_not_block_it() {
        let script = "i=0; while [ $i -lt 3000 ]; do echo message number $i of many that fill a pipe >&2; i=$((i+1)); done; \
                      cat > \"$out\"";
        assert_eq!(clip(script, spec()).unwrap().len(), 4 * 64 * 48 * 3);
    }

    #[test]
    fn a_program_that_is_stuck_is_stopped() {
        let spec = VideoSpec { width: 640, height: 480, ..spec() };
        // The first reads nothing, so that the frames block; the second has a child that holds the pipes.
        for script in ["echo thinking >&2; exec sleep 1000", "echo thinking >&2; sleep 30; exit 0"] {
            let (_folder, ffmpeg) = program(script);
            let ffmpeg = ffmpeg.with_limit(Duration::from_secs(2));
            let fault = VideoMaker::new(spec.clone(), 1, ffmpeg).unwrap().video(0).unwrap_err();
            assert!(matches!(&fault, MediaError::FfmpegStuck { limit_s: 2.0, said } if said == "thinking"), "{fault}");
            assert!(fault.to_string().starts_with("ffmpeg was stopped after 2 s on one clip: thinking"), "{fault}");
        }
    }
}

/// The installed `ffmpeg`; says so if there is none, since the tests then prove nothing.
fn installed(encoders: &[&str]) -> Option<Ffmpeg> {
    let found = Ffmpeg::find().ok().filter(|ffmpeg| {
        encoders
            .iter()
            .all(|&encoder| VideoMaker::new(VideoSpec { encoder: encoder.into(), ..spec() }, 1, ffmpeg.clone()).is_ok())
    });
    if found.is_none() {
        eprintln!("skipped: no ffmpeg with {encoders:?} is installed");
    }
    found
}

#[test]
fn the_installed_ffmpeg_makes_the_same_clip_twice() {
    let Some(ffmpeg) = installed(&["libvpx-vp9"]) else { return };
    for (format, expected) in [(VideoFormat::Webm, Format::Webm), (VideoFormat::Mp4, Format::Mp4)] {
        let maker = VideoMaker::new(VideoSpec { format, ..spec() }, 1, ffmpeg.clone()).unwrap();
        let (first, again, other) = (maker.video(0).unwrap(), maker.video(0).unwrap(), maker.video(1).unwrap());
        assert_eq!(Format::of_bytes(&first.bytes().unwrap()), Some(expected));
        assert_eq!(first.mime(), Some(expected.mime()));
        assert_eq!(first, again);
        assert_ne!(first, other);
    }
}

#[test]
fn the_installed_ffmpeg_adds_sound() {
    let Some(ffmpeg) = installed(&["libvpx-vp9", "libvorbis", "libopus"]) else { return };
    let track = AudioTrack { sample_rate_khz: 44.1, channels: 2, depth: 24, encoder: None };
    for (format, codec) in [(VideoFormat::Webm, b"A_VORBIS".as_slice()), (VideoFormat::Mp4, b"Opus")] {
        let has = |audio| {
            let maker = VideoMaker::new(VideoSpec { format, audio, ..spec() }, 1, ffmpeg.clone()).unwrap();
            let bytes = maker.video(0).unwrap().bytes().unwrap();
            bytes.windows(codec.len()).any(|window| window == codec)
        };
        assert!(has(Some(track.clone())) && !has(None));
    }
}

#[test]
fn the_installed_ffmpeg_tells_what_it_cannot_do() {
    let Some(ffmpeg) = installed(&["mpeg4"]) else { return };
    let maker = VideoMaker::new(VideoSpec { encoder: "mpeg4".into(), ..spec() }, 1, ffmpeg).unwrap();
    let fault = maker.video(0).unwrap_err().to_string();
    assert!(fault.contains("Only VP8 or VP9 or AV1"), "{fault}");
}
