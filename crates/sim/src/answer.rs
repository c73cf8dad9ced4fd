//! An answer on its way: what has become due of it, what has been rendered. No I/O.

use crate::api::{self, EventTemplate, EventWriter, Frame, Job, Kind, Usage, WholeSequence};
use crate::config::{Head, SimConfig};
use crate::draw::{Fault, Length};
use crate::http::{Framing, Reply, push_head};
use crate::tokens::word;
use crate::truth::{Carried, End};

/// Bytes after which a rendering pauses, so that no answer keeps the others waiting.
const RENDER_BYTES: usize = 32 * 1024;

/// One of an answer's sequences.
#[derive(Debug)]
pub(crate) struct AnswerSequence {
    /// Under which the engine knows it, until it has emitted all.
    pub(crate) key: usize,
    pub(crate) prompt_tokens: u64,
    pub(crate) cached_tokens: u64,
    pub(crate) length: Length,
    /// Tokens that the engine has emitted.
    pub(crate) due: u64,
    /// It has emitted all.
    pub(crate) is_over: bool,
    /// When it last emitted something.
    pub(crate) last_due_ns: u64,
    /// The first tokens, which are reasoning.
    reasoning: u64,
    sent: u64,
    finish_sent: bool,
    template: EventTemplate,
}

/// What a rendering holds.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Batch {
    pub(crate) events: u32,
    pub(crate) tokens: u32,
    pub(crate) carried: Carried,
}

/// How the connection wants the answer.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Delivery {
    pub(crate) is_http10: bool,
    pub(crate) keep_alive: bool,
}

/// See the [module](self).
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) id: String,
    pub(crate) job: Job,
    pub(crate) arrival_ns: u64,
    pub(crate) sequences: Vec<AnswerSequence>,
    /// Nothing is rendered before this instant.
    pub(crate) hold_until: u64,
    /// Set by the rendering that ends the answer.
    pub(crate) end: Option<End>,
    created: u64,
    delivery: Delivery,
    fault: Option<Fault>,
    head_sent: bool,
}

impl Answer {
    pub(crate) fn new(
        id: String,
        job: Job,
        arrival_ns: u64,
        created: u64,
        delivery: Delivery,
        fault: Option<Fault>,
    ) -> Self {
        Self {
            id,
            job,
            arrival_ns,
            sequences: Vec::new(),
            hold_until: 0,
            end: None,
            created,
            delivery,
            fault,
            head_sent: false,
        }
    }

    /// Adds the sequence of the next prompt.
    pub(crate) fn add_sequence(&mut self, key: usize, cached_tokens: u64, length: Length, config: &SimConfig) {
        let index = self.sequences.len();
        let reasoning =
            if self.job.kind.reasons() { (length.tokens as f64 * config.reasoning_share).round() as u64 } else { 0 };
        let template = EventTemplate::new(Frame {
            kind: self.job.kind,
            id: self.id.clone(),
            model: api::json_string(&self.job.model),
            created: self.created,
            index,
            reasons: reasoning > 0,
        });
        self.sequences.push(AnswerSequence {
            key,
            prompt_tokens: self.job.prompts[index].tokens,
            cached_tokens,
            length,
            due: 0,
            is_over: false,
            last_due_ns: 0,
            reasoning,
            sent: 0,
            finish_sent: false,
            template,
        });
    }

    /// Tokens rendered so far.
    pub(crate) fn sent(&self) -> u64 {
        self.sequences.iter().map(|sequence| sequence.sent).sum()
    }

    /// Token counts, once all is over.
    pub(crate) fn usage(&self) -> Usage {
        let mut usage = Usage::default();
        for sequence in &self.sequences {
            usage.prompt += sequence.prompt_tokens;
            usage.cached += sequence.cached_tokens;
            usage.completion += sequence.length.tokens;
            usage.reasoning += sequence.reasoning;
        }
        usage
    }

    /// Whether a rendering would bring something, holds aside.
    pub(crate) fn has_more(&self) -> bool {
        let due = |s: &AnswerSequence| s.sent < s.due || (s.is_over && !s.finish_sent);
        self.end.is_none() && self.job.is_stream && self.sequences.iter().any(due)
    }

    /// Appends what can be sent now, up to some 32 KiB. May set `hold_until` or `end` instead or as well.
    pub(crate) fn render(&mut self, out: &mut Vec<u8>, config: &SimConfig, now_ns: u64) -> Batch {
        let mut batch = Batch::default();
        if self.end.is_some() || self.hold_until > now_ns {
            return batch;
        }
        if self.job.is_stream {
            self.render_events(out, config, now_ns, &mut batch);
        } else if self.sequences.iter().all(|sequence| sequence.is_over) {
            self.render_whole(out, config, now_ns, &mut batch);
        }
        batch
    }

    /// True if the head must wait because it was told to be slow.
    fn is_head_slow(&mut self, config: &SimConfig, now_ns: u64) -> bool {
        if self.fault == Some(Fault::SlowHead) {
            self.fault = None;
            self.hold_until = self.arrival_ns.saturating_add(config.faults.slow_head_ns);
        }
        self.hold_until > now_ns
    }

    fn render_events(&mut self, out: &mut Vec<u8>, config: &SimConfig, now_ns: u64, batch: &mut Batch) {
        let is_chunked = !self.delivery.is_http10;
        if !self.head_sent {
            let has_token = self.sequences.iter().any(|sequence| sequence.due > 0 || sequence.is_over);
            if (config.head == Head::Token && !has_token) || self.is_head_slow(config, now_ns) {
                return;
            }
            self.head_sent = true;
            let framing = if is_chunked { Framing::Chunked } else { Framing::Close };
            let keep_alive = self.delivery.keep_alive && is_chunked;
            push_head(out, 200, "text/event-stream; charset=utf-8", "cache-control: no-cache\r\n", framing, keep_alive);
            batch.carried.add(Carried::HEAD);
            for sequence in &self.sequences {
                let usage =
                    Usage { prompt: sequence.prompt_tokens, cached: sequence.cached_tokens, ..Usage::default() };
                for event in sequence.template.frame.opening(&usage) {
                    EventWriter { out, is_chunked }.event(event.as_bytes());
                    batch.events += 1;
                    batch.carried.add(Carried::ROLE);
                }
            }
        }
        let tokens_per_event = u64::from(config.tokens_per_event.max(1));
        for index in 0..self.sequences.len() {
            while self.sequences[index].sent < self.sequences[index].due {
                if out.len() >= RENDER_BYTES || self.suffer(index, out, config, now_ns, batch) {
                    return;
                }
                let sequence = &mut self.sequences[index];
                let is_reasoning = sequence.sent < sequence.reasoning;
                if sequence.reasoning > 0 && sequence.sent == sequence.reasoning {
                    for event in sequence.template.frame.turn_to_text() {
                        EventWriter { out, is_chunked }.event(event.as_bytes());
                        batch.events += 1;
                    }
                }
                let part_end = if is_reasoning { sequence.reasoning } else { u64::MAX };
                // Events end at multiples of their size, however late they are.
                let event_end = (sequence.sent / tokens_per_event + 1) * tokens_per_event;
                let count = event_end.min(part_end).min(sequence.due) - sequence.sent;
                EventWriter { out, is_chunked }.words(&sequence.template, is_reasoning, sequence.sent, count);
                batch.carried.add(if sequence.sent == 0 { Carried::FIRST } else { Carried::TOKEN });
                sequence.sent += count;
                batch.events += 1;
                batch.tokens += count as u32;
            }
            if self.sequences[index].is_over && !self.sequences[index].finish_sent {
                let usage = self.usage();
                let sequence = &mut self.sequences[index];
                sequence.finish_sent = true;
                let text: String = (sequence.reasoning..sequence.due).map(word).collect();
                for event in sequence.template.frame.closing(sequence.length.at_max, &usage, &text) {
                    EventWriter { out, is_chunked }.event(event.as_bytes());
                    batch.carried.add(Carried::FINISH);
                    batch.events += 1;
                }
            }
        }
        if self.sequences.iter().all(|sequence| sequence.finish_sent) {
            let asked = self.job.include_usage && self.job.kind.says_done();
            if let (true, Some(sequence)) = (asked, self.sequences.first()) {
                EventWriter { out, is_chunked }.event(sequence.template.usage(&self.usage().json()).as_bytes());
                batch.events += 1;
            }
            self.finish(End::Complete, true, out, batch);
        }
    }

    /// Ends a stream.
    fn finish(&mut self, end: End, with_done: bool, out: &mut Vec<u8>, batch: &mut Batch) {
        let mut writer = EventWriter { out, is_chunked: !self.delivery.is_http10 };
        if with_done && self.job.kind.says_done() {
            writer.event(b"data: [DONE]\n\n");
            batch.events += 1;
        }
        writer.finish();
        self.end = Some(end);
    }

    /// Lets the fault of a stream come to pass if it is time; true if nothing more is to be rendered now.
    fn suffer(&mut self, index: usize, out: &mut Vec<u8>, config: &SimConfig, now_ns: u64, batch: &mut Batch) -> bool {
        let sequence = &self.sequences[index];
        if self.fault.is_none() || index != 0 || sequence.sent < sequence.length.tokens / 2 {
            return false;
        }
        let is_chunked = !self.delivery.is_http10;
        match self.fault.take() {
            Some(Fault::Reset) => self.end = Some(End::Reset),
            Some(Fault::Truncate) => self.finish(End::Truncated, false, out, batch),
            Some(Fault::StreamError) => {
                let error = sequence.template.frame.error("an error on purpose, halfway through the answer");
                EventWriter { out, is_chunked }.event(error.as_bytes());
                batch.carried.add(Carried::ERROR);
                batch.events += 1;
                self.finish(End::StreamError, true, out, batch);
            }
            Some(Fault::Malformed) => {
                EventWriter { out, is_chunked }.event(&sequence.template.malformed());
                batch.carried.add(Carried::ERROR);
                batch.events += 1;
                return false;
            }
            Some(Fault::Stall) => self.hold_until = now_ns.saturating_add(config.faults.stall_ns),
            Some(Fault::Error | Fault::SlowHead) | None => return false,
        }
        true
    }

    fn render_whole(&mut self, out: &mut Vec<u8>, config: &SimConfig, now_ns: u64, batch: &mut Batch) {
        if self.is_head_slow(config, now_ns) {
            return;
        }
        let fault = self.fault.take();
        let mut body = match fault {
            Some(Fault::Stall) => {
                self.hold_until = now_ns.saturating_add(config.faults.stall_ns);
                return;
            }
            Some(Fault::Reset) => {
                self.end = Some(End::Reset);
                return;
            }
            Some(Fault::StreamError) => api::error_body(500, "an error on purpose, in the body").into_bytes(),
            _ => self.whole_body(config),
        };
        if fault == Some(Fault::Malformed) {
            body.truncate(body.len() / 2);
        }
        let mut reply = Vec::new();
        Reply::json(200, body).push(&mut reply, self.delivery.keep_alive, false);
        if fault == Some(Fault::Truncate) {
            reply.truncate(reply.len() - reply.len() / 4);
        }
        out.extend_from_slice(&reply);
        let end = match fault {
            Some(Fault::Truncate) => End::Truncated,
            Some(Fault::StreamError) => End::StreamError,
            _ => End::Complete,
        };
        self.end = Some(end);
        for sequence in &mut self.sequences {
            sequence.sent = sequence.due;
        }
        batch.tokens = self.sent() as u32;
        batch.carried.add(Carried::HEAD);
        batch.carried.add(Carried::BODY);
    }

    fn whole_body(&self, config: &SimConfig) -> Vec<u8> {
        let body = match self.job.kind {
            Kind::Embedding => api::embedding_body(&self.job, config.embedding_dimensions),
            Kind::NimRanking | Kind::CohereRanking | Kind::TeiRanking => api::ranking_body(&self.job, &self.id),
            Kind::Boxes => api::boxes_body(&self.job),
            _ => {
                let sequences: Vec<_> = self.sequences.iter().map(AnswerSequence::whole).collect();
                let frame = self.sequences.first().map(|sequence| &sequence.template.frame);
                let body = |frame| api::whole_body(frame, &sequences, &self.usage(), self.job.in_list);
                frame.map(body).unwrap_or_default()
            }
        };
        body.into_bytes()
    }
}

impl AnswerSequence {
    fn whole(&self) -> WholeSequence {
        WholeSequence {
            reasoning: (0..self.reasoning).map(word).collect(),
            text: (self.reasoning..self.due).map(word).collect(),
            at_max: self.length.at_max,
        }
    }
}

/// The finish reason of a sequence.
pub(crate) fn reason(length: Length) -> &'static str {
    if length.at_max { "length" } else { "stop" }
}
