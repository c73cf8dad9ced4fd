//! Many runs: the points of a sweep, what was measured at each, where the knee is, and what repeated runs agree on.
//!
//! A point is a value of one parameter. The crate knows nothing of how a point is measured.

mod checkpoint;
mod knee;
mod parameter;
mod points;
mod repeat;

pub use checkpoint::{Checkpoint, CheckpointError, Measured};
pub use knee::{DEFAULT_TTFT_SLO_MS, GROWTH, Knee, LoadPoint, find_knee};
pub use parameter::Parameter;
pub use points::{PointsError, from_list, from_range};
pub use repeat::{Interval, RepeatError, interval};
