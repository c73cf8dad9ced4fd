//! The client: connections, kernel receive stamps, and the life of a request.
//!
//! Each worker is a thread with a single-threaded runtime that owns its connections; nothing is locked and nobody else is
//! woken for an event. A task drives its own connection, so that the bytes of a read go from the socket through HTTP and
//! the event decoder to the record's columns in one go.

mod address;
mod alarms;
mod book;
mod cancel;
mod connection;
mod converse;
mod course;
mod crew;
mod engine;
mod error;
mod exchange;
mod failure;
mod gauge;
mod grpc;
mod head;
mod http1;
mod http2;
mod limits;
mod lookahead;
mod pool;
mod proxy;
mod reading;
mod reply;
mod socket;
mod supply;
mod thinkers;
mod tls;
mod verdict;
mod watch;
mod worker;

pub use engine::{Engine, PhaseOutcome, StopHandle};
pub use error::ClientError;
pub use gauge::InFlight;
pub use grpc::{CallError, call};
pub use reply::Reply;
pub use supply::{Branch, Conversation, Opening, Prepared, Step, Supply, When, Wire};
