//! Plays conversations: each request is made of what was said before.

use std::sync::Arc;

use serde_json::{Value, json};
use tokamark_client::{Branch, Conversation as Playing, Opening, Prepared, Reply, Step, When, Wire};
use tokamark_conversation::{Branch as Planned, Conversation, History, Turn};
use tokamark_endpoint::{Request, message, messages_of};

use crate::supply::Requests;

/// A conversation that is being played.
pub(crate) struct Player {
    requests: Arc<Requests>,
    conversation: Conversation,
    /// Which of the plan's models all its turns ask, but for those with a model of their own.
    model: usize,
    /// Whether turns are due at their recorded times.
    is_scheduled: bool,
    /// What was said so far, as chat messages.
    past: Vec<Value>,
    /// The turn that was asked last.
    turn: usize,
    /// What the turn's answer brought has been dealt with.
    is_heard: bool,
    /// The turn's branches have begun.
    has_branched: bool,
    /// Those to be waited for before the next turn have been.
    has_joined: bool,
}

impl Player {
    pub(crate) fn new(requests: Arc<Requests>, conversation: Conversation, model: usize, past: Vec<Value>) -> Self {
        let is_scheduled = requests.is_scheduled();
        let mut player = Self {
            requests,
            conversation,
            model,
            is_scheduled,
            past,
            turn: 0,
            is_heard: false,
            has_branched: false,
            has_joined: false,
        };
        player.past.extend(opening_messages(&player.conversation));
        player
    }

    /// What is played.
    pub(crate) fn conversation(&self) -> &Conversation {
        &self.conversation
    }

    /// Whether the turn that was asked last is the last thing that happens.
    pub(crate) fn is_over(&self) -> bool {
        let is_last = self.turn + 1 >= self.conversation.turns.len();
        is_last && self.now().is_none_or(|turn| turn.branches.is_empty())
    }

    /// The conversation from its beginning.
    pub(crate) fn open(self) -> Opening {
        let prepared = self.prepare();
        let before = self.branches(&self.conversation.before);
        let is_single = self.is_over();
        Opening { prepared, rest: (!is_single).then(|| Box::new(self) as Box<dyn Playing>), before }
    }

    /// The request of the turn that is to be asked now.
    pub(crate) fn prepare(&self) -> Prepared {
        let Some(turn) = self.now() else {
            // A conversation that could not be made; why is told at the end of the run.
            let wire = Wire::Refused("the request could not be made".into());
            return Prepared { wire, ..Prepared::default() };
        };
        let past =
            if self.conversation.history == History::None { &self.past[..self.opening_len()] } else { &self.past };
        let request = Request { past, tools: self.conversation.tools.as_ref(), turn };
        self.requests.make(request, self.turn, self.model)
    }

    fn now(&self) -> Option<&Turn> {
        self.conversation.turns.get(self.turn)
    }

    /// System message and context stand before everything else, whatever is repeated.
    fn opening_len(&self) -> usize {
        opening_messages(&self.conversation).count().min(self.past.len())
    }

    /// Takes the last turn and its answer into what was said. A turn that failed was never said, since some chat templates
    /// allow no two messages of one role in a row.
    fn hear(&mut self, reply: &Reply) {
        self.is_heard = true;
        let Some(turn) = self.conversation.turns.get(self.turn) else { return };
        match self.conversation.history {
            History::None => {}
            History::Live if reply.is_ok => {
                self.past.extend(messages_of(turn));
                self.past.push(answer(reply));
            }
            History::Live => {}
            History::Recorded => {
                self.past.extend(messages_of(turn));
                self.past.extend(turn.reply.clone());
            }
        }
    }

    fn branches(&self, planned: &[Planned]) -> Vec<Branch> {
        let mut branches = Vec::new();
        for branch in planned {
            for name in &branch.children {
                let Some(child) = self.requests.child(name) else { continue };
                let past = if branch.inherits { self.past.clone() } else { Vec::new() };
                let player = Self::new(Arc::clone(&self.requests), child, self.model, past);
                branches.push(Branch { opening: player.open(), joins: branch.join_at.is_some() });
            }
        }
        branches
    }

    /// Whether children of earlier turns are waited for before a turn.
    fn joins_before(&self, turn: usize) -> bool {
        let earlier = self.conversation.turns.iter().take(turn).flat_map(|turn| &turn.branches);
        earlier.chain(&self.conversation.before).any(|branch| branch.join_at.is_some_and(|at| at as usize == turn))
    }

    fn when(&self, turn: &Turn) -> When {
        if let Some(offset_ns) = turn.timestamp_ms.filter(|_| self.is_scheduled).map(|at| self.requests.offset_ns(at)) {
            return When::At { offset_ns };
        }
        match turn.delay_ms {
            Some(delay_ms) if delay_ms > 0.0 => When::After { delay_ns: nanoseconds(delay_ms) },
            _ => When::AtOnce,
        }
    }
}

impl Playing for Player {
    fn next(&mut self, reply: &Reply) -> Step {
        if !self.is_heard {
            self.hear(reply);
        }
        loop {
            if !self.has_branched {
                self.has_branched = true;
                let branches = self.now().map(|turn| self.branches(&turn.branches)).unwrap_or_default();
                if !branches.is_empty() {
                    return Step::Branch(branches);
                }
            }
            let next = self.turn + 1;
            if !self.has_joined && self.joins_before(next) {
                self.has_joined = true;
                return Step::Join;
            }
            let Some(turn) = self.conversation.turns.get(next) else { return Step::End };
            let when = self.when(turn);
            let is_silent = turn.is_silent;
            self.turn = next;
            (self.has_branched, self.has_joined) = (false, false);
            if !is_silent {
                self.is_heard = false;
                return Step::Send { prepared: self.prepare(), when };
            }
        }
    }
}

/// The messages that a conversation begins with.
pub(crate) fn opening_messages(conversation: &Conversation) -> impl Iterator<Item = Value> + use<> {
    let system = conversation.system.as_deref().map(|text| message("system", text));
    let context = conversation.context.as_deref().map(|text| message("user", text));
    system.into_iter().chain(context)
}

/// An answer as it goes into the next request.
fn answer(reply: &Reply) -> Value {
    json!({"role": "assistant", "content": reply.text})
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the cast saturates; delays are not negative"
)]
pub(crate) fn nanoseconds(milliseconds: f64) -> u64 {
    (milliseconds * 1e6).round() as u64
}
