//! What was sent, in the order of the schedule: `inputs.json` and the digest of the workload.

use std::collections::{HashSet, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use bytes::Bytes;
use tokamark_conversation::Conversation;
use tokamark_report::{InputsWriter, WriteError};
use tokamark_workload::Digest;

/// Takes each conversation as it is made ready, and commits it once it has surely begun.
pub(crate) struct Ledger {
    /// So many conversations have begun at least.
    begun: AtomicU64,
    state: Mutex<State>,
}

struct State {
    inputs: Option<InputsWriter>,
    digest: Digest,
    pending: VecDeque<(u64, Conversation, Vec<Bytes>)>,
    /// The next conversation that is new.
    next: u64,
    seen: Seen,
    error: Option<WriteError>,
}

/// Rows of the workload that have come up.
pub(crate) enum Seen {
    /// Each conversation has one of its own.
    AllNew,
    /// They come again.
    Rows(HashSet<u64>),
}

impl Ledger {
    pub(crate) fn new(inputs: InputsWriter, seen: Seen) -> Self {
        let state =
            State { inputs: Some(inputs), digest: Digest::new(), pending: VecDeque::new(), next: 0, seen, error: None };
        Self { begun: AtomicU64::new(0), state: Mutex::new(state) }
    }

    /// The first `conversations` have begun.
    pub(crate) fn begun(&self, conversations: u64) {
        self.begun.fetch_max(conversations, Ordering::Relaxed);
    }

    /// A conversation was made ready. Rows that came up before change nothing.
    pub(crate) fn prepared(
        &self,
        number: u64,
        row: u64,
        conversation: &Conversation,
        bodies: impl FnOnce() -> Vec<Bytes>,
    ) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if number < state.next {
            return;
        }
        state.next = number + 1;
        let is_new = match &mut state.seen {
            Seen::AllNew => true,
            Seen::Rows(rows) => rows.insert(row),
        };
        if is_new {
            state.pending.push_back((number, conversation.clone(), bodies()));
        }
        state.commit_before(self.begun.load(Ordering::Relaxed));
    }

    /// The digest of what was new among the first `conversations`; `inputs.json` ends with it.
    pub(crate) fn finish(&self, conversations: u64) -> (String, Option<WriteError>) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.commit_before(conversations);
        state.pending.clear();
        if let Some(inputs) = state.inputs.take()
            && let Err(error) = inputs.finish()
        {
            state.error.get_or_insert(error);
        }
        (std::mem::take(&mut state.digest).finish(), state.error.take())
    }
}

impl State {
    fn commit_before(&mut self, conversations: u64) {
        while self.pending.front().is_some_and(|(number, _, _)| *number < conversations) {
            self.commit();
        }
    }

    fn commit(&mut self) {
        let Some((_, conversation, bodies)) = self.pending.pop_front() else { return };
        self.digest.push(&conversation);
        if let Some(inputs) = &mut self.inputs
            && let Err(error) = inputs.append(&conversation.id, bodies.iter().map(AsRef::as_ref))
        {
            self.error = Some(error);
            self.inputs = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use tokamark_conversation::Turn;

    use super::*;

    fn conversation(row: u64) -> Conversation {
        Conversation::single(name(row), Turn::text(row, format!("text {row}")))
    }

    fn name(row: u64) -> String {
        format!("c{row}")
    }

    fn digest(rows: u64) -> String {
        let mut digest = Digest::new();
        (0..rows).for_each(|row| digest.push(&conversation(row)));
        digest.finish()
    }

    /// The digest and the names in `inputs.json` after `act` and a finish with `begun` conversations.
    fn after(seen: Seen, act: impl FnOnce(&Ledger), begun: u64) -> (String, Vec<String>) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("inputs.json");
        let ledger = Ledger::new(InputsWriter::create(&path).unwrap(), seen);
        act(&ledger);
        let (digest, error) = ledger.finish(begun);
        assert!(error.is_none());
        let inputs: serde_json::Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
        let entries = inputs["data"].as_array().unwrap();
        (digest, entries.iter().map(|entry| entry["session_id"].as_str().unwrap().to_owned()).collect())
    }

    fn prepare(ledger: &Ledger, number: u64, row: u64) {
        ledger.prepared(number, row, &conversation(row), || vec![Bytes::from_static(b"{}")]);
    }

    fn names(rows: u64) -> Vec<String> {
        (0..rows).map(name).collect()
    }

    #[test]
    fn what_was_made_ready_but_not_begun_leaves_no_trace() {
        for begun in [0, 1, 7, 10] {
            let act = |ledger: &Ledger| {
                (0..5).for_each(|number| prepare(ledger, number, number));
                ledger.begun(begun.min(3));
                (5..10).for_each(|number| prepare(ledger, number, number));
            };
            assert_eq!(after(Seen::AllNew, act, begun), (digest(begun), names(begun)));
        }
    }

    #[test]
    fn rows_that_come_again_are_listed_once() {
        let act = |ledger: &Ledger| {
            for number in 0..10 {
                prepare(ledger, number, number % 4);
                ledger.begun(number + 1);
            }
        };
        assert_eq!(after(Seen::Rows(HashSet::new()), act, 10), (digest(4), names(4)));
    }

    #[test]
    fn what_has_begun_waits_for_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let ledger = Ledger::new(InputsWriter::create(&folder.path().join("inputs.json")).unwrap(), Seen::AllNew);
        for number in 0..100 {
            prepare(&ledger, number, number);
            ledger.begun(number + 1);
        }
        assert_eq!(ledger.state.lock().unwrap().pending.len(), 1);
    }
}
