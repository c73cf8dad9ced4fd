//! Clips made from a seed, through the program `ffmpeg`.

mod ffmpeg;
mod frames;
mod maker;
mod spec;

pub use ffmpeg::Ffmpeg;
pub use maker::VideoMaker;
pub use spec::{AudioTrack, Pattern, VideoFormat, VideoSpec};
