//! Waits that files give with the turn before them.

use std::collections::HashMap;

use tokamark_conversation::Turn;

/// GenAI-Perf's `delay` is the wait after a turn has been answered; that of [`Turn`] is the wait before it is sent.
#[derive(Debug, Default)]
pub(super) struct Waits(HashMap<String, f64>);

impl Waits {
    /// Gives a turn of a session the wait that the session's turn before it named, and remembers its own.
    pub(super) fn pass_on(&mut self, session: &str, turn: &mut Turn) {
        let own = turn.delay_ms.take();
        if session.is_empty() {
            return;
        }
        turn.delay_ms = match own {
            Some(own) => self.0.insert(session.to_owned(), own),
            None => self.0.remove(session),
        };
    }
}
