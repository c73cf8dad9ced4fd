//! When each request is due: arrival processes, schedules, closed loops and stop rules.
//!
//! Pure state machines. A [`Schedule`] says when requests arrive or conversations begin; it is the same for any number of
//! workers. [`Claims`] numbers requests and conversations as they are sent, and keeps the stop rules.

mod arrivals;
mod claims;
mod schedule;

pub use arrivals::Arrivals;
pub use claims::Claims;
pub use schedule::{Schedule, StopRule, Ticket};
