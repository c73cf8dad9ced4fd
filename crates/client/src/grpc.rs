//! A gRPC call outside the load: what a server says of itself before the run.

use std::future::poll_fn;
use std::rc::Rc;
use std::time::Duration;

use bytes::Bytes;
use thiserror::Error;
use tokamark_kserve::{FRAME_HEAD, GrpcStatus};
use tokamark_plan::TargetPlan;
use tokamark_record::{Failure, FailureKind};

use crate::ClientError;
use crate::connection::Connection;
use crate::engine::routes;
use crate::failure::{failure, of_exchange};
use crate::head::Heads;
use crate::http1::{Wish, scratch};
use crate::socket::Stamper;

/// An answer outside the load is no longer than this.
const MAX_ANSWER: usize = 16 << 20;

/// Why a call has no answer.
#[derive(Debug, Error)]
pub enum CallError {
    /// The target cannot be used, or this machine does not allow it.
    #[error(transparent)]
    Client(#[from] ClientError),
    /// The server could not be reached, or did not answer.
    #[error("{}", .0.message)]
    Failed(Failure),
    /// The server answered that it will not.
    #[error("{0}")]
    Refused(GrpcStatus),
}

/// Sends one framed message to a method of the target's first server and gives the message that it answers, as its bytes.
/// Blocks for up to `limit`.
///
/// # Errors
/// Why there is no answer.
pub fn call(target: &TargetPlan, method: &str, message: Bytes, limit: Duration) -> Result<Bytes, CallError> {
    let route = routes(target)?.into_iter().next();
    let Some(mut route) = route else {
        return Err(ClientError::BadUrl { url: String::new(), reason: "it is missing".to_owned() }.into());
    };
    // The URL leads to the method that is measured; what stands in front of it stays.
    let path = route.target.path_and_query.split('?').next().unwrap_or_default();
    let base = path.rsplitn(3, '/').nth(2).unwrap_or_default();
    route.target.path_and_query = format!("{base}{method}");
    let heads = Heads::new(target, std::slice::from_ref(&route), "")?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(ClientError::Worker)?;
    runtime.block_on(async {
        let exchange = async {
            let mut connection = Connection::open(&route, &Rc::new(Stamper::default()), &scratch()).await?;
            exchange(&mut connection, &heads, message).await
        };
        match tokio::time::timeout(limit, exchange).await {
            Ok(Ok(Answered { status: Some(status), .. })) if !status.is_ok() => Err(CallError::Refused(status)),
            Ok(Ok(answered)) => answered.message(),
            Ok(Err(failure)) => Err(CallError::Failed(failure)),
            Err(_) => {
                let message = format!("no answer within {} s", limit.as_secs_f64());
                Err(CallError::Failed(failure(FailureKind::Timeout, message)))
            }
        }
    })
}

struct Answered {
    http_status: u16,
    status: Option<GrpcStatus>,
    body: Vec<u8>,
}

impl Answered {
    fn message(self) -> Result<Bytes, CallError> {
        let refuse = |message: String| Err(CallError::Failed(failure(FailureKind::Undecodable, message)));
        if self.http_status != 200 || self.status.is_none() {
            return refuse(format!("the server answered HTTP status {} and no gRPC", self.http_status));
        }
        match self.body.split_at_checked(FRAME_HEAD) {
            Some(([0, ..], message)) => Ok(Bytes::copy_from_slice(message)),
            _ => refuse("the answer is no whole message".to_owned()),
        }
    }
}

async fn exchange(connection: &mut Connection, heads: &Heads, message: Bytes) -> Result<Answered, Failure> {
    let head = heads.head(0, tokamark_record::Phase::Warmup, 0, message.len());
    let meter = Rc::clone(&connection.meter);
    meter.begin();
    connection.http.start(head, message);
    let head = poll_fn(|cx| connection.http.poll_head(cx)).await;
    let head = head.map_err(|broken| of_exchange(&broken, meter.bytes_in() > 0))?;
    let mut body = Vec::new();
    let read = poll_fn(|cx| {
        connection.http.poll_body(cx, |data, _| {
            if body.len() + data.len() <= MAX_ANSWER {
                body.extend_from_slice(data);
                Wish::More
            } else {
                Wish::Pause
            }
        })
    });
    let is_whole = read.await.map_err(|broken| of_exchange(&broken, true))?;
    if !is_whole {
        return Err(failure(FailureKind::Undecodable, "the answer is too long"));
    }
    Ok(Answered { http_status: head.status, status: connection.http.grpc_status().cloned(), body })
}
