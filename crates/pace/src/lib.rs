//! When each request is due: arrival processes, closed loops and stop rules.
//!
//! Pure state machines. A [`Schedule`] says when requests arrive in an open loop; it is the same for any number of
//! workers, since each walks the whole of it and sends only its own share. A [`ClosedLoop`] hands out the next request to
//! whichever slot is free.

mod arrivals;
mod closed;
mod schedule;

pub use arrivals::Arrivals;
pub use closed::ClosedLoop;
pub use schedule::{Schedule, StopRule, Ticket};
