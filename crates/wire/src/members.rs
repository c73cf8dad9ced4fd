//! What the first tiers of all readers have in common: members of objects, read without a tree.

use crate::scan::{RawStr, Scanner};
use crate::{Answer, EventFlags, EventInfo};

/// The keys of one object that have been there: a second time makes the reader give up.
#[derive(Default)]
pub(crate) struct Seen(u32);

impl Seen {
    pub(crate) fn first(&mut self, bit: u32) -> Option<()> {
        let mask = 1 << bit;
        let is_first = self.0 & mask == 0;
        self.0 |= mask;
        is_first.then_some(())
    }

    pub(crate) fn has(&self, bit: u32) -> bool {
        self.0 & (1 << bit) != 0
    }
}

/// A key or word that can be compared as it stands.
pub(crate) fn plain(key: RawStr<'_>) -> Option<&[u8]> {
    (!key.has_escapes).then_some(key.raw)
}

/// A string that is not empty; absent if it is empty or `null`. Gives up at any other type.
pub(crate) fn text<'a>(scanner: &mut Scanner<'a>) -> Option<Option<RawStr<'a>>> {
    if scanner.eat_null() {
        return Some(None);
    }
    scanner.string().map(|text| (!text.is_empty()).then_some(text))
}

pub(crate) fn null(scanner: &mut Scanner<'_>) -> Option<()> {
    scanner.eat_null().then_some(())
}

/// Steps over a member that no reader looks at; gives up at those that may make an event an error (see [`crate::error`]).
pub(crate) fn skip_other(scanner: &mut Scanner<'_>, key: &[u8]) -> Option<()> {
    match key {
        b"error" | b"object" | b"detail" | b"message" | b"choices" => None,
        _ => scanner.skip_value(),
    }
}

/// What the one text of an event is.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Role {
    Content,
    Reasoning,
    Tool,
}

/// Adds the one text of an event to the answer; without one, the event is empty. Leaves no trace if it gives up.
pub(crate) fn one_text(role: Role, text: Option<RawStr<'_>>, answer: &mut Answer) -> Option<EventInfo> {
    let start = answer.text.len();
    if text.is_some_and(|text| text.decode_into(&mut answer.text).is_none()) {
        answer.text.truncate(start);
        return None;
    }
    let len = answer.text.len() - start;
    let (reasoning, content, tool) = match role {
        Role::Reasoning => (len, 0, 0),
        Role::Content => (0, len, 0),
        Role::Tool => (0, 0, len),
    };
    Some(EventInfo::of(reasoning, content, tool, EventFlags::NONE, EventFlags::EMPTY))
}
