//! Server-sent events (WHATWG "event stream" format), decoded as the bytes come.

use memchr::memchr2;

/// One event or comment. Slices live until the next call of the decoder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SseEvent<'a, T> {
    /// The `data` lines, joined by line feeds; for a comment, its text.
    pub data: &'a [u8],
    /// The `event` field, or empty.
    pub name: &'a [u8],
    /// True for a comment line.
    pub is_comment: bool,
    /// False if the stream ended before the blank line that closes an event.
    pub is_terminated: bool,
    /// The tag of the feed that brought the last byte of the event's last field line (its blank line may have come later).
    /// Line ends do not count: a line's last byte is the last one before its CR or LF. A comment has a tag of its own.
    pub tag: T,
    /// Bytes of the stream that the event took, blank line included. Comments within it are counted as their own, and
    /// the LF of a CRLF that ends an event or comment counts to what follows (it may not have come yet).
    pub wire_len: u32,
}

/// Buffers above this many bytes are given back by [`SseDecoder::clear`].
const KEEP: usize = 64 * 1024;

const BOM: &[u8] = b"\xEF\xBB\xBF";

/// An incremental decoder. An event that lies within one feed is handed on without a copy; each byte is looked at once.
///
/// A tag goes with each feed (such as the number of the read) and comes back with the events.
#[derive(Clone, Debug)]
pub struct SseDecoder<T> {
    /// The beginning of a line whose end has not come yet, and the tag of its last byte.
    line: Vec<u8>,
    line_tag: Option<T>,
    /// Data of the event in progress, from `data_start`, if `has_data`.
    data: Vec<u8>,
    data_start: usize,
    has_data: bool,
    /// Name of the event in progress.
    name: Vec<u8>,
    /// Tag of the last field line of the event in progress.
    tag: Option<T>,
    /// Bytes since the last event, and those of them in the line in progress.
    event_len: u32,
    line_len: u32,
    /// The last byte was a CR: a LF that follows belongs to it.
    after_cr: bool,
    /// No line has ended yet, so that a byte-order mark may be there.
    at_start: bool,
}

impl<T> Default for SseDecoder<T> {
    fn default() -> Self {
        Self {
            line: Vec::new(),
            line_tag: None,
            data: Vec::new(),
            data_start: 0,
            has_data: false,
            name: Vec::new(),
            tag: None,
            event_len: 0,
            line_len: 0,
            after_cr: false,
            at_start: true,
        }
    }
}

/// What a line says.
enum Line<'a> {
    Blank,
    Comment(&'a [u8]),
    Data(&'a [u8]),
    Name(&'a [u8]),
    /// A field that is of no use here: `id`, `retry` and unknown ones.
    Other,
}

impl<'a> Line<'a> {
    fn parse(line: &'a [u8]) -> Self {
        match line {
            [] => Self::Blank,
            [b':', text @ ..] => Self::Comment(skip_space(text)),
            [b'd', b'a', b't', b'a', rest @ ..] => value(rest).map_or(Self::Other, Self::Data),
            [b'e', b'v', b'e', b'n', b't', rest @ ..] => value(rest).map_or(Self::Other, Self::Name),
            _ => Self::Other,
        }
    }
}

/// The value after a field's name; none if the name goes on.
fn value(rest: &[u8]) -> Option<&[u8]> {
    match rest {
        [] => Some(rest),
        [b':', value @ ..] => Some(skip_space(value)),
        _ => None,
    }
}

fn skip_space(text: &[u8]) -> &[u8] {
    text.strip_prefix(b" ").unwrap_or(text)
}

/// The parts of the event in progress that lie within the bytes being fed.
struct Local<'b> {
    data: Option<&'b [u8]>,
    name: Option<&'b [u8]>,
}

impl<T: Copy> SseDecoder<T> {
    /// A decoder at the start of a stream.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the next bytes of the stream and hands each event and comment that they complete to `sink`, in order.
    pub fn feed(&mut self, bytes: &[u8], tag: T, mut sink: impl FnMut(SseEvent<'_, T>)) {
        let mut local = Local { data: None, name: None };
        let mut rest = bytes;
        while let Some(&first) = rest.first() {
            if std::mem::take(&mut self.after_cr) && first == b'\n' {
                self.event_len = self.event_len.saturating_add(1);
                rest = &rest[1..];
                continue;
            }
            let end = if first == b'\n' { Some(0) } else { memchr2(b'\r', b'\n', rest) };
            let Some(end) = end else {
                self.line.extend_from_slice(rest);
                self.line_tag = Some(tag);
                self.line_len = self.line_len.saturating_add(saturate(rest.len()));
                break;
            };
            self.after_cr = rest[end] == b'\r';
            self.line_len = self.line_len.saturating_add(saturate(end + 1));
            let piece = &rest[..end];
            rest = &rest[end + 1..];
            if self.line.is_empty() {
                let line = if self.at_start { piece.strip_prefix(BOM).unwrap_or(piece) } else { piece };
                self.at_start = false;
                self.whole_line(line, tag, &mut local, &mut sink);
            } else {
                if !piece.is_empty() {
                    self.line.extend_from_slice(piece);
                    self.line_tag = Some(tag);
                }
                let line_tag = self.line_tag.unwrap_or(tag);
                self.carried_line(line_tag, true, &mut sink);
            }
        }
        self.keep(&local);
    }

    /// The stream has ended: hands on an event that no blank line has closed, marked as not terminated.
    pub fn finish(&mut self, mut sink: impl FnMut(SseEvent<'_, T>)) {
        if let (false, Some(tag)) = (self.line.is_empty(), self.line_tag) {
            self.carried_line(tag, false, &mut sink);
        }
        if let Some(tag) = self.tag {
            self.dispatch(tag, false, &mut Local { data: None, name: None }, &mut sink);
        }
        self.reset();
    }

    /// Makes the decoder ready for another stream. Keeps its buffers, unless an uncommonly big event has bloated them.
    pub fn clear(&mut self) {
        for buffer in [&mut self.line, &mut self.data, &mut self.name] {
            buffer.clear();
            if buffer.capacity() > KEEP {
                *buffer = Vec::new();
            }
        }
        self.reset();
    }

    fn reset(&mut self) {
        self.line.clear();
        self.line_tag = None;
        self.forget_event();
        self.line_len = 0;
        self.after_cr = false;
        self.at_start = true;
    }

    fn forget_event(&mut self) {
        self.has_data = false;
        self.name.clear();
        self.tag = None;
        self.event_len = 0;
    }

    /// A line within the bytes being fed.
    fn whole_line<'b>(
        &mut self,
        line: &'b [u8],
        tag: T,
        local: &mut Local<'b>,
        sink: &mut impl FnMut(SseEvent<'_, T>),
    ) {
        let len = std::mem::take(&mut self.line_len);
        let line = Line::parse(line);
        if let Line::Comment(text) = line {
            sink(SseEvent { data: text, name: &[], is_comment: true, is_terminated: true, tag, wire_len: len });
            return;
        }
        self.event_len = self.event_len.saturating_add(len);
        match line {
            Line::Blank => {
                let tag = self.tag.unwrap_or(tag);
                self.dispatch(tag, true, local, sink);
                return;
            }
            Line::Data(value) if !self.has_data => match local.data {
                None => local.data = Some(value),
                Some(_) => {
                    self.keep_data(local);
                    self.append_data(value);
                }
            },
            Line::Data(value) => self.append_data(value),
            Line::Name(value) => local.name = Some(value),
            Line::Comment(_) | Line::Other => {}
        }
        self.tag = Some(tag);
    }

    /// A line that has been put together in `self.line`. It began in an earlier feed, so nothing of its event is local.
    fn carried_line(&mut self, tag: T, is_terminated: bool, sink: &mut impl FnMut(SseEvent<'_, T>)) {
        let mut buffer = std::mem::take(&mut self.line);
        let has_bom = std::mem::take(&mut self.at_start) && buffer.starts_with(BOM);
        let line = Line::parse(&buffer[if has_bom { BOM.len() } else { 0 }..]);
        let len = std::mem::take(&mut self.line_len);
        if let Line::Comment(text) = line {
            sink(SseEvent { data: text, name: &[], is_comment: true, is_terminated, tag, wire_len: len });
        } else {
            self.event_len = self.event_len.saturating_add(len);
            match line {
                // Nothing but a byte-order mark.
                Line::Blank => self.forget_event(),
                Line::Data(value) if self.has_data => self.append_data(value),
                Line::Data(value) => {
                    // The line's buffer becomes the event's, so that a big event is not copied again.
                    self.data_start = buffer.len() - value.len();
                    self.has_data = true;
                    std::mem::swap(&mut self.data, &mut buffer);
                }
                Line::Name(value) => {
                    self.name.clear();
                    self.name.extend_from_slice(value);
                }
                Line::Comment(_) | Line::Other => {}
            }
            self.tag = Some(tag);
        }
        buffer.clear();
        self.line = buffer;
    }

    /// Hands on the event in progress, if it has data.
    fn dispatch(&mut self, tag: T, is_terminated: bool, local: &mut Local<'_>, sink: &mut impl FnMut(SseEvent<'_, T>)) {
        let data = if self.has_data { self.data.get(self.data_start..) } else { local.data.take() };
        if let Some(data) = data {
            let name = local.name.unwrap_or(&self.name);
            sink(SseEvent { data, name, is_comment: false, is_terminated, tag, wire_len: self.event_len });
        }
        local.data = None;
        local.name = None;
        self.forget_event();
    }

    /// Copies what the event in progress has in the bytes being fed, which are about to go.
    fn keep(&mut self, local: &Local<'_>) {
        self.keep_data(local);
        if let Some(name) = local.name {
            self.name.clear();
            self.name.extend_from_slice(name);
        }
    }

    fn keep_data(&mut self, local: &Local<'_>) {
        if let (false, Some(data)) = (self.has_data, local.data) {
            self.data.clear();
            self.data.extend_from_slice(data);
            self.data_start = 0;
            self.has_data = true;
        }
    }

    fn append_data(&mut self, value: &[u8]) {
        self.data.push(b'\n');
        self.data.extend_from_slice(value);
    }
}

fn saturate(len: usize) -> u32 {
    u32::try_from(len).unwrap_or(u32::MAX)
}
