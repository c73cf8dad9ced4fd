//! Events and bodies of OpenAI-style chat and completions answers.
//!
//! An event is read in two tiers. The first walks the bytes once, without a JSON tree, and knows only the shapes that make up
//! almost all of a stream; at anything else it gives up without a trace. The second parses the whole event and is the
//! definition of what an event means. Where the first has an answer, the second would have given the same.
//!
//! Chat and (text) completions share one reader: a choice speaks through its `delta`, else its `message`, else its `text`.

mod embeddings;
mod fast;
mod tree;

#[cfg(test)]
mod tier_tests;

use crate::parts::read_data;
use crate::{Answer, EventFlags, EventInfo, ServerError, error};

pub use crate::error::{error_in_body, text_of};
pub(crate) use embeddings::embeddings_in;
pub use embeddings::read_embeddings_body;
pub(crate) use fast::read as read_fast;

/// Reads the data of one stream event: adds its text to the answer and says what it was.
///
/// Data that is not JSON, or that is none of the known shapes, is [`EventFlags::UNKNOWN`]. JSON `null` means absent.
pub fn read_event(data: &[u8], answer: &mut Answer) -> EventInfo {
    read_data(data, answer, |data, answer| fast::read(data, answer).or_else(|| tree::read(data, answer)))
}

/// Reads the data of an event that the server has named `error`: whatever it holds is an error.
pub fn read_error_event(data: &[u8], answer: &mut Answer) -> EventInfo {
    let error = error_in_body(data).unwrap_or_else(|| ServerError {
        message: text_of(data).unwrap_or_else(|| error::NO_MESSAGE.to_owned()),
        ..ServerError::default()
    });
    answer.error.get_or_insert(error);
    EventInfo { flags: EventFlags::ERROR, ..EventInfo::default() }
}

/// Reads a whole body that is not a stream. An error in a known shape is put into the answer and is no `Err`.
///
/// # Errors
/// Why the body could not be understood, in words.
pub fn read_body(body: &[u8], answer: &mut Answer) -> Result<EventInfo, String> {
    let body = body.trim_ascii();
    if body.is_empty() {
        return Err("the body of the answer is empty".to_owned());
    }
    let info = tree::read(body, answer).ok_or_else(|| not_json(body))?;
    if info.flags.has(EventFlags::UNKNOWN) {
        return Err(format!("the answer has no `choices`: {}", error::excerpt(body)));
    }
    Ok(info)
}

fn not_json(body: &[u8]) -> String {
    format!("the answer is not JSON: {}", error::excerpt(body))
}
