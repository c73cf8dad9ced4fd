//! Continuous batching with a cost model.
//!
//! The engine works in steps. At the start of a step it admits waiting sequences in the order of their arrival, as long as
//! the batch has a place, the KV cache has room for prompt and whole answer, and the step may read more prompt tokens.
//! In the step, each sequence that has its prompt read gets its next tokens; the others have more of their prompts read, and
//! one whose prompt is complete gets its first tokens with this step. All tokens of a step are due at its end.
//!
//! A step of n sequences that reads p prompt tokens takes
//! `1/decode_rate + sequence × (n − 1) + p / prefill_rate`.

use std::collections::VecDeque;

use super::{Emission, NewSequence};
use crate::config::SimConfig;

#[derive(Clone, Copy, Debug)]
struct Waiting {
    sequence: NewSequence,
    /// When it has a place in the queue.
    eligible_ns: u64,
}

#[derive(Clone, Copy, Debug)]
struct Running {
    sequence: NewSequence,
    /// Prompt tokens still to be read, and those of them that the step in progress reads.
    unread: u64,
    reading: u64,
    /// Tokens still to be generated.
    left: u64,
}

/// See the [module](self).
#[derive(Debug)]
pub struct BatchEngine {
    overhead_ns: u64,
    base_ns: u64,
    sequence_ns: u64,
    prefill_rate: f64,
    prefill_chunk: u64,
    max_batch: usize,
    kv_tokens: u64,
    tokens_per_step: u64,
    waiting: VecDeque<Waiting>,
    running: Vec<Running>,
    kv_used: u64,
    /// End of the step in progress.
    step_end: Option<u64>,
    /// End of the last step, before which no other can start.
    free_ns: u64,
}

impl BatchEngine {
    /// An idle engine.
    #[must_use]
    pub fn new(config: &SimConfig) -> Self {
        let base_ns = if config.decode_rate > 0.0 { tokamark_clock::from_seconds(1.0 / config.decode_rate) } else { 0 };
        Self {
            overhead_ns: config.overhead_ns,
            base_ns,
            sequence_ns: config.sequence_ns,
            prefill_rate: config.prefill_rate,
            prefill_chunk: if config.prefill_chunk == 0 { u64::MAX } else { u64::from(config.prefill_chunk) },
            max_batch: usize::try_from(config.max_batch).unwrap_or(usize::MAX),
            kv_tokens: config.kv_tokens,
            tokens_per_step: u64::from(config.tokens_per_event.max(1)),
            waiting: VecDeque::new(),
            running: Vec::new(),
            kv_used: 0,
            step_end: None,
            free_ns: 0,
        }
    }

    /// See [`Engine::submit`](super::Engine::submit). The sequence must fit into an empty KV cache.
    pub fn submit(&mut self, arrival_ns: u64, sequence: NewSequence) {
        self.waiting.push_back(Waiting { sequence, eligible_ns: arrival_ns.saturating_add(self.overhead_ns) });
    }

    /// See [`Engine::cancel`](super::Engine::cancel). A step in progress takes as long as it would have.
    pub fn cancel(&mut self, key: usize) {
        self.waiting.retain(|waiting| waiting.sequence.key != key);
        if let Some(at) = self.running.iter().position(|running| running.sequence.key == key) {
            self.kv_used -= kv_need(&self.running[at].sequence);
            self.running.remove(at);
        }
    }

    /// See [`Engine::next_deadline`](super::Engine::next_deadline).
    #[must_use]
    pub fn next_deadline(&self) -> Option<u64> {
        self.step_end.or_else(|| self.next_start())
    }

    /// See [`Engine::advance`](super::Engine::advance).
    pub fn advance(&mut self, now_ns: u64, out: &mut Vec<Emission>) {
        loop {
            if let Some(end) = self.step_end {
                if end > now_ns {
                    return;
                }
                self.finish_step(end, out);
            }
            match self.next_start() {
                Some(start) if start <= now_ns => self.start_step(start),
                _ => return,
            }
        }
    }

    /// Sequences in the batch.
    #[must_use]
    pub fn running(&self) -> usize {
        self.running.len()
    }

    /// Sequences not yet in the batch.
    #[must_use]
    pub fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// Tokens of prompts and whole answers of the batch.
    #[must_use]
    pub fn kv_used(&self) -> u64 {
        self.kv_used
    }

    /// When the next step starts, given that none is in progress.
    fn next_start(&self) -> Option<u64> {
        if !self.running.is_empty() {
            return Some(self.free_ns);
        }
        self.waiting.front().map(|first| first.eligible_ns.max(self.free_ns))
    }

    fn start_step(&mut self, start_ns: u64) {
        let mut budget = self.prefill_chunk;
        for running in &mut self.running {
            running.reading = running.unread.min(budget);
            budget -= running.reading;
        }
        while let Some(first) = self.waiting.front().copied() {
            let need = kv_need(&first.sequence);
            let fits = self.running.len() < self.max_batch && self.kv_used + need <= self.kv_tokens;
            // An engine that is empty takes what there is, so that nothing can wait for ever.
            let fits = fits || self.running.is_empty();
            if first.eligible_ns > start_ns || budget == 0 || !fits {
                break;
            }
            self.waiting.pop_front();
            self.kv_used += need;
            let unread = first.sequence.prompt_tokens.saturating_sub(first.sequence.cached_tokens);
            let reading = unread.min(budget);
            budget -= reading;
            let left = first.sequence.output_tokens;
            self.running.push(Running { sequence: first.sequence, unread, reading, left });
        }
        let prompt_tokens: u64 = self.running.iter().map(|running| running.reading).sum();
        let duration = self.step_ns(self.running.len() as u64, prompt_tokens);
        self.step_end = Some(start_ns.saturating_add(duration));
    }

    fn step_ns(&self, sequences: u64, prompt_tokens: u64) -> u64 {
        let prefill = if self.prefill_rate > 0.0 {
            tokamark_clock::from_seconds(prompt_tokens as f64 / self.prefill_rate)
        } else {
            0
        };
        let further = self.sequence_ns.saturating_mul(sequences.saturating_sub(1));
        self.base_ns.saturating_add(further).saturating_add(prefill)
    }

    fn finish_step(&mut self, end_ns: u64, out: &mut Vec<Emission>) {
        self.step_end = None;
        self.free_ns = end_ns;
        let (tokens_per_step, kv_used) = (self.tokens_per_step, &mut self.kv_used);
        self.running.retain_mut(|running| {
            running.unread -= std::mem::take(&mut running.reading);
            if running.unread > 0 {
                return true;
            }
            let tokens = running.left.min(tokens_per_step);
            running.left -= tokens;
            let is_last = running.left == 0;
            out.push(Emission { key: running.sequence.key, tokens, is_last, due_ns: end_ns });
            if is_last {
                *kv_used -= kv_need(&running.sequence);
            }
            !is_last
        });
    }
}

fn kv_need(sequence: &NewSequence) -> u64 {
    sequence.prompt_tokens + sequence.output_tokens
}

#[cfg(test)]
#[path = "batch_tests.rs"]
mod tests;
