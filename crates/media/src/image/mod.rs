//! Pictures made from a seed.

mod encode;
mod maker;
mod pictures;
mod sampling;
mod source;
mod spec;

pub use maker::ImageMaker;
pub use sampling::Sampling;
pub use spec::{ImageFormat, ImageSource, ImageSpec, MAX_SIDE};
