//! From the bytes of a response body to the events of a record.

use tokamark_endpoint::Dialect;
use tokamark_record::Event;
use tokamark_wire::grpc::{GrpcDecoder, MessageTooLong};
use tokamark_wire::sse::{SseDecoder, SseEvent};
use tokamark_wire::{Answer, EventFlags, EventInfo};

use crate::socket::ReadStamp;

/// A body that is not a stream may be so long; beyond it the request fails rather than the run.
const MAX_WHOLE_BODY: usize = 512 << 20;
/// Buffers beyond this size are not kept for the next answer, so that one huge answer does not swell every slot for good.
const MAX_KEPT: usize = 1 << 20;

/// How a body is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Mode {
    /// As an event stream.
    Stream,
    /// As one document.
    #[default]
    Whole,
    /// As gRPC messages.
    Messages,
    /// By its first bytes: a stream if it looks like one. For servers that name no content type.
    Sniff,
}

/// Reads one body. Its buffers serve one request after another.
#[derive(Debug, Default)]
pub(crate) struct Reading {
    mode: Mode,
    decoder: SseDecoder<ReadStamp>,
    messages: GrpcDecoder,
    /// Why no further message can be read.
    spoilt: Option<String>,
    pub(crate) answer: Answer,
    pub(crate) events: Vec<Event>,
    pub(crate) body: Vec<u8>,
    pub(crate) is_too_long: bool,
    last_stamp: ReadStamp,
    streamed_bytes: usize,
}

impl Reading {
    /// Starts a new body.
    pub(crate) fn begin(&mut self, mode: Mode) {
        self.mode = mode;
        self.decoder.clear();
        self.messages.clear();
        self.spoilt = None;
        self.answer.clear();
        self.events.clear();
        self.body.clear();
        self.streamed_bytes = 0;
        self.is_too_long = false;
        self.last_stamp = ReadStamp::default();
    }

    /// Takes the next bytes of the body, which the read with `stamp` completed.
    pub(crate) fn data(&mut self, dialect: &dyn Dialect, bytes: &[u8], stamp: ReadStamp) {
        self.last_stamp = stamp;
        if self.mode == Mode::Sniff {
            self.mode = sniff(&self.body, bytes);
            if self.mode == Mode::Stream && !self.body.is_empty() {
                let held = std::mem::take(&mut self.body);
                self.stream(dialect, &held, stamp);
            }
        }
        match self.mode {
            Mode::Stream => self.stream(dialect, bytes, stamp),
            Mode::Messages => self.messages(dialect, bytes, stamp),
            Mode::Whole | Mode::Sniff => {
                if self.body.len() + bytes.len() > MAX_WHOLE_BODY {
                    self.is_too_long = true;
                } else {
                    self.body.extend_from_slice(bytes);
                }
            }
        }
    }

    /// Gives the memory of an unusually large answer back, once that is recorded.
    pub(crate) fn shrink(&mut self) {
        // What the decoder holds is at most what it was fed.
        if self.streamed_bytes > MAX_KEPT {
            self.decoder = SseDecoder::default();
        }
        self.messages.clear();
        if self.body.capacity() > MAX_KEPT {
            self.body = Vec::new();
        }
        if self.answer.text.capacity() > MAX_KEPT {
            self.answer.text = Vec::new();
        }
        if self.events.capacity() * size_of::<Event>() > MAX_KEPT {
            self.events = Vec::new();
        }
    }

    fn stream(&mut self, dialect: &dyn Dialect, bytes: &[u8], stamp: ReadStamp) {
        let (answer, events) = (&mut self.answer, &mut self.events);
        self.streamed_bytes += bytes.len();
        self.decoder.feed(bytes, stamp, |event| push(dialect, answer, events, &event));
    }

    fn messages(&mut self, dialect: &dyn Dialect, bytes: &[u8], stamp: ReadStamp) {
        if self.spoilt.is_some() {
            return;
        }
        let (answer, events, spoilt) = (&mut self.answer, &mut self.events, &mut self.spoilt);
        let fed = self.messages.feed(bytes, stamp, |message| {
            if message.is_compressed {
                spoilt.get_or_insert_with(|| "a message is compressed, which was not asked for".to_owned());
            } else if !answer.done {
                let info = dialect.read_event(b"", message.data, answer);
                events.push(event_of(info, message.tag, message.wire_len));
            }
        });
        if let Err(MessageTooLong { length }) = fed {
            self.spoilt = Some(format!("a message is announced as {length} bytes long, which is too long"));
        }
    }

    /// The end of the body.
    ///
    /// # Errors
    /// What of a whole body could not be understood.
    pub(crate) fn finish(&mut self, dialect: &dyn Dialect) -> Result<(), String> {
        if self.mode == Mode::Stream {
            let (answer, events) = (&mut self.answer, &mut self.events);
            self.decoder.finish(|event| push(dialect, answer, events, &event));
            return Ok(());
        }
        if self.mode == Mode::Messages {
            let is_torn = self.messages.is_within_message() && !self.answer.done;
            let torn = is_torn.then(|| "the answer ended within a message".to_owned());
            return self.spoilt.take().or(torn).map_or(Ok(()), Err);
        }
        if self.is_too_long {
            return Err(format!("the body is longer than {} MiB", MAX_WHOLE_BODY >> 20));
        }
        let info = dialect.read_body(&self.body, &mut self.answer)?;
        self.events.push(event_of(info, self.last_stamp, u32::try_from(self.body.len()).unwrap_or(u32::MAX)));
        Ok(())
    }

    /// True if the body was a stream of events or messages.
    pub(crate) fn is_stream(&self) -> bool {
        self.mode == Mode::Stream || self.is_messages()
    }

    /// True if the body was a stream of gRPC messages.
    pub(crate) fn is_messages(&self) -> bool {
        self.mode == Mode::Messages
    }
}

fn push(dialect: &dyn Dialect, answer: &mut Answer, events: &mut Vec<Event>, event: &SseEvent<'_, ReadStamp>) {
    // Whatever follows the end mark in the same read is no part of the answer.
    if answer.done {
        return;
    }
    let info = if event.is_comment {
        EventInfo { flags: EventFlags::COMMENT, ..EventInfo::default() }
    } else {
        dialect.read_event(event.name, event.data, answer)
    };
    events.push(event_of(info, event.tag, event.wire_len));
}

fn event_of(info: EventInfo, stamp: ReadStamp, bytes: u32) -> Event {
    Event {
        arrival: stamp.arrival,
        read: stamp.read,
        read_number: stamp.number,
        bytes,
        flags: info.flags,
        reasoning_len: info.reasoning_len,
        content_len: info.content_len,
        tool_len: info.tool_len,
    }
}

/// Whether a body that begins with `held` and then `bytes` is an event stream.
fn sniff(held: &[u8], bytes: &[u8]) -> Mode {
    let start: Vec<u8> = held.iter().chain(bytes).copied().take(16).collect();
    let start = start.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&start);
    let start = start.trim_ascii_start();
    let fields: [&[u8]; 5] = [b"data:", b"event:", b"id:", b"retry:", b":"];
    if fields.iter().any(|field| start.starts_with(field)) {
        Mode::Stream
    } else if start.is_empty() || fields.iter().any(|field| field.starts_with(start)) {
        Mode::Sniff
    } else {
        Mode::Whole
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_without_a_type_is_known_by_its_first_bytes() {
        assert_eq!(sniff(b"", b"data: {}"), Mode::Stream);
        assert_eq!(sniff(b"", b"\xEF\xBB\xBF\r\n: ping"), Mode::Stream);
        assert_eq!(sniff(b"da", b"ta:"), Mode::Stream);
        assert_eq!(sniff(b"", b"da"), Mode::Sniff);
        assert_eq!(sniff(b"", b"  "), Mode::Sniff);
        assert_eq!(sniff(b"", b"{\"a\":1}"), Mode::Whole);
        assert_eq!(sniff(b"", b"dark"), Mode::Whole);
    }

    #[test]
    fn one_huge_answer_does_not_swell_the_slot() {
        let dialect = tokamark_endpoint::dialect(tokamark_plan::EndpointKind::Chat);
        let huge = "x".repeat(4 << 20);
        let mut reading = Reading::default();
        for mode in [Mode::Stream, Mode::Whole] {
            reading.begin(mode);
            reading.data(dialect, format!("data: {huge}").as_bytes(), ReadStamp::default());
            reading.data(dialect, huge.as_bytes(), ReadStamp::default());
            reading.shrink();
            assert!(reading.body.capacity() <= MAX_KEPT);
            assert!(format!("{:?}", reading.decoder).len() < 2_000, "the decoder still holds the text");
        }
        reading.begin(Mode::Stream);
        reading.data(dialect, ":\n\n".repeat(100_000).as_bytes(), ReadStamp::default());
        assert_eq!(reading.events.len(), 100_000);
        reading.shrink();
        assert!(reading.events.capacity() * size_of::<Event>() <= MAX_KEPT);
        // An ordinary answer leaves its buffers for the next one.
        reading.begin(Mode::Stream);
        reading.data(dialect, b":\n\n", ReadStamp::default());
        let kept = reading.events.capacity();
        reading.shrink();
        assert!(kept > 0 && reading.events.capacity() == kept);
    }
}
