//! An answer on its way: what has become due of it, what has been rendered. No I/O.

use crate::api::{self, EventTemplate, EventWriter, Job, Kind, Usage};
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
        let reasoning = match self.job.kind {
            Kind::Chat => (length.tokens as f64 * config.reasoning_share).round() as u64,
            _ => 0,
        };
        let model = api::json_string(&self.job.model);
        let template = EventTemplate::new(self.job.kind, &self.id, &model, self.created, index, reasoning > 0);
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
            if self.job.kind == Kind::Chat {
                for sequence in &self.sequences {
                    EventWriter { out, is_chunked }.event(sequence.template.role().as_bytes());
                    batch.events += 1;
                }
                batch.carried.add(Carried::ROLE);
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
            let sequence = &mut self.sequences[index];
            if sequence.is_over && !sequence.finish_sent {
                sequence.finish_sent = true;
                EventWriter { out, is_chunked }.event(sequence.template.finish(reason(sequence.length)).as_bytes());
                batch.carried.add(Carried::FINISH);
                batch.events += 1;
            }
        }
        if self.sequences.iter().all(|sequence| sequence.finish_sent) {
            if let (true, Some(sequence)) = (self.job.include_usage, self.sequences.first()) {
                EventWriter { out, is_chunked }.event(sequence.template.usage(&self.usage().json()).as_bytes());
                batch.events += 1;
            }
            self.finish(End::Complete, true, out, batch);
        }
    }

    /// Ends a stream.
    fn finish(&mut self, end: End, with_done: bool, out: &mut Vec<u8>, batch: &mut Batch) {
        let mut writer = EventWriter { out, is_chunked: !self.delivery.is_http10 };
        if with_done {
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
                let error =
                    format!("data: {}\n\n", api::error_body(500, "an error on purpose, halfway through the answer"));
                EventWriter { out, is_chunked }.event(error.as_bytes());
                batch.carried.add(Carried::ERROR);
                batch.events += 1;
                self.finish(End::StreamError, true, out, batch);
            }
            Some(Fault::Malformed) => {
                EventWriter { out, is_chunked }.event(sequence.template.malformed().as_bytes());
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
        let (object, is_chat) = match self.job.kind {
            Kind::Embedding => return api::embedding_body(&self.job, config.embedding_dimensions).into_bytes(),
            Kind::Chat => ("chat.completion", true),
            Kind::Completion => ("text_completion", false),
        };
        let model = api::json_string(&self.job.model);
        let mut body = format!(
            r#"{{"id":"{}","object":"{object}","created":{},"model":{model},"choices":["#,
            self.id, self.created
        )
        .into_bytes();
        for (index, sequence) in self.sequences.iter().enumerate() {
            let comma = if index == 0 { "" } else { "," };
            let opening = if is_chat {
                format!(r#"{comma}{{"index":{index},"message":{{"role":"assistant","reasoning_content":"#)
            } else {
                format!(r#"{comma}{{"index":{index},"text":""#)
            };
            body.extend_from_slice(opening.as_bytes());
            if is_chat && sequence.reasoning == 0 {
                body.extend_from_slice(br#"null,"content":""#);
            } else if is_chat {
                body.push(b'"');
                (0..sequence.reasoning).for_each(|number| body.extend_from_slice(word(number).as_bytes()));
                body.extend_from_slice(br#"","content":""#);
            }
            (sequence.reasoning..sequence.due).for_each(|number| body.extend_from_slice(word(number).as_bytes()));
            let brace = if is_chat { "}" } else { "" };
            let closing = format!(r#""{brace},"logprobs":null,"finish_reason":"{}"}}"#, reason(sequence.length));
            body.extend_from_slice(closing.as_bytes());
        }
        body.extend_from_slice(format!(r#"],"usage":{}}}"#, self.usage().json()).as_bytes());
        body
    }
}

/// The finish reason of a sequence.
pub(crate) fn reason(length: Length) -> &'static str {
    if length.at_max { "length" } else { "stop" }
}
