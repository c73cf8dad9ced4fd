//! Media made for requests.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// A normally distributed size.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct MediaSpread {
    /// Mean.
    pub mean: f64,
    /// Standard deviation.
    pub stddev: f64,
}

/// How images are encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ImageFormat {
    /// PNG.
    Png,
    /// JPEG.
    Jpeg,
    /// WebP.
    Webp,
    /// PNG or JPEG, drawn for each.
    Random,
}

/// What images show.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ImageSource {
    /// Random pixels.
    Noise,
    /// The built-in pictures.
    Pictures,
    /// The pictures of a folder.
    Folder(PathBuf),
}

/// How finite sources are drawn from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ImageSampling {
    /// Any, each time anew.
    #[default]
    RandomWithReplacement,
    /// All in a drawn order, then all in another.
    ShuffleCycle,
    /// One after the other.
    SequentialCycle,
}

/// Images of each request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ImagePlan {
    /// Images of a request.
    pub batch: u32,
    /// Pixels.
    pub width: MediaSpread,
    /// Pixels.
    pub height: MediaSpread,
    /// Encoding.
    pub format: ImageFormat,
    /// Content.
    pub source: ImageSource,
    /// Order of finite sources.
    pub sampling: ImageSampling,
}

/// How audio is encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AudioFormat {
    /// WAV.
    Wav,
    /// MP3.
    Mp3,
}

/// Audio clips of each request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AudioPlan {
    /// Clips of a request.
    pub batch: u32,
    /// Seconds.
    pub length_s: MediaSpread,
    /// Encoding.
    pub format: AudioFormat,
    /// Bits of a sample, one of which is drawn for each clip.
    pub depths: Vec<u8>,
    /// Rates in kHz (above 96: in Hz), one of which is drawn for each clip.
    pub sample_rates_khz: Vec<f64>,
    /// 1 or 2.
    pub channels: u8,
}

/// What synthetic videos show.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VideoPattern {
    /// Shapes that move.
    MovingShapes,
    /// A grid with a clock.
    GridClock,
    /// Random pixels.
    Noise,
}

/// Containers of videos.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum VideoFormat {
    /// WebM.
    Webm,
    /// MP4.
    Mp4,
}

/// Videos of each request.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct VideoPlan {
    /// Videos of a request.
    pub batch: u32,
    /// Pixels.
    pub width: u32,
    /// Pixels.
    pub height: u32,
    /// Seconds.
    pub duration_s: f64,
    /// Frames per second.
    pub fps: u32,
    /// Content.
    pub pattern: VideoPattern,
    /// Container.
    pub format: VideoFormat,
    /// Name of the encoder.
    pub codec: String,
    /// Channels of the sound track: 0 for none.
    pub audio_channels: u8,
    /// Its rate in Hz.
    pub audio_sample_rate_hz: f64,
    /// Its encoder; the container's usual one if absent.
    pub audio_codec: Option<String>,
    /// Bits of its samples.
    pub audio_depth: u8,
}

/// Media made for each request.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MediaPlan {
    /// Images.
    pub image: Option<ImagePlan>,
    /// Audio.
    pub audio: Option<AudioPlan>,
    /// Video.
    pub video: Option<VideoPlan>,
}
