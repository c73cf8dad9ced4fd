//! Traces of what was once sent: their rows, how they are changed before they are replayed, what they are like, and
//! traces made up from a few figures. No files are read here.

mod analysis;
mod layout;
mod random;
mod row;
mod sharing;
mod synthesize;
mod timing;
mod transform;

pub use analysis::{Analysis, Analyzer, BoundedCache, Distribution, Reuse};
pub use layout::{Layout, LayoutError};
pub use row::{Row, RowError};
pub use sharing::SharedIds;
pub use synthesize::{
    AgenticCode, Arrivals, Delays, Ends, Manifest, MooncakeTrace, PrefixTree, Quality, Resets, Restarts, Skewed,
    SynthesizeError, Target, TurnCounts,
};
pub use timing::{GapCaps, Span, ThinkTimes, TimingError, Window, closed_loop_delay, divided};
pub use transform::{Transform, TransformError};
