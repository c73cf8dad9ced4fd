//! Where requests come from.

use std::sync::Arc;

use bytes::Bytes;
use tokamark_record::Phase;

use crate::reply::Reply;

/// How a body goes onto the wire.
#[derive(Clone, Debug, Default)]
pub enum Wire {
    /// As it is.
    #[default]
    Body,
    /// As these bytes.
    Framed(Bytes),
    /// Not at all: the server takes nothing of the kind, for this reason.
    Refused(Arc<str>),
}

/// A request whose bytes are ready, so that nothing is left to build when it is due.
#[derive(Clone, Debug, Default)]
pub struct Prepared {
    /// The body.
    pub body: Bytes,
    /// How it is sent.
    pub wire: Wire,
    /// Row of the dataset.
    pub dataset_row: u64,
    /// Turn within its conversation, from 0.
    pub turn: u32,
    /// Which of the plan's models.
    pub model_index: u16,
    /// Tokens of the prompt by the client's tokenizer.
    pub input_tokens: Option<u64>,
    /// Output tokens that it asks for.
    pub output_tokens: Option<u64>,
}

/// What a conversation begins with.
#[derive(Default)]
pub struct Opening {
    /// Its first request.
    pub prepared: Prepared,
    /// What follows; `None` for a conversation of one turn.
    pub rest: Option<Box<dyn Conversation>>,
    /// Children that begin together with the first request.
    pub before: Vec<Branch>,
}

impl From<Prepared> for Opening {
    /// A conversation of one turn.
    fn from(prepared: Prepared) -> Self {
        Self { prepared, rest: None, before: Vec::new() }
    }
}

/// Gives the conversations of a phase by number. Called from any thread, never from one that sends.
pub trait Supply: Send + Sync {
    /// Conversation `number` of `phase`, from 0; the same for the same number.
    fn open(&self, phase: Phase, number: u64) -> Opening;

    /// When each conversation of a phase is due, in nanoseconds after the phase's start and ascending. `None` where the
    /// load's own pacing rules.
    fn schedule(&self, _phase: Phase) -> Option<Arc<[u64]>> {
        None
    }
}

/// A conversation after its first request.
pub trait Conversation: Send {
    /// What comes next. Asked after each answer; and again, with the same answer, after a [`Step::Branch`] and a
    /// [`Step::Join`]. Not asked on a thread that sends, so it may take its time, though that time is the request's.
    fn next(&mut self, reply: &Reply) -> Step;
}

/// What a conversation does next.
pub enum Step {
    /// Sends a request.
    Send {
        /// The request.
        prepared: Prepared,
        /// When it is due.
        when: When,
    },
    /// Begins other conversations beside this one.
    Branch(Vec<Branch>),
    /// Waits until every child begun so far that joins has ended.
    Join,
    /// Ends.
    End,
}

/// A conversation that begins beside another. Its requests carry the number of the conversation at the root.
#[derive(Default)]
pub struct Branch {
    /// The child.
    pub opening: Opening,
    /// Whether [`Step::Join`] waits for it.
    pub joins: bool,
}

/// When a request after the first is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// As soon as the previous answer has ended, or the children that were waited for have.
    AtOnce,
    /// So long after that.
    After {
        /// Nanoseconds.
        delay_ns: u64,
    },
    /// Then, or at once if that has passed.
    At {
        /// Nanoseconds after the phase's start.
        offset_ns: u64,
    },
}

impl When {
    /// The instant that is meant, for a phase that began at `start_ns` and a previous answer that ended at `ended_ns`.
    pub(crate) fn due_ns(self, start_ns: u64, ended_ns: u64) -> u64 {
        match self {
            Self::AtOnce => ended_ns,
            Self::After { delay_ns } => ended_ns.saturating_add(delay_ns),
            Self::At { offset_ns } => start_ns.saturating_add(offset_ns).max(ended_ns),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_due_after_the_answer_before_it() {
        assert_eq!(When::AtOnce.due_ns(1_000, 1_500), 1_500);
        assert_eq!(When::After { delay_ns: 70 }.due_ns(1_000, 1_500), 1_570);
        assert_eq!(When::At { offset_ns: 900 }.due_ns(1_000, 1_500), 1_900);
        assert_eq!(When::At { offset_ns: 400 }.due_ns(1_000, 1_500), 1_500);
    }
}
