//! Events and bodies of OpenAI's responses API.
//!
//! A stream is `response.created`, then for each item of the answer `response.output_item.added`, deltas and `….done` events,
//! then `response.completed` (or `.incomplete`, `.failed`) with the whole response and its token counts. Deltas of text and
//! refusals are content, those of reasoning and of its summary are reasoning; a tool call's text is its name, which its item
//! begins with, and its arguments.

mod fast;
mod tree;

use crate::parts::read_data;
use crate::{Answer, EventInfo};

pub(crate) use fast::read as read_fast;
#[cfg(test)]
pub(crate) use tree::read as read_tree;

pub use tree::read_body;

use crate::members::Role;

/// Reads the data of one stream event: adds its text to the answer and says what it was. `name` stands in for a `type` that
/// is missing.
pub fn read_event(name: &[u8], data: &[u8], answer: &mut Answer) -> EventInfo {
    read_data(data, answer, |data, answer| fast::read(data, answer).or_else(|| tree::read(name, data, answer)))
}

/// What the text of a delta is, by the type of its event.
fn role_of(kind: &[u8]) -> Option<Role> {
    Some(match kind.strip_prefix(b"response.")?.strip_suffix(b".delta")? {
        b"output_text" | b"refusal" => Role::Content,
        b"reasoning_text" | b"reasoning_summary_text" => Role::Reasoning,
        b"function_call_arguments"
        | b"custom_tool_call_input"
        | b"mcp_call_arguments"
        | b"code_interpreter_call_code" => Role::Tool,
        _ => return None,
    })
}
