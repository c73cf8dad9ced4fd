//! Sound made from a seed.

mod maker;
mod mp3;
mod noise;
mod spec;
mod wav;

pub use maker::AudioMaker;
pub use spec::{AudioFormat, AudioSpec, MAX_LENGTH_S, MIN_LENGTH_S};

pub(crate) use noise::noise;
pub(crate) use spec::{check_depth, hertz};
pub(crate) use wav::wav;
