//! Streams that tick on their own, whatever the load.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;

use super::{Emission, NewSequence};
use crate::config::{Phase, SimConfig};

/// The golden ratio's fraction: its multiples, taken modulo 1, lie evenly however many there are.
const GOLDEN: f64 = 0.618_033_988_749_894_9;

#[derive(Clone, Copy, Debug)]
struct Stream {
    /// Tells it from earlier streams under the same key.
    serial: u64,
    left: u64,
    kv: u64,
}

/// Each stream gets its first tokens a fixed time after its request arrived, and more of them at a fixed gap.
#[derive(Debug)]
pub struct PacedEngine {
    ttft_ns: u64,
    /// None: all tokens are due with the first.
    gap_ns: Option<u64>,
    phase: Phase,
    tokens_per_event: u64,
    streams: Vec<Option<Stream>>,
    /// (due, serial, key) of each stream's next event. Entries of streams that are gone are skipped.
    due: BinaryHeap<Reverse<(u64, u64, usize)>>,
    submitted: u64,
    running: usize,
    kv_used: u64,
}

impl PacedEngine {
    /// An idle engine whose streams tick every `gap_ns`, or never pause.
    #[must_use]
    pub fn new(config: &SimConfig, gap_ns: Option<u64>) -> Self {
        Self {
            ttft_ns: config.ttft_ns,
            gap_ns,
            phase: config.phase,
            tokens_per_event: u64::from(config.tokens_per_event.max(1)),
            streams: Vec::new(),
            due: BinaryHeap::new(),
            submitted: 0,
            running: 0,
            kv_used: 0,
        }
    }

    /// See [`Engine::submit`](super::Engine::submit).
    pub fn submit(&mut self, arrival_ns: u64, sequence: NewSequence) {
        self.cancel(sequence.key);
        let serial = self.submitted;
        self.submitted += 1;
        if self.streams.len() <= sequence.key {
            self.streams.resize(sequence.key + 1, None);
        }
        let kv = sequence.prompt_tokens + sequence.output_tokens;
        self.streams[sequence.key] = Some(Stream { serial, left: sequence.output_tokens, kv });
        self.running += 1;
        self.kv_used += kv;
        let first = self.first_due(arrival_ns.saturating_add(self.ttft_ns), serial);
        self.due.push(Reverse((first, serial, sequence.key)));
    }

    fn first_due(&self, earliest_ns: u64, serial: u64) -> u64 {
        let Some(gap) = self.gap_ns else { return earliest_ns };
        match self.phase {
            Phase::Arrival => earliest_ns,
            Phase::Staggered => earliest_ns + ((serial as f64 * GOLDEN).fract() * gap as f64) as u64,
            Phase::Synchronous => earliest_ns.div_ceil(gap) * gap,
        }
    }

    /// See [`Engine::cancel`](super::Engine::cancel).
    pub fn cancel(&mut self, key: usize) {
        if let Some(stream) = self.streams.get_mut(key).and_then(Option::take) {
            self.running -= 1;
            self.kv_used -= stream.kv;
        }
    }

    /// See [`Engine::next_deadline`](super::Engine::next_deadline). May be that of a stream that has been cancelled.
    #[must_use]
    pub fn next_deadline(&self) -> Option<u64> {
        self.due.peek().map(|Reverse((due, ..))| *due)
    }

    /// See [`Engine::advance`](super::Engine::advance).
    pub fn advance(&mut self, now_ns: u64, out: &mut Vec<Emission>) {
        loop {
            let Some(mut entry) = self.due.peek_mut() else { return };
            let Reverse((due_ns, serial, key)) = *entry;
            if due_ns > now_ns {
                return;
            }
            let stream = self.streams.get_mut(key).and_then(Option::as_mut).filter(|stream| stream.serial == serial);
            let Some(stream) = stream else {
                PeekMut::pop(entry);
                continue;
            };
            let tokens = if self.gap_ns.is_some() { stream.left.min(self.tokens_per_event) } else { stream.left };
            stream.left -= tokens;
            let is_last = stream.left == 0;
            out.push(Emission { key, tokens, is_last, due_ns });
            if is_last {
                PeekMut::pop(entry);
                self.cancel(key);
            } else if let Some(gap) = self.gap_ns {
                *entry = Reverse((due_ns.saturating_add(gap), serial, key));
            }
        }
    }

    /// Streams that are not complete.
    #[must_use]
    pub fn running(&self) -> usize {
        self.running
    }

    /// Tokens of their prompts and whole answers.
    #[must_use]
    pub fn kv_used(&self) -> u64 {
        self.kv_used
    }
}

#[cfg(test)]
#[path = "paced_tests.rs"]
mod tests;
