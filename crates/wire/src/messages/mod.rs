//! Events and bodies of Anthropic's messages API.
//!
//! A stream is `message_start`, then for each block of the answer `content_block_start`, `content_block_delta` … and
//! `content_block_stop`, then `message_delta` with the stop reason and `message_stop`. Text deltas are content, thinking is
//! reasoning; a tool call's text is its name, which its block begins with, and its input.

mod fast;
mod tree;

use crate::parts::read_data;
use crate::{Answer, EventInfo};

pub(crate) use fast::read as read_fast;
#[cfg(test)]
pub(crate) use tree::read as read_tree;

pub use tree::read_body;

/// Reads the data of one stream event: adds its text to the answer and says what it was. `name` stands in for a `type` that
/// is missing.
pub fn read_event(name: &[u8], data: &[u8], answer: &mut Answer) -> EventInfo {
    read_data(data, answer, |data, answer| fast::read(data, answer).or_else(|| tree::read(name, data, answer)))
}
