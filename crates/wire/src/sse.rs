//! Server-sent events (WHATWG "event stream" format), decoded as the bytes come.

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
    pub tag: T,
    /// Bytes of the stream that the event took, blank line included.
    pub wire_len: u32,
}
