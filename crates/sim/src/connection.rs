//! A connection: requests in, answers out, one after the other.

use std::cell::RefCell;
use std::io;
use std::os::fd::AsFd;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use tokamark_clock::{WallOffset, now_ns, wall_ns};
use tokio::io::Interest;
use tokio::net::TcpStream;
use tokio::sync::Notify;

use crate::answer::Delivery;
use crate::dispatch::Dispatch;
use crate::grpc;
use crate::http::{Body, HttpError, MAX_BODY, Method, Reply, RequestHead, read_chunked, read_head};
use crate::outlet::{Outlet, Sink};
use crate::routes::{Action, Generation, act};
use crate::shared::Shared;
use crate::stamp;
use crate::truth::{Carried, End, TruthRecord, Written};

/// Bytes that a client may send ahead while its last request is being answered.
const READ_AHEAD: usize = 256 * 1024;
/// How long a connection that ends with an error may take to be read to its end.
const LINGER: Duration = Duration::from_secs(1);

/// What the tasks of a server thread share.
pub(crate) struct Worker {
    pub(crate) shared: Arc<Shared>,
    pub(crate) dispatch: RefCell<Dispatch>,
    /// Wakes the driver.
    pub(crate) wake: Notify,
    pub(crate) buffer: RefCell<Vec<u8>>,
    pub(crate) offset: RefCell<WallOffset>,
    pub(crate) thread: usize,
}

impl Worker {
    /// Reads what a socket has, and says when it came.
    pub(crate) fn receive(
        &self,
        socket: &TcpStream,
        buffer: &mut [u8],
        before: Arrival,
    ) -> io::Result<(usize, Arrival)> {
        let read = socket.try_io(Interest::READABLE, || stamp::receive(socket.as_fd(), buffer))?;
        let read_ns = now_ns();
        let mut offset = self.offset.borrow_mut();
        let stamped = read.wall_ns.and_then(|wall_ns| {
            let ns = offset.monotonic(wall_ns, before.read_ns, read_ns)?;
            Some(Arrival { ns, wall_ns, by_kernel: true, read_ns })
        });
        let arrival = stamped.unwrap_or_else(|| Arrival { ns: read_ns, wall_ns: wall_ns(), by_kernel: false, read_ns });
        Ok((read.len, arrival))
    }

    /// Does what is due, and wakes the driver if it sleeps too long.
    pub(crate) fn catch_up(&self) {
        let mut dispatch = self.dispatch.borrow_mut();
        if dispatch.next_deadline().is_some_and(|deadline| deadline <= now_ns()) {
            dispatch.pump();
        }
        if dispatch.next_deadline().is_some_and(|deadline| deadline < dispatch.sleeping_until) {
            self.wake.notify_one();
        }
    }
}

/// When the bytes read last came.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrival {
    pub(crate) ns: u64,
    pub(crate) wall_ns: u64,
    pub(crate) by_kernel: bool,
    pub(crate) read_ns: u64,
}

struct Request {
    head: RequestHead,
    body: Vec<u8>,
    arrival: Arrival,
}

/// A connection that has been accepted.
pub(crate) struct Connection {
    worker: Rc<Worker>,
    socket: Rc<TcpStream>,
    number: u64,
    accepted_ns: u64,
    changed: Rc<Notify>,
    /// Bytes read that belong to no request yet.
    input: Vec<u8>,
    arrival: Arrival,
}

impl Connection {
    pub(crate) fn new(worker: Rc<Worker>, socket: TcpStream, number: u64, accepted_ns: u64) -> Self {
        // The first bytes may have come before the connection was accepted.
        let arrival = Arrival { ns: 0, wall_ns: 0, by_kernel: false, read_ns: worker.shared.started_ns };
        let (socket, changed) = (Rc::new(socket), Rc::new(Notify::new()));
        Self { worker, socket, number, accepted_ns, changed, input: Vec::new(), arrival }
    }

    /// Serves the connection to its end.
    pub(crate) async fn serve(mut self) {
        // A connection that fails has nobody left to tell.
        let _ = self.serve_requests().await;
    }

    async fn serve_requests(&mut self) -> io::Result<()> {
        if self.speaks_http2().await? {
            let Self { worker, socket, number, accepted_ns, input, arrival, .. } = self;
            let caller = grpc::Caller { number: *number, accepted_ns: *accepted_ns };
            let socket = grpc::Socket::new(Rc::clone(worker), Rc::clone(socket), std::mem::take(input), *arrival);
            grpc::serve(Rc::clone(worker), socket, caller).await;
            return Ok(());
        }
        loop {
            let request = match self.read_request().await? {
                Ok(Some(request)) => request,
                Ok(None) => return Ok(()),
                Err(error) => return self.refuse(&error).await,
            };
            let mut keep_alive = request.head.keep_alive;
            match act(&self.worker.shared, &request.head, &request.body) {
                Action::Reply(reply) => {
                    self.send(&reply, &request.head).await?;
                }
                Action::Reject { number, reply } => {
                    let mut record = self.record(&request, number);
                    let written = self.send(&reply, &request.head).await?;
                    record.status = reply.status;
                    record.end_ns = written.before_ns + u64::from(written.took_ns);
                    record.end = End::Rejected;
                    self.worker.dispatch.borrow().log(record, vec![written]);
                }
                Action::Generate(generation) => {
                    let is_stream = generation.job.is_stream;
                    let end = self.generate(&request, *generation).await;
                    keep_alive = keep_alive
                        && match end {
                            End::Complete | End::StreamError => !(is_stream && request.head.is_http10),
                            End::Truncated => is_stream && !request.head.is_http10,
                            End::Reset => {
                                return socket2::SockRef::from(&*self.socket).set_linger(Some(Duration::ZERO));
                            }
                            End::Rejected | End::ClientGone | End::Shutdown => false,
                        };
                }
            }
            if !keep_alive {
                return Ok(());
            }
        }
    }

    /// Reads as much as it takes to tell: HTTP/2 begins with a method that HTTP/1.1 has not got (RFC 9113 §3.4).
    async fn speaks_http2(&mut self) -> io::Result<bool> {
        loop {
            let known = self.input.len().min(grpc::PREFACE.len());
            if self.input[..known] != grpc::PREFACE[..known] {
                return Ok(false);
            }
            if known == grpc::PREFACE.len() {
                return Ok(true);
            }
            let idle_ns = self.worker.shared.config.faults.close_idle_ns;
            // Whoever is idle from the start is seen to where requests are read.
            if (idle_ns > 0 && known == 0) || self.fill().await? == 0 {
                return Ok(false);
            }
        }
    }

    /// The next request; `None` if the client has closed the connection, or it has been idle for too long.
    async fn read_request(&mut self) -> io::Result<Result<Option<Request>, HttpError>> {
        let mut head = None;
        loop {
            if head.is_none() {
                match read_head(&self.input) {
                    Ok(found) => head = found,
                    Err(error) => return Ok(Err(error)),
                }
                if let Some(found) = &head {
                    self.input.drain(..found.len);
                    if found.expects_continue {
                        self.write_all(b"HTTP/1.1 100 Continue\r\n\r\n").await?;
                    }
                }
            }
            if let Some(found) = &head {
                let body = match found.body {
                    Body::Length(length) if self.input.len() >= length => {
                        let rest = self.input.split_off(length);
                        Some(std::mem::replace(&mut self.input, rest))
                    }
                    Body::Length(_) => None,
                    Body::Chunked => match read_chunked(&self.input) {
                        Ok(Some(chunked)) => {
                            self.input.drain(..chunked.len);
                            Some(chunked.body)
                        }
                        Ok(None) if self.input.len() > 2 * MAX_BODY => return Ok(Err(HttpError::BodyTooLarge)),
                        Ok(None) => None,
                        Err(error) => return Ok(Err(error)),
                    },
                };
                if let Some(body) = body
                    && let Some(head) = head.take()
                {
                    return Ok(Ok(Some(Request { head, body, arrival: self.arrival })));
                }
            }
            let idle_ns = self.worker.shared.config.faults.close_idle_ns;
            let is_idle = head.is_none() && self.input.is_empty();
            let read = if idle_ns > 0 && is_idle {
                match tokio::time::timeout(Duration::from_nanos(idle_ns), self.fill()).await {
                    Ok(read) => read?,
                    Err(_) => return Ok(Ok(None)),
                }
            } else {
                self.fill().await?
            };
            if read == 0 {
                return Ok(Ok(None));
            }
        }
    }

    /// Reads what there is, waiting for it; 0 at the end of the stream.
    async fn fill(&mut self) -> io::Result<usize> {
        loop {
            self.socket.readable().await?;
            match self.try_fill() {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                result => return result,
            }
        }
    }

    fn try_fill(&mut self) -> io::Result<usize> {
        let mut buffer = self.worker.buffer.borrow_mut();
        let (length, arrival) = self.worker.receive(&self.socket, &mut buffer, self.arrival)?;
        self.input.extend_from_slice(&buffer[..length]);
        self.arrival = arrival;
        Ok(length)
    }

    async fn write_all(&self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            match self.socket.try_write(bytes) {
                Ok(taken) => bytes = &bytes[taken..],
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => self.socket.writable().await?,
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Sends a whole response.
    async fn send(&self, reply: &Reply, head: &RequestHead) -> io::Result<Written> {
        let mut bytes = Vec::new();
        reply.push(&mut bytes, head.keep_alive, head.method == Method::Head);
        let before_ns = now_ns();
        self.write_all(&bytes).await?;
        let took_ns = u32::try_from(now_ns() - before_ns).unwrap_or(u32::MAX);
        let mut carried = Carried::HEAD;
        carried.add(Carried::BODY);
        Ok(Written { before_ns, took_ns, events: 0, tokens: 0, carried })
    }

    /// Answers something that is no request, and ends the connection so that the client can read why.
    async fn refuse(&mut self, error: &HttpError) -> io::Result<()> {
        let mut bytes = Vec::new();
        let body = crate::api::error_body(error.status(), &error.to_string());
        Reply::json(error.status(), body).push(&mut bytes, false, false);
        self.write_all(&bytes).await?;
        socket2::SockRef::from(&*self.socket).shutdown(std::net::Shutdown::Write)?;
        // Closing with unread input would reset the connection and could take the answer with it.
        let drain = async {
            while self.fill().await.is_ok_and(|read| read > 0) {
                self.input.clear();
            }
        };
        let _ = tokio::time::timeout(LINGER, drain).await;
        Ok(())
    }

    fn record(&self, request: &Request, number: u64) -> TruthRecord {
        TruthRecord {
            id: String::new(),
            request: number,
            connection: self.number,
            thread: self.worker.thread,
            x_request_id: request.head.request_id.clone(),
            path: request.head.path.clone(),
            status: 0,
            is_stream: false,
            prompt_tokens: 0,
            cached_tokens: 0,
            output_tokens: 0,
            accepted_ns: self.accepted_ns,
            arrival_ns: request.arrival.ns,
            arrival_wall_ns: request.arrival.wall_ns,
            arrival_by_kernel: request.arrival.by_kernel,
            read_ns: request.arrival.read_ns,
            writes: Vec::new(),
            end_ns: 0,
            end: End::Complete,
        }
    }

    /// Has the engine answer a request, and waits for that.
    async fn generate(&mut self, request: &Request, generation: Generation) -> End {
        let record = self.record(request, generation.number);
        let delivery = Delivery { is_http10: request.head.is_http10, keep_alive: request.head.keep_alive };
        let outlet = Outlet { sink: Sink::Socket(Rc::clone(&self.socket)), changed: Rc::clone(&self.changed) };
        let worker = Rc::clone(&self.worker);
        let at = worker.dispatch.borrow_mut().submit(generation, delivery, record, outlet);
        worker.catch_up();
        let (socket, changed) = (Rc::clone(&self.socket), Rc::clone(&self.changed));
        loop {
            let progress = worker.dispatch.borrow().progress(at);
            if progress.is_done {
                break;
            }
            tokio::select! {
                biased;
                () = changed.notified() => {}
                _ = socket.writable(), if progress.is_blocked => {
                    worker.dispatch.borrow_mut().resume(at);
                    worker.catch_up();
                }
                // A client that goes away, or sends its next request before this one is answered.
                _ = socket.readable(), if self.input.len() < READ_AHEAD => match self.try_fill() {
                    Ok(0) => break,
                    Ok(_) => {}
                    Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                    Err(_) => break,
                },
            }
        }
        worker.dispatch.borrow_mut().finish(at, End::ClientGone)
    }
}
