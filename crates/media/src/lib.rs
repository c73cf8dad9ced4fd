//! Media for multimodal requests: pictures, sounds and clips that are made from a seed, and those the user names.
//!
//! What is made is a pure function of its specification, the seed and a number, so that any thread makes any piece and
//! the same seed gives the same bytes on every machine. Clips are the exception: their frames and sound obey the rule,
//! while their encoding is that of the `ffmpeg` that is installed.

mod audio;
mod error;
mod facts;
mod format;
mod image;
mod kept;
mod load;
mod media;
mod random;
mod spread;
mod video;

pub use audio::{AudioFormat, AudioMaker, AudioSpec, MAX_LENGTH_S, MIN_LENGTH_S};
pub use error::MediaError;
pub use facts::Facts;
pub use format::{Format, Kind};
pub use image::{ImageFormat, ImageMaker, ImageSource, ImageSpec, MAX_SIDE, Sampling};
pub use load::Loader;
pub use media::{InputAudio, Media, data_uri};
pub use spread::Spread;
pub use video::{AudioTrack, Ffmpeg, Pattern, VideoFormat, VideoMaker, VideoSpec};
