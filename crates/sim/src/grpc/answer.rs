//! The sending half of a call.

use std::cell::RefCell;
use std::rc::Rc;

use bytes::Bytes;
use h2::server::SendResponse;
use h2::{Reason, SendStream};
use http::{HeaderValue, Response};
use tokamark_kserve::frame;
use tokamark_kserve::messages::ModelStreamInferResponse;

use super::Status;

/// Sends messages, from any of the tasks that work for the call. A client that has gone away gets nothing.
#[derive(Clone)]
pub(super) struct Answers(Rc<RefCell<Option<SendStream<Bytes>>>>);

impl Answers {
    /// Sends the head.
    pub(super) fn open(mut respond: SendResponse<Bytes>) -> Self {
        let mut response = Response::new(());
        response.headers_mut().insert("content-type", HeaderValue::from_static("application/grpc"));
        Self(Rc::new(RefCell::new(respond.send_response(response, false).ok())))
    }

    /// Sends a framed message.
    pub(super) fn send(&self, message: Bytes) {
        if let Some(stream) = self.0.borrow_mut().as_mut() {
            let _ = stream.send_data(message, false);
        }
    }

    /// Sends a response of a stream.
    pub(super) fn respond(&self, response: &ModelStreamInferResponse) {
        self.send(frame(response));
    }

    /// Ends the call.
    pub(super) fn finish(&self, message: Option<Bytes>, status: &Status) {
        if let Some(message) = message {
            self.send(message);
        }
        if let Some(mut stream) = self.0.borrow_mut().take() {
            let _ = stream.send_trailers(status.fields());
        }
    }

    /// Breaks the call off.
    pub(super) fn reset(&self) {
        if let Some(mut stream) = self.0.borrow_mut().take() {
            stream.send_reset(Reason::INTERNAL_ERROR);
        }
    }

    /// Waits until the client has gone away. For ever, if the call is over.
    pub(super) async fn gone(&self) {
        std::future::poll_fn(|cx| match self.0.borrow_mut().as_mut() {
            Some(stream) => stream.poll_reset(cx).map(|_| ()),
            None => std::task::Poll::Pending,
        })
        .await;
    }
}
