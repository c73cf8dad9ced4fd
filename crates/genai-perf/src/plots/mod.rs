//! What `--generate-plots` shows.

mod data;
mod run;
mod sample;
mod sweep;

pub use data::PlotData;
pub use sweep::{SweepMark, sweep_figures};
