//! The text that each event brought.

use tokamark_record::{Event, RequestRecord};

/// Text of one event; pieces that it does not have are empty.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Pieces<'a> {
    pub(crate) reasoning: &'a str,
    pub(crate) content: &'a str,
    pub(crate) tool: &'a str,
}

/// The events of a request in order of arrival, each with its text.
pub(crate) fn pieces(record: &RequestRecord) -> impl Iterator<Item = (&Event, Pieces<'_>)> {
    let mut at = 0_usize;
    record.events.iter().map(move |event| {
        let mut next = |len: u32| {
            let end = at.saturating_add(len as usize);
            let piece = record.text.get(at..end).unwrap_or_default();
            at = end;
            piece
        };
        let pieces = Pieces {
            reasoning: next(event.reasoning_len),
            content: next(event.content_len),
            tool: next(event.tool_len),
        };
        (event, pieces)
    })
}
