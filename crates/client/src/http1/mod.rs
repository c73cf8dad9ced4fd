//! HTTP/1.1 from the client's side (RFC 9112): one request after another over a connection, each polled by the task that
//! wants its answer.
//!
//! The bytes of a read go through the body's framing to the reader of events where they lie, in a buffer that all
//! connections of a worker share: there is no copy, no allocation and no wake-up between the socket and the record.

mod body;
mod head;

use std::cell::RefCell;
use std::io;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, ready};

use bytes::{Buf, Bytes};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::socket::{Meter, ReadStamp};
use body::BodyDecoder;
pub(crate) use body::Framing;
pub(crate) use head::Head;

/// The buffer that the connections of a worker read into, one at a time.
pub(crate) type Scratch = Rc<RefCell<Box<[u8]>>>;

/// Bytes that one read takes at most.
const SCRATCH_SIZE: usize = 64 * 1024;

/// A buffer for a worker.
pub(crate) fn scratch() -> Scratch {
    Rc::new(RefCell::new(vec![0; SCRATCH_SIZE].into_boxed_slice()))
}

/// Why an exchange broke.
#[derive(Debug)]
pub(crate) enum Broken {
    /// The socket failed.
    Io(io::Error),
    /// The server closed the connection before the response was complete.
    Closed,
    /// The response is not HTTP/1.1.
    Invalid(String),
    /// The server does not speak HTTP/2, or broke its rules.
    NotHttp2(String),
    /// The connection is about to end, and the server has not looked at the request.
    Unprocessed(String),
    /// The server gave the exchange up, by HTTP/2's own means.
    Refused(String),
}

/// What a body's reader wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wish {
    /// The next bytes.
    More,
    /// To be asked again, with the body where it is.
    Pause,
}

/// One connection and the exchange that it is in.
#[derive(Debug)]
pub(crate) struct Http1<T> {
    transport: T,
    meter: Rc<Meter>,
    scratch: Scratch,
    /// What is still to be sent: head and body of the request.
    unsent: [Bytes; 2],
    is_sending: bool,
    /// A write failed; the server may still have answered before it closed.
    send_error: Option<io::Error>,
    /// The beginning of a response head, or what came with a head beyond its end.
    held: Vec<u8>,
    body: BodyDecoder,
    keeps_alive: bool,
}

impl<T: AsyncRead + AsyncWrite + Unpin> Http1<T> {
    pub(crate) fn new(transport: T, meter: Rc<Meter>, scratch: Scratch) -> Self {
        Self {
            transport,
            meter,
            scratch,
            unsent: [Bytes::new(), Bytes::new()],
            is_sending: false,
            send_error: None,
            held: Vec::new(),
            body: BodyDecoder::new(Framing::Length(0)),
            keeps_alive: true,
        }
    }

    /// Begins an exchange. The one before must be over.
    pub(crate) fn start(&mut self, head: Bytes, body: Bytes) {
        self.unsent = [head, body];
        self.is_sending = true;
        self.send_error = None;
        self.held.clear();
    }

    /// Whether another request can be sent: the last response is over, and the server has neither closed the connection nor
    /// said anything since.
    pub(crate) fn is_usable(&mut self, cx: &mut Context<'_>) -> bool {
        let is_over = self.keeps_alive && self.body.is_ended() && self.held.is_empty() && !self.is_sending;
        is_over && self.poll_read(cx).is_pending()
    }

    /// Sends the request and reads the head of the response. Interim responses are passed over.
    pub(crate) fn poll_head(&mut self, cx: &mut Context<'_>) -> Poll<Result<Head, Broken>> {
        self.send(cx);
        loop {
            match head::parse(&self.held) {
                Err(reason) => return Poll::Ready(Err(Broken::Invalid(reason))),
                Ok(Some((head, length))) => {
                    self.held.drain(..length);
                    // A switch of protocols is final, though nobody asked for it.
                    if matches!(head.status, 100 | 102..=199) {
                        continue;
                    }
                    self.body = BodyDecoder::new(head.framing);
                    // An answer before the end of the request leaves the connection out of step.
                    self.keeps_alive = head.keeps_alive && !self.is_sending && self.send_error.is_none();
                    return Poll::Ready(Ok(head));
                }
                Ok(None) => {}
            }
            let length = match ready!(self.poll_read(cx)) {
                Ok(0) => return Poll::Ready(Err(self.send_error.take().map_or(Broken::Closed, Broken::Io))),
                Ok(length) => length,
                Err(error) => return Poll::Ready(Err(Broken::Io(self.send_error.take().unwrap_or(error)))),
            };
            self.held.extend_from_slice(&self.scratch.borrow()[..length]);
        }
    }

    /// Reads the body. `sink` gets its bytes, with the stamp of the read that brought them, until it wants to pause after a
    /// read. Ready with `true` when the body is over, with `false` when the sink paused.
    pub(crate) fn poll_body(
        &mut self,
        cx: &mut Context<'_>,
        mut sink: impl FnMut(&[u8], ReadStamp) -> Wish,
    ) -> Poll<Result<bool, Broken>> {
        if self.is_sending {
            // A server may answer before it has the whole request, and still wait for the rest.
            self.send(cx);
        }
        loop {
            if !self.held.is_empty() && !self.body.is_ended() {
                let held = std::mem::take(&mut self.held);
                let (wish, used) = decode(&mut self.body, &held, self.meter.last_read(), &mut sink)?;
                self.held = held;
                self.held.drain(..used);
                if wish == Wish::Pause && !self.body.is_ended() {
                    return Poll::Ready(Ok(false));
                }
            }
            if self.body.is_ended() {
                return Poll::Ready(Ok(true));
            }
            let length = match ready!(self.poll_read(cx)) {
                Ok(0) if self.body.ends_with_connection() => {
                    self.body = BodyDecoder::new(Framing::Length(0));
                    return Poll::Ready(Ok(true));
                }
                Ok(0) => return Poll::Ready(Err(Broken::Closed)),
                Ok(length) => length,
                Err(error) => return Poll::Ready(Err(Broken::Io(error))),
            };
            let scratch = self.scratch.borrow();
            let bytes = &scratch[..length];
            let (wish, used) = decode(&mut self.body, bytes, self.meter.last_read(), &mut sink)?;
            self.held.extend_from_slice(&bytes[used..]);
            if wish == Wish::Pause && !self.body.is_ended() {
                return Poll::Ready(Ok(false));
            }
        }
    }

    /// Sends as much as the socket takes. An error is kept: the server may have answered before it closed.
    fn send(&mut self, cx: &mut Context<'_>) {
        if self.is_sending
            && let Poll::Ready(result) = self.poll_send(cx)
        {
            self.is_sending = false;
            self.send_error = result.err();
        }
    }

    fn poll_send(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        while self.unsent.iter().any(Buf::has_remaining) {
            let slices = [io::IoSlice::new(&self.unsent[0]), io::IoSlice::new(&self.unsent[1])];
            let slices = if self.unsent[0].is_empty() { &slices[1..] } else { &slices[..] };
            let mut sent = ready!(Pin::new(&mut self.transport).poll_write_vectored(cx, slices))?;
            if sent == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            for part in &mut self.unsent {
                let count = sent.min(part.len());
                part.advance(count);
                sent -= count;
            }
        }
        Pin::new(&mut self.transport).poll_flush(cx)
    }

    /// Reads into the scratch buffer; gives the count of bytes, 0 at the end of the stream.
    fn poll_read(&mut self, cx: &mut Context<'_>) -> Poll<io::Result<usize>> {
        let mut scratch = self.scratch.borrow_mut();
        let mut buffer = ReadBuf::new(&mut scratch);
        ready!(Pin::new(&mut self.transport).poll_read(cx, &mut buffer))?;
        Poll::Ready(Ok(buffer.filled().len()))
    }
}

/// Hands the body's bytes in `input` to the sink; gives its wish and how much of the input belongs to the body.
fn decode(
    body: &mut BodyDecoder,
    input: &[u8],
    stamp: ReadStamp,
    sink: &mut impl FnMut(&[u8], ReadStamp) -> Wish,
) -> Result<(Wish, usize), Broken> {
    let (mut rest, mut wish) = (input, Wish::More);
    while !rest.is_empty() && !body.is_ended() {
        let step = body.step(rest).map_err(|reason| Broken::Invalid(reason.to_owned()))?;
        rest = step.rest;
        if !step.data.is_empty() {
            wish = sink(step.data, stamp);
        }
    }
    Ok((wish, input.len() - rest.len()))
}
