//! What was sent, in the order of the schedule: `inputs.json` and the digest of the workload.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use bytes::Bytes;
use tokamark_conversation::Turn;
use tokamark_report::{InputsWriter, WriteError, conversation_id};
use tokamark_workload::Digest;

/// Takes each row as it is made ready, and commits it once it has surely been sent.
pub(crate) struct Ledger {
    /// So many requests have been sent at least.
    sent: AtomicU64,
    state: Mutex<State>,
}

struct State {
    inputs: Option<InputsWriter>,
    digest: Digest,
    pending: VecDeque<(u64, Turn, Bytes)>,
    /// The next row that is new.
    next_row: u64,
    error: Option<WriteError>,
}

impl Ledger {
    pub(crate) fn new(inputs: InputsWriter) -> Self {
        let state =
            State { inputs: Some(inputs), digest: Digest::new(), pending: VecDeque::new(), next_row: 0, error: None };
        Self { sent: AtomicU64::new(0), state: Mutex::new(state) }
    }

    /// The first `requests` requests have been sent.
    pub(crate) fn sent(&self, requests: u64) {
        self.sent.fetch_max(requests, Ordering::Relaxed);
    }

    /// A row was made ready. Rows that were seen before change nothing.
    pub(crate) fn prepared(&self, row: u64, turn: &Turn, body: &Bytes) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if row != state.next_row {
            return;
        }
        state.next_row += 1;
        state.pending.push_back((row, turn.clone(), body.clone()));
        state.commit_before(self.sent.load(Ordering::Relaxed));
    }

    /// The digest of the first `rows` rows; `inputs.json` ends with them.
    pub(crate) fn finish(&self, rows: u64) -> (String, Option<WriteError>) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.commit_before(rows);
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
    fn commit_before(&mut self, rows: u64) {
        while self.pending.front().is_some_and(|(row, _, _)| *row < rows) {
            self.commit();
        }
    }

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

#[cfg(test)]
mod tests {
    use super::*;

    fn turn(row: u64) -> Turn {
        Turn::text(row, format!("text {row}"))
    }

    fn digest(rows: u64) -> String {
        let mut digest = Digest::new();
        (0..rows).for_each(|row| digest.push(&turn(row)));
        digest.finish()
    }

    /// The digest and the names in `inputs.json` after `act` and a finish with `rows` rows.
    fn after(act: impl FnOnce(&Ledger), rows: u64) -> (String, Vec<String>) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("inputs.json");
        let ledger = Ledger::new(InputsWriter::create(&path).unwrap());
        act(&ledger);
        let (digest, error) = ledger.finish(rows);
        assert!(error.is_none());
        let inputs: serde_json::Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
        let entries = inputs["data"].as_array().unwrap();
        (digest, entries.iter().map(|entry| entry["session_id"].as_str().unwrap().to_owned()).collect())
    }

    fn prepare(ledger: &Ledger, row: u64) {
        ledger.prepared(row, &turn(row), &Bytes::from_static(b"{}"));
    }

    fn names(rows: u64) -> Vec<String> {
        (0..rows).map(conversation_id).collect()
    }

    #[test]
    fn rows_that_were_made_ready_but_not_sent_leave_no_trace() {
        for sent in [0, 1, 7, 10] {
            let act = |ledger: &Ledger| {
                (0..5).for_each(|row| prepare(ledger, row));
                ledger.sent(sent.min(3));
                (5..10).for_each(|row| prepare(ledger, row));
            };
            assert_eq!(after(act, sent), (digest(sent), names(sent)));
        }
    }

    #[test]
    fn rows_that_come_again_are_listed_once() {
        let act = |ledger: &Ledger| {
            for number in 0..10 {
                prepare(ledger, number % 4);
                ledger.sent(number + 1);
            }
        };
        assert_eq!(after(act, 4), (digest(4), names(4)));
    }

    #[test]
    fn rows_that_were_sent_wait_for_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let ledger = Ledger::new(InputsWriter::create(&folder.path().join("inputs.json")).unwrap());
        for row in 0..100 {
            prepare(&ledger, row);
            ledger.sent(row + 1);
        }
        assert_eq!(ledger.state.lock().unwrap().pending.len(), 1);
    }
}
