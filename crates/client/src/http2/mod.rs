//! HTTP/2 from the client's side, for gRPC: one request after another over a connection, each polled by the task that wants its
//! answer, as [`Http1`](crate::http1::Http1) has it.
//!
//! The frames are the library's; when bytes came is ours: its connection is polled inline, and gets one read at a time, so that
//! what a read brought is handed on with the stamp of that read before the next one happens.

mod gate;

use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use h2::client::{Connection, ResponseFuture, SendRequest};
use h2::{Reason, RecvStream, SendStream};
use http::header::{CONTENT_ENCODING, CONTENT_TYPE, HeaderMap, HeaderName};
use tokamark_kserve::GrpcStatus;
use tokio::io::{AsyncRead, AsyncWrite};

use crate::http1::{Broken, Framing, Head, Wish};
use crate::socket::{Meter, ReadStamp};
use gate::{Gate, Gated};

/// What a server may send before it is told that there is room for more: room is never what it waits for.
const WINDOW: u32 = 16 << 20;
/// The longest frame that a server may send.
const MAX_FRAME: u32 = 1 << 20;

/// What stands in front of the content of each frame.
const FRAME_HEAD: u64 = 9;

/// How long a server may take to answer the preface, which it does before any request.
const GREETING_LIMIT: Duration = Duration::from_secs(30);

/// Where an exchange is.
enum State {
    /// There is none, or it is over.
    Over,
    /// The request cannot be sent.
    Refused(h2::Error),
    /// The head has not come.
    Head(ResponseFuture),
    Body(RecvStream),
}

/// One connection and the exchange that it is in.
pub(crate) struct Http2<T> {
    connection: Connection<Gated<T>, Bytes>,
    sender: SendRequest<Bytes>,
    gate: Rc<Gate>,
    meter: Rc<Meter>,
    state: State,
    /// The sending half of the exchange, without which the library would take it back.
    sending: Option<SendStream<Bytes>>,
    /// When the request was sent: what is written later are acknowledgements.
    sent_ns: Option<u64>,
    /// So many bytes at least are written when it is: its body, and the heads of two frames.
    least_sent: u64,
    status: Option<GrpcStatus>,
    /// The connection's end, once it has come.
    ended: Option<Option<h2::Error>>,
}

/// What a look at the connection brought.
enum Look {
    /// A read, whatever was in it.
    Read,
    /// Nothing; the task is woken when there is something.
    Nothing,
    /// The connection has ended.
    Ended,
}

impl<T: AsyncRead + AsyncWrite + Unpin> Http2<T> {
    /// Begins a connection: the client's preface is on its way when this returns, and a server that speaks HTTP/2 has answered
    /// it.
    ///
    /// # Errors
    /// The connection broke, or the server does not speak HTTP/2.
    pub(crate) async fn open(transport: T, meter: Rc<Meter>) -> Result<Self, Broken> {
        let (gated, gate) = Gated::new(transport);
        let (sender, connection) = h2::client::Builder::new()
            .initial_window_size(WINDOW)
            .initial_connection_window_size(WINDOW)
            .max_frame_size(MAX_FRAME)
            .enable_push(false)
            .handshake(gated)
            .await
            .map_err(of_error)?;
        let mut http = Self {
            connection,
            sender,
            gate,
            meter,
            state: State::Over,
            sending: None,
            sent_ns: None,
            least_sent: 0,
            status: None,
            ended: None,
        };
        match tokio::time::timeout(GREETING_LIMIT, std::future::poll_fn(|cx| http.poll_greeting(cx))).await {
            Ok(greeted) => greeted.map(|()| http),
            Err(_) => Err(Broken::NotHttp2(format!("it said nothing within {} s", GREETING_LIMIT.as_secs()))),
        }
    }

    /// The server's own settings come first, whatever else it says; without them it speaks something else.
    fn poll_greeting(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Broken>> {
        match self.look(cx) {
            Look::Read => {
                // What was in the read shows with the next look.
                match self.look(cx) {
                    Look::Ended => Poll::Ready(Err(self.no_greeting())),
                    _ => Poll::Ready(Ok(())),
                }
            }
            Look::Ended => Poll::Ready(Err(self.no_greeting())),
            Look::Nothing => Poll::Pending,
        }
    }

    fn no_greeting(&mut self) -> Broken {
        match self.end() {
            broken if self.meter.bytes_in() == 0 => broken,
            Broken::Refused(reason) => Broken::Refused(reason),
            // It said something and was left, or left itself.
            _ => Broken::NotHttp2("it answers the greeting with something else".to_owned()),
        }
    }

    /// Begins an exchange. The one before must be over.
    pub(crate) fn start(&mut self, request: http::Request<()>, body: Bytes) {
        self.status = None;
        self.sent_ns = None;
        self.least_sent = body.len() as u64 + 2 * FRAME_HEAD;
        let sent = self.sender.send_request(request, false).and_then(|(response, mut sending)| {
            sending.send_data(body, true)?;
            self.sending = Some(sending);
            Ok(State::Head(response))
        });
        self.state = sent.unwrap_or_else(State::Refused);
    }

    /// Whether another request can be sent: the last exchange is over, and the server has not ended the connection.
    pub(crate) fn is_usable(&mut self, cx: &mut Context<'_>) -> bool {
        if !matches!(self.state, State::Over) {
            return false;
        }
        loop {
            match self.look(cx) {
                Look::Read => {}
                Look::Ended => return false,
                Look::Nothing => return matches!(self.sender.poll_ready(cx), Poll::Ready(Ok(()))),
            }
        }
    }

    /// Sends the request and reads the head of the response.
    pub(crate) fn poll_head(&mut self, cx: &mut Context<'_>) -> Poll<Result<Head, Broken>> {
        let mut is_over = false;
        loop {
            let State::Head(response) = &mut self.state else {
                return Poll::Ready(Err(match std::mem::replace(&mut self.state, State::Over) {
                    State::Refused(error) => Broken::Unprocessed(of_reason(&error)),
                    _ => Broken::Closed,
                }));
            };
            match Pin::new(response).poll(cx) {
                Poll::Ready(Ok(response)) => {
                    let (parts, body) = response.into_parts();
                    self.status = GrpcStatus::of(&parts.headers);
                    self.state = State::Body(body);
                    return Poll::Ready(Ok(head_of(parts.status.as_u16(), &parts.headers)));
                }
                Poll::Ready(Err(error)) => return Poll::Ready(Err(self.broken(error))),
                Poll::Pending => {}
            }
            match self.look(cx) {
                Look::Read => {}
                Look::Nothing => return Poll::Pending,
                // What came before the end is still to be had.
                Look::Ended if !std::mem::replace(&mut is_over, true) => {}
                Look::Ended => return Poll::Ready(Err(self.end())),
            }
        }
    }

    /// Reads the body. `sink` gets its bytes, with the stamp of the read that brought them, until it wants to pause after a
    /// read. Ready with `true` when the body is over, with `false` when the sink paused.
    pub(crate) fn poll_body(
        &mut self,
        cx: &mut Context<'_>,
        mut sink: impl FnMut(&[u8], ReadStamp) -> Wish,
    ) -> Poll<Result<bool, Broken>> {
        let mut is_over = false;
        loop {
            let State::Body(body) = &mut self.state else { return Poll::Ready(Ok(true)) };
            let mut wish = Wish::More;
            while let Poll::Ready(data) = body.poll_data(cx) {
                match data {
                    Some(Ok(data)) => {
                        // Of what was received there is always so much to release.
                        let _ = body.flow_control().release_capacity(data.len());
                        if !data.is_empty() {
                            wish = sink(&data, self.meter.last_read());
                        }
                    }
                    Some(Err(error)) => return Poll::Ready(Err(self.broken(error))),
                    None => return self.poll_trailers(cx),
                }
            }
            if wish == Wish::Pause {
                return Poll::Ready(Ok(false));
            }
            match self.look(cx) {
                Look::Read => {}
                Look::Nothing => return Poll::Pending,
                Look::Ended if !std::mem::replace(&mut is_over, true) => {}
                Look::Ended => return Poll::Ready(Err(self.end())),
            }
        }
    }

    /// The status of the call is in the trailers, which have come when the body is over.
    fn poll_trailers(&mut self, cx: &mut Context<'_>) -> Poll<Result<bool, Broken>> {
        let State::Body(body) = &mut self.state else { return Poll::Ready(Ok(true)) };
        match ready!(body.poll_trailers(cx)) {
            Ok(trailers) => {
                self.status = trailers.as_ref().and_then(GrpcStatus::of).or(self.status.take());
                self.state = State::Over;
                self.sending = None;
                Poll::Ready(Ok(true))
            }
            Err(error) => Poll::Ready(Err(self.broken(error))),
        }
    }

    /// The status of the call, once it is over.
    pub(crate) fn status(&self) -> Option<&GrpcStatus> {
        self.status.as_ref()
    }

    /// When the last byte of the request was written.
    pub(crate) fn sent_ns(&self) -> Option<u64> {
        self.sent_ns
    }

    /// Writes what there is to write, and takes at most one read.
    fn look(&mut self, cx: &mut Context<'_>) -> Look {
        if self.ended.is_some() {
            return Look::Ended;
        }
        self.gate.open();
        let polled = Pin::new(&mut self.connection).poll(cx);
        if self.sent_ns.is_none() && self.meter.bytes_out() >= self.least_sent {
            self.sent_ns = self.meter.last_write();
        }
        match polled {
            Poll::Ready(result) => {
                self.ended = Some(result.err());
                Look::Ended
            }
            Poll::Pending if self.gate.is_shut() => Look::Read,
            Poll::Pending => Look::Nothing,
        }
    }

    /// Why the connection has ended.
    fn end(&mut self) -> Broken {
        self.state = State::Over;
        match self.ended.as_mut().and_then(Option::take) {
            Some(error) => self.broken(error),
            None => Broken::Closed,
        }
    }

    /// What an error of the exchange means: the connection's own, if that is what ended it.
    fn broken(&mut self, error: h2::Error) -> Broken {
        let own = self.ended.as_mut().and_then(Option::take);
        of_error(own.filter(h2::Error::is_io).unwrap_or(error))
    }
}

fn of_error(error: h2::Error) -> Broken {
    if error.is_io() {
        return error.into_io().map_or(Broken::Closed, |io| match io.kind() {
            std::io::ErrorKind::UnexpectedEof => Broken::Closed,
            // The library says so of bytes that are no frames.
            std::io::ErrorKind::InvalidData => Broken::NotHttp2(io.to_string()),
            _ => Broken::Io(io),
        });
    }
    let reason = of_reason(&error);
    match (error.is_remote(), error.is_go_away()) {
        // Then it says which requests it has dealt with, and the library gives this error to the others.
        (true, true) if error.reason() == Some(Reason::NO_ERROR) => Broken::Unprocessed(reason),
        (true, true) => Broken::Refused(format!("the server ended the connection: {reason}")),
        (true, false) => Broken::Refused(format!("the server reset the stream: {reason}")),
        (false, _) => Broken::NotHttp2(reason),
    }
}

fn of_reason(error: &h2::Error) -> String {
    error.reason().map_or_else(|| error.to_string(), |reason| reason.description().to_owned())
}

fn head_of(status: u16, headers: &HeaderMap) -> Head {
    let text = |name: HeaderName| {
        let value = headers.get(name)?;
        Some(String::from_utf8_lossy(value.as_bytes()).trim().to_ascii_lowercase())
    };
    Head {
        status,
        framing: Framing::Length(0),
        keeps_alive: true,
        content_type: text(CONTENT_TYPE),
        content_encoding: text(CONTENT_ENCODING).filter(|coding| !coding.is_empty() && coding != "identity"),
    }
}
