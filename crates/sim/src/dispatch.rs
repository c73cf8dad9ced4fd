//! The heart of a server thread: the engine, the answers on their way, and the writing of what is due.
//!
//! Nothing here waits. Writes go straight to the sockets from the loop that follows the engine's deadlines, so that an event
//! costs one system call and no task switch; a socket that is full is left to its connection's task, which reports back.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::Sender;

use tokamark_clock::now_ns;

use crate::answer::{Answer, Batch, Delivery, reason};
use crate::config::Pace;
use crate::engine::{Emission, Engine, NewSequence};
use crate::metrics::EngineMetrics;
use crate::outlet::Outlet;
use crate::prefix::{BLOCK_TOKENS, PrefixCache};
use crate::routes::Generation;
use crate::shared::Shared;
use crate::truth::{Carried, End, Entry, TruthRecord, Written};

/// With many streams on clocks of their own, deadlines are rounded up to multiples of this, so that a wake-up serves
/// several of them.
const TICK_NS: u64 = 100_000;
const MANY_STREAMS: usize = 100;

struct Live {
    answer: Answer,
    outlet: Outlet,
    record: TruthRecord,
    writes: Vec<Written>,
    /// Rendered bytes that the socket has not taken, from `pending_at`, and what they hold.
    pending: Vec<u8>,
    pending_at: usize,
    pending_batch: Batch,
    /// The instant for which an alarm has been set.
    alarm_ns: u64,
    is_blocked: bool,
    is_touched: bool,
    is_ready: bool,
    /// The answer's end has been written, or cannot be.
    is_done: bool,
}

/// What a connection has to know about its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Progress {
    pub(crate) is_done: bool,
    pub(crate) is_blocked: bool,
}

/// See the [module](self).
pub(crate) struct Dispatch {
    shared: Arc<Shared>,
    thread: usize,
    engine: Engine,
    lives: Vec<Option<Box<Live>>>,
    free_lives: Vec<usize>,
    /// Engine keys in use: which answer, and which of its sequences.
    keys: Vec<(usize, usize)>,
    free_keys: Vec<usize>,
    ready: VecDeque<usize>,
    /// When answers on hold go on.
    alarms: BinaryHeap<Reverse<(u64, usize)>>,
    emissions: Vec<Emission>,
    touched: Vec<usize>,
    scratch: Vec<u8>,
    cache: PrefixCache,
    cache_epoch: u64,
    log: Option<Sender<Entry>>,
    /// What the driver sleeps for; whoever submits something earlier must wake it.
    pub(crate) sleeping_until: u64,
}

impl Dispatch {
    pub(crate) fn new(shared: Arc<Shared>, thread: usize, log: Option<Sender<Entry>>) -> Self {
        Self {
            engine: Engine::new(&shared.config),
            cache: PrefixCache::new(shared.config.prefix_cache_tokens),
            shared,
            thread,
            lives: Vec::new(),
            free_lives: Vec::new(),
            keys: Vec::new(),
            free_keys: Vec::new(),
            ready: VecDeque::new(),
            alarms: BinaryHeap::new(),
            emissions: Vec::new(),
            touched: Vec::new(),
            scratch: Vec::new(),
            cache_epoch: 0,
            log,
            sleeping_until: u64::MAX,
        }
    }

    /// Takes a request; returns the number of its answer.
    pub(crate) fn submit(
        &mut self,
        generation: Generation,
        delivery: Delivery,
        mut record: TruthRecord,
        outlet: Outlet,
    ) -> usize {
        let Generation { number, job, fault, mut draw } = generation;
        let shared = Arc::clone(&self.shared);
        let config = &shared.config;
        let prefix = job.kind.id_prefix();
        let id = format!("{prefix}-sim{number:08x}");
        record.id.clone_from(&id);
        record.status = 200;
        record.is_stream = job.is_stream;
        let arrival_ns = record.arrival_ns;
        let generates = job.kind.generates();
        let prompts = job.prompts.len();
        let wish = job.wish;
        let mut answer = Answer::new(id, job, arrival_ns, shared.created, delivery, fault);
        let at = self.free_lives.pop().unwrap_or_else(|| {
            self.lives.push(None);
            self.lives.len() - 1
        });
        for index in 0..prompts {
            let prompt_tokens = answer.job.prompts[index].tokens;
            let cached_tokens = self.cached_tokens(&answer.job.prompts[index].blocks, prompt_tokens);
            let room = config.longest().saturating_sub(prompt_tokens).max(1);
            let length = if generates {
                draw.length(config, wish, room)
            } else {
                crate::draw::Length { tokens: 0, at_max: false }
            };
            let key = self.free_keys.pop().unwrap_or_else(|| {
                self.keys.push((0, 0));
                self.keys.len() - 1
            });
            self.keys[key] = (at, index);
            answer.add_sequence(key, cached_tokens, length, config);
            record.prompt_tokens += prompt_tokens;
            record.cached_tokens += cached_tokens;
            let sequence = NewSequence { key, prompt_tokens, cached_tokens, output_tokens: length.tokens };
            self.engine.submit(arrival_ns, sequence);
        }
        self.lives[at] = Some(Box::new(Live {
            answer,
            outlet,
            record,
            writes: Vec::new(),
            pending: Vec::new(),
            pending_at: 0,
            pending_batch: Batch::default(),
            alarm_ns: 0,
            is_blocked: false,
            is_touched: false,
            is_ready: false,
            is_done: false,
        }));
        self.publish_load();
        // The head, if it is to be sent early.
        self.flush(at);
        at
    }

    fn cached_tokens(&mut self, blocks: &[u64], prompt_tokens: u64) -> u64 {
        let epoch = self.shared.cache_epoch.load(Relaxed);
        if epoch != self.cache_epoch {
            self.cache_epoch = epoch;
            self.cache.clear();
        }
        if self.shared.config.prefix_cache_tokens == 0 {
            return 0;
        }
        // At least one token must be read, or there would be nothing to go on from.
        let most = (prompt_tokens - 1) / BLOCK_TOKENS * BLOCK_TOKENS;
        let cached = (self.cache.look_up(blocks) * BLOCK_TOKENS).min(most);
        let metrics = &self.shared.metrics[self.thread];
        metrics.cache_queries.add(prompt_tokens);
        metrics.cache_hits.add(cached);
        cached
    }

    /// When there is something to do: now (`Some(0)`), at an instant, or not before someone submits something.
    pub(crate) fn next_deadline(&self) -> Option<u64> {
        if !self.ready.is_empty() {
            return Some(0);
        }
        let alarm = self.alarms.peek().map(|Reverse((at, _))| *at);
        let mut engine = self.engine.next_deadline();
        if matches!(self.shared.config.pace, Pace::PerStream { .. }) && self.engine.running() >= MANY_STREAMS {
            engine = engine.map(|at| at.div_ceil(TICK_NS) * TICK_NS);
        }
        match (alarm, engine) {
            (Some(alarm), Some(engine)) => Some(alarm.min(engine)),
            (alarm, engine) => alarm.or(engine),
        }
    }

    /// Does what is due: moves the engine on and writes what has come of it.
    pub(crate) fn pump(&mut self) {
        let now = now_ns();
        while let Some(Reverse((due, at))) = self.alarms.peek().copied() {
            if due > now {
                break;
            }
            self.alarms.pop();
            self.make_ready(at);
        }
        let mut emissions = std::mem::take(&mut self.emissions);
        self.engine.advance(now, &mut emissions);
        if !emissions.is_empty() {
            self.publish_load();
        }
        let mut touched = std::mem::take(&mut self.touched);
        for emission in emissions.drain(..) {
            let (at, index) = self.keys[emission.key];
            if emission.is_last {
                self.free_keys.push(emission.key);
            }
            if let Some(live) = self.lives.get_mut(at).and_then(Option::as_mut) {
                live.take(index, emission, &self.shared.metrics[self.thread]);
                if !std::mem::replace(&mut live.is_touched, true) {
                    touched.push(at);
                }
            }
        }
        self.emissions = emissions;
        for at in touched.drain(..) {
            if let Some(live) = self.lives.get_mut(at).and_then(Option::as_mut) {
                live.is_touched = false;
            }
            self.flush(at);
        }
        self.touched = touched;
        // One go for each that had more than a rendering's worth, so that none keeps the others waiting.
        for _ in 0..self.ready.len() {
            let Some(at) = self.ready.pop_front() else { break };
            if let Some(live) = self.lives.get_mut(at).and_then(Option::as_mut) {
                live.is_ready = false;
            }
            self.flush(at);
        }
    }

    fn make_ready(&mut self, at: usize) {
        if let Some(live) = self.lives.get_mut(at).and_then(Option::as_mut)
            && !std::mem::replace(&mut live.is_ready, true)
        {
            self.ready.push_back(at);
        }
    }

    /// Renders and writes a part of an answer, if it has any.
    fn flush(&mut self, at: usize) {
        let Some(live) = self.lives.get_mut(at).and_then(Option::as_mut) else { return };
        if live.is_blocked || live.is_done {
            return;
        }
        let now = now_ns();
        if live.pending.is_empty() {
            self.scratch.clear();
            live.pending_batch = live.answer.render(&mut self.scratch, &self.shared.config, now);
            let hold = live.answer.hold_until;
            if hold > now && hold != live.alarm_ns {
                live.alarm_ns = hold;
                self.alarms.push(Reverse((hold, at)));
            }
        }
        let keeps_log = self.log.is_some();
        if live.pending.is_empty() && self.scratch.is_empty() {
            live.is_done = live.answer.end.is_some();
        } else if live.pending.is_empty() {
            let taken = live.write(&self.scratch, keeps_log);
            if taken < self.scratch.len() {
                live.pending.extend_from_slice(&self.scratch[taken..]);
                live.pending_at = 0;
            }
        } else {
            let pending = std::mem::take(&mut live.pending);
            live.pending_at += live.write(&pending[live.pending_at..], keeps_log);
            if live.pending_at < pending.len() {
                live.pending = pending;
            }
        }
        if live.pending.is_empty() && live.answer.end.is_some() {
            live.is_done = true;
        }
        if live.is_done {
            live.record.end_ns = now_ns();
        }
        if live.is_done || live.is_blocked {
            live.outlet.changed.notify_one();
        } else if live.answer.has_more() && live.answer.hold_until <= now {
            self.make_ready(at);
        }
    }

    /// How far an answer has come.
    pub(crate) fn progress(&self, at: usize) -> Progress {
        match self.lives.get(at).and_then(Option::as_ref) {
            Some(live) => Progress { is_done: live.is_done, is_blocked: live.is_blocked },
            None => Progress { is_done: true, is_blocked: false },
        }
    }

    /// The socket takes more.
    pub(crate) fn resume(&mut self, at: usize) {
        if let Some(live) = self.lives.get_mut(at).and_then(Option::as_mut) {
            live.is_blocked = false;
        }
        self.make_ready(at);
    }

    /// Forgets an answer, complete or not, and logs it. Says how it ended.
    pub(crate) fn finish(&mut self, at: usize, otherwise: End) -> End {
        let Some(live) = self.lives.get_mut(at).and_then(Option::take) else { return otherwise };
        let mut live = *live;
        self.free_lives.push(at);
        self.alarms.retain(|Reverse((_, other))| *other != at);
        let end = live.answer.end.filter(|_| live.is_done).unwrap_or(otherwise);
        let metrics = &self.shared.metrics[self.thread];
        for sequence in &live.answer.sequences {
            if !sequence.is_over {
                self.engine.cancel(sequence.key);
                self.free_keys.push(sequence.key);
                metrics.finish(if end == End::ClientGone { "abort" } else { "error" });
            }
        }
        self.publish_load();
        if !live.is_done {
            live.record.end_ns = now_ns();
        }
        live.record.output_tokens = live.answer.sent();
        live.record.end = end;
        self.log(live.record, live.writes);
        end
    }

    /// Hands a record to the log.
    pub(crate) fn log(&self, record: TruthRecord, writes: Vec<Written>) {
        if let Some(log) = &self.log {
            // A log that cannot be written reports its error when the server shuts down.
            let _ = log.send(Entry { record, writes });
        }
    }

    /// Ends all answers, for the server shuts down.
    pub(crate) fn abandon(&mut self) {
        for at in 0..self.lives.len() {
            if self.lives[at].is_some() {
                self.finish(at, End::Shutdown);
            }
        }
    }

    fn publish_load(&self) {
        let metrics = &self.shared.metrics[self.thread];
        metrics.running.set(self.engine.running() as u64);
        metrics.waiting.set(self.engine.waiting() as u64);
        metrics.kv_used.set(self.engine.kv_used());
    }
}

impl Live {
    /// Notes what the engine has emitted.
    fn take(&mut self, index: usize, emission: Emission, metrics: &EngineMetrics) {
        let arrival_ns = self.answer.arrival_ns;
        let Some(sequence) = self.answer.sequences.get_mut(index) else { return };
        let due_ns = emission.due_ns;
        if sequence.due == 0 {
            metrics.prompt_tokens.add(sequence.prompt_tokens);
            if emission.tokens > 0 {
                metrics.ttft.observe(due_ns.saturating_sub(arrival_ns), 1);
            }
        } else {
            metrics.gap.observe(due_ns.saturating_sub(sequence.last_due_ns), emission.tokens);
        }
        sequence.last_due_ns = due_ns;
        sequence.due += emission.tokens;
        metrics.generation_tokens.add(emission.tokens);
        if emission.is_last {
            sequence.is_over = true;
            metrics.latency.observe(due_ns.saturating_sub(arrival_ns), 1);
            metrics.finish(reason(sequence.length));
        }
    }

    /// Writes what the socket takes and says how much that was. A socket that fails ends the answer.
    fn write(&mut self, bytes: &[u8], keeps_log: bool) -> usize {
        let before_ns = now_ns();
        let result = self.outlet.try_write(bytes);
        let after_ns = now_ns();
        let taken = match result {
            Ok(taken) => taken,
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => 0,
            Err(_) => {
                self.answer.end = Some(End::ClientGone);
                self.is_done = true;
                return bytes.len();
            }
        };
        let is_whole = taken == bytes.len();
        self.is_blocked = !is_whole;
        if keeps_log && taken > 0 {
            let took_ns = u32::try_from(after_ns - before_ns).unwrap_or(u32::MAX);
            let Batch { events, tokens, carried } = if is_whole { self.pending_batch } else { Batch::default() };
            let mut written = Written { before_ns, took_ns, events, tokens, carried };
            if !is_whole {
                written.carried.add(Carried::PARTIAL);
            }
            self.writes.push(written);
        }
        taken
    }
}
