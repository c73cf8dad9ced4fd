//! Makes the clips of a specification.

use std::ffi::OsString;
use std::fs;
use std::path::Path;

use super::frames::Painter;
use super::{AudioTrack, Ffmpeg, VideoFormat, VideoSpec};
use crate::audio::{hertz, noise, wav};
use crate::random::Streams;
use crate::{Format, Media, MediaError};

/// Makes the clips of a specification; shared by threads.
#[derive(Debug)]
pub struct VideoMaker {
    spec: VideoSpec,
    ffmpeg: Ffmpeg,
    content: Streams,
    sound: Streams,
}

impl VideoMaker {
    /// Checks a specification, and that the program has the encoders it needs.
    ///
    /// # Errors
    /// Sizes or rates out of range, a program that does not run or lacks an encoder.
    pub fn new(spec: VideoSpec, seed: u64, ffmpeg: Ffmpeg) -> Result<Self, MediaError> {
        spec.check()?;
        ffmpeg.check_encoders([spec.encoder.as_str()].into_iter().chain(spec.audio_encoder()))?;
        let (content, sound) = (Streams::new(seed, "video content"), Streams::new(seed, "video sound"));
        Ok(Self { spec, ffmpeg, content, sound })
    }

    /// The clip of a number. Its frames and its sound are functions of the specification, the seed and the number
    /// alone; the same `ffmpeg` makes the same bytes of them.
    ///
    /// # Errors
    /// `ffmpeg` fails or takes longer than its limit.
    pub fn video(&self, number: u64) -> Result<Media, MediaError> {
        let folder = tempfile::tempdir().map_err(MediaError::Temporary)?;
        let sound = match &self.spec.audio {
            Some(track) => {
                let path = folder.path().join("sound.wav");
                fs::write(&path, self.track(track, number)?).map_err(MediaError::Temporary)?;
                Some(path)
            }
            None => None,
        };
        // A file, as a container that is written to a pipe lacks its index and its duration.
        let clip = folder.path().join("clip");
        let mut painter = Painter::new(self.spec.pattern, self.content.number(number));
        let (size, frames, fps) = ([self.spec.width, self.spec.height], self.spec.frames(), self.spec.fps);
        let ended = self.ffmpeg.run(&self.arguments(sound.as_deref(), &clip), move |stdin| {
            let mut pixels = vec![0; size[0] as usize * size[1] as usize * 3];
            for frame in 0..frames {
                painter.draw(&mut pixels, size, frame, f64::from(frame) / f64::from(fps));
                stdin.write_all(&pixels)?;
            }
            Ok(())
        })?;
        let bytes = fs::read(&clip).unwrap_or_default();
        if !ended.status.success() || bytes.is_empty() {
            return Err(MediaError::Ffmpeg { status: ended.status, said: ended.said });
        }
        let format = match self.spec.format {
            VideoFormat::Webm => Format::Webm,
            VideoFormat::Mp4 => Format::Mp4,
        };
        Ok(Media::inline(&bytes, format, self.spec.facts()))
    }

    /// The clips of a row that has `batch` of them: those of the numbers from `row` × `batch` on.
    ///
    /// # Errors
    /// As [`VideoMaker::video`].
    pub fn videos(&self, row: u64, batch: u32) -> Result<Vec<Media>, MediaError> {
        let first = row.wrapping_mul(u64::from(batch));
        (0..u64::from(batch)).map(|place| self.video(first.wrapping_add(place))).collect()
    }

    /// The sound of a clip, as long as its frames.
    fn track(&self, track: &AudioTrack, number: u64) -> Result<Vec<u8>, MediaError> {
        let rate = hertz(track.sample_rate_khz)?;
        let length = f64::from(self.spec.frames()) / f64::from(self.spec.fps);
        let samples = (length * f64::from(rate)).round() as usize * usize::from(track.channels);
        Ok(wav(&noise(&mut self.sound.number(number), samples), rate, track.channels, track.depth))
    }

    /// The arguments that make the clip of raw frames and a file of sound. One thread and no time stamps, so that the
    /// same program makes the same bytes on any number of cores.
    fn arguments(&self, sound: Option<&Path>, clip: &Path) -> Vec<OsString> {
        let spec = &self.spec;
        let mut arguments = Vec::new();
        let mut add = |texts: &[&str]| arguments.extend(texts.iter().map(OsString::from));
        add(&["-hide_banner", "-loglevel", "error", "-y", "-f", "rawvideo", "-pix_fmt", "rgb24"]);
        add(&["-video_size", &format!("{}x{}", spec.width, spec.height), "-framerate", &spec.fps.to_string()]);
        add(&["-i", "pipe:0"]);
        if let Some(sound) = sound {
            arguments.extend(["-i".into(), sound.into()]);
        }
        let mut add = |texts: &[&str]| arguments.extend(texts.iter().map(OsString::from));
        add(&["-map", "0:v", "-c:v", &spec.encoder, "-pix_fmt", "yuv420p", "-threads", "1"]);
        if spec.encoder.starts_with("libvpx") {
            // By default this encoder takes seconds a frame for the last few percent of size.
            add(&["-deadline", "realtime", "-cpu-used", "8"]);
        }
        if let Some(encoder) = spec.audio_encoder() {
            add(&["-map", "1:a", "-c:a", encoder, "-flags:a", "+bitexact"]);
        }
        add(&["-map_metadata", "-1", "-fflags", "+bitexact", "-flags:v", "+bitexact"]);
        add(match spec.format {
            VideoFormat::Webm => &["-f", "webm"],
            VideoFormat::Mp4 => &["-movflags", "+faststart", "-f", "mp4"],
        });
        arguments.push(clip.into());
        arguments
    }
}
