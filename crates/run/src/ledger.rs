//! What was sent, in the order of the schedule: `inputs.json` and the digest of the workload.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use bytes::Bytes;
use tokamark_report::{InputsWriter, WriteError, conversation_id};
use tokamark_workload::{Digest, Turn};

/// Takes each row as it is made ready, and commits it once it has surely been sent.
pub(crate) struct Ledger(Mutex<State>);

struct State {
    inputs: Option<InputsWriter>,
    digest: Digest,
    pending: VecDeque<(u64, Turn, Bytes)>,
    /// Rows may be made ready so far ahead of those that are sent.
    ahead: usize,
    /// The next row that is new.
    next_row: u64,
    error: Option<WriteError>,
}

impl Ledger {
    pub(crate) fn new(inputs: InputsWriter, ahead: usize) -> Self {
        Self(Mutex::new(State {
            inputs: Some(inputs),
            digest: Digest::new(),
            pending: VecDeque::new(),
            ahead,
            next_row: 0,
            error: None,
        }))
    }

    /// A row was made ready. Rows that were seen before change nothing.
    pub(crate) fn prepared(&self, row: u64, turn: &Turn, body: &Bytes) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if row != state.next_row {
            return;
        }
        state.next_row += 1;
        state.pending.push_back((row, turn.clone(), body.clone()));
        if state.pending.len() > state.ahead {
            state.commit();
        }
    }

    /// The digest of the first `rows` rows; `inputs.json` ends with them.
    pub(crate) fn finish(&self, rows: u64) -> (String, Option<WriteError>) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        while state.pending.front().is_some_and(|(row, _, _)| *row < rows) {
            state.commit();
        }
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
    fn commit(&mut self) {
        let Some((row, turn, body)) = self.pending.pop_front() else { return };
        self.digest.push(&turn);
        if let Some(inputs) = &mut self.inputs
            && let Err(error) = inputs.append(&conversation_id(row), [body.as_ref()])
        {
            self.error = Some(error);
            self.inputs = None;
        }
    }
}
