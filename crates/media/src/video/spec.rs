//! What clips are wanted.

use crate::audio::{check_depth, hertz};
use crate::{Facts, MAX_SIDE, MediaError};

/// The longest clip, in seconds.
const MAX_DURATION_S: f64 = 3_600.0;

/// The most frames a second.
const MAX_FPS: u32 = 240;

/// What clips are wanted; all have the same size and length.
#[derive(Clone, Debug, PartialEq)]
pub struct VideoSpec {
    /// The width in pixels. Many encoders take even sizes only.
    pub width: u32,
    /// The height in pixels.
    pub height: u32,
    /// The duration in seconds; the clip has duration × `fps` frames, rounded, and at least 1.
    pub duration_s: f64,
    /// Frames a second.
    pub fps: u32,
    /// What the frames show.
    pub pattern: Pattern,
    /// The container.
    pub format: VideoFormat,
    /// The name of ffmpeg's video encoder.
    pub encoder: String,
    /// The sound, if any.
    pub audio: Option<AudioTrack>,
}

impl VideoSpec {
    /// The encoder that both containers take.
    pub const DEFAULT_ENCODER: &'static str = "libvpx-vp9";
}

/// What a clip's frames show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// A circle, a square and a triangle that move and bounce.
    MovingShapes,
    /// A grid with the dial of a clock and the number of the frame.
    GridClock,
    /// Random pixels.
    Noise,
}

/// The container of a clip.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VideoFormat {
    /// WebM.
    Webm,
    /// MP4.
    Mp4,
}

/// The sound of a clip: Gaussian noise as long as the clip.
#[derive(Clone, Debug, PartialEq)]
pub struct AudioTrack {
    /// The sample rate in kHz (above 96: in Hz).
    pub sample_rate_khz: f64,
    /// 1 (mono) or 2 (stereo).
    pub channels: u8,
    /// The bits of a sample before encoding: 8, 16, 24 or 32.
    pub depth: u8,
    /// The name of ffmpeg's audio encoder; by default libvorbis for WebM and libopus for MP4.
    pub encoder: Option<String>,
}

impl VideoSpec {
    /// Checks all but the encoders.
    pub(super) fn check(&self) -> Result<(), MediaError> {
        let wrong = |field, value: String, rule| Err(MediaError::Spec { field, value, rule });
        let rule = "1 to 16384 pixels";
        if !(1..=MAX_SIDE).contains(&self.width) {
            return wrong("the video width", self.width.to_string(), rule);
        }
        if !(1..=MAX_SIDE).contains(&self.height) {
            return wrong("the video height", self.height.to_string(), rule);
        }
        if !(self.duration_s > 0.0 && self.duration_s <= MAX_DURATION_S) {
            return wrong("the video duration", self.duration_s.to_string(), "a positive number up to 3600 seconds");
        }
        if !(1..=MAX_FPS).contains(&self.fps) {
            return wrong("the number of frames a second", self.fps.to_string(), "1 to 240");
        }
        let Some(track) = &self.audio else { return Ok(()) };
        hertz(track.sample_rate_khz)?;
        check_depth(track.depth)?;
        if !(1..=2).contains(&track.channels) {
            return wrong("the number of the video's audio channels", track.channels.to_string(), "1 or 2");
        }
        Ok(())
    }

    /// The number of frames.
    pub(super) fn frames(&self) -> u32 {
        ((self.duration_s * f64::from(self.fps)).round() as u32).max(1)
    }

    /// What each clip is.
    pub(super) fn facts(&self) -> Facts {
        let duration_s = Some(f64::from(self.frames()) / f64::from(self.fps));
        Facts { width: Some(self.width), height: Some(self.height), duration_s }
    }

    /// The name of the audio encoder, if there is sound.
    pub(super) fn audio_encoder(&self) -> Option<&str> {
        let track = self.audio.as_ref()?;
        Some(track.encoder.as_deref().unwrap_or(match self.format {
            VideoFormat::Webm => "libvorbis",
            VideoFormat::Mp4 => "libopus",
        }))
    }
}
