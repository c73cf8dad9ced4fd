//! Triton's gRPC port: KServe's protocol over HTTP/2, on the same ports as HTTP/1.1.
//!
//! A request becomes one of Triton's generate extension, which the engine knows, and what the engine writes for that becomes
//! messages. The truth log has the instants at which the engine wrote; the messages follow within the same turn of the thread.

mod answer;
mod describe;
mod infer;
mod socket;

use std::cell::Cell;
use std::rc::Rc;

use bytes::{Buf, Bytes, BytesMut};
use h2::RecvStream;
use h2::server::SendResponse;
use http::{HeaderMap, HeaderValue, Response};
use tokamark_kserve::FRAME_HEAD;

use crate::connection::{Arrival, Worker};
use answer::Answers;
pub(crate) use socket::Socket;

/// What a client that speaks HTTP/2 begins with.
pub(crate) const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
/// The longest message that is taken.
const MAX_MESSAGE: usize = 64 << 20;
/// What a client may send before it is told that there is room for more.
const WINDOW: u32 = 16 << 20;

/// gRPC's status codes that are used here.
pub(super) mod code {
    pub(in crate::grpc) const OK: u32 = 0;
    pub(in crate::grpc) const INVALID_ARGUMENT: u32 = 3;
    pub(in crate::grpc) const NOT_FOUND: u32 = 5;
    pub(in crate::grpc) const UNIMPLEMENTED: u32 = 12;
    pub(in crate::grpc) const INTERNAL: u32 = 13;
    pub(in crate::grpc) const UNAVAILABLE: u32 = 14;
}

/// How a call ended.
pub(super) struct Status {
    pub(super) code: u32,
    pub(super) message: String,
}

impl Status {
    pub(super) fn ok() -> Self {
        Self::new(code::OK, "")
    }

    pub(super) fn new(code: u32, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }

    /// As header fields. What HTTP does not allow in them is left out of the message, which no test reads to the letter.
    fn fields(&self) -> HeaderMap {
        let mut fields = HeaderMap::new();
        fields.insert("grpc-status", HeaderValue::from(self.code));
        if !self.message.is_empty() {
            let plain: String = self.message.chars().filter(|c| c.is_ascii_graphic() || *c == ' ').collect();
            if let Ok(message) = HeaderValue::try_from(plain.replace('%', "%25")) {
                fields.insert("grpc-message", message);
            }
        }
        fields
    }
}

/// A client's connection, as the log knows it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Caller {
    pub(crate) number: u64,
    pub(crate) accepted_ns: u64,
}

/// A call that is being answered.
#[derive(Clone)]
pub(super) struct Call {
    pub(super) worker: Rc<Worker>,
    pub(super) caller: Caller,
    pub(super) arrival: Rc<Cell<Arrival>>,
    pub(super) path: String,
    pub(super) request_id: Option<String>,
}

/// Serves a connection to its end.
pub(crate) async fn serve(worker: Rc<Worker>, socket: Socket, caller: Caller) {
    let arrival = socket.arrival();
    let handshake = h2::server::Builder::new()
        .initial_window_size(WINDOW)
        .initial_connection_window_size(WINDOW)
        .handshake::<_, Bytes>(socket);
    // A connection that fails has nobody left to tell.
    let Ok(mut connection) = handshake.await else { return };
    while let Some(Ok((request, respond))) = connection.accept().await {
        let (head, body) = request.into_parts();
        let call = Call {
            worker: Rc::clone(&worker),
            caller,
            arrival: Rc::clone(&arrival),
            path: head.uri.path().to_owned(),
            request_id: head.headers.get("x-request-id").and_then(|id| Some(id.to_str().ok()?.to_owned())),
        };
        tokio::task::spawn_local(answer(call, body, respond));
    }
}

async fn answer(call: Call, body: RecvStream, respond: SendResponse<Bytes>) {
    let mut messages = Messages { body, held: BytesMut::new() };
    let method = call.path.rsplit_once('/').filter(|(service, _)| *service == format!("/{}", tokamark_kserve::SERVICE));
    let method = method.map_or("", |(_, method)| method).to_owned();
    match method.as_str() {
        "ModelStreamInfer" => infer::stream(call, messages, respond).await,
        "ModelInfer" => {
            let Some(message) = messages.next().await else { return };
            infer::one(call, &message, respond).await;
        }
        method => {
            let Some(message) = messages.next().await else { return };
            match describe::answer(&call.worker.shared, method, &message) {
                Ok(message) => Answers::open(respond).finish(Some(message), &Status::ok()),
                Err(status) => refuse(respond, &status),
            }
        }
    }
}

/// Answers with nothing but a status.
pub(super) fn refuse(mut respond: SendResponse<Bytes>, status: &Status) {
    let mut response = Response::new(());
    *response.headers_mut() = status.fields();
    response.headers_mut().insert("content-type", HeaderValue::from_static("application/grpc"));
    // The client may be gone.
    let _ = respond.send_response(response, true);
}

/// The messages of a call.
pub(super) struct Messages {
    body: RecvStream,
    held: BytesMut,
}

impl Messages {
    /// The next message; none at the end, or when what comes is no message.
    pub(super) async fn next(&mut self) -> Option<Bytes> {
        loop {
            if let Some(length) = self.held.get(1..FRAME_HEAD) {
                let length = u32::from_be_bytes(length.try_into().ok()?) as usize;
                if length > MAX_MESSAGE || self.held[0] != 0 {
                    return None;
                }
                if self.held.len() >= FRAME_HEAD + length {
                    self.held.advance(FRAME_HEAD);
                    return Some(self.held.split_to(length).freeze());
                }
            }
            let data = self.body.data().await?.ok()?;
            let _ = self.body.flow_control().release_capacity(data.len());
            self.held.extend_from_slice(&data);
        }
    }
}
