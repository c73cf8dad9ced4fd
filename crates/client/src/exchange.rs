//! The life of one request: connection, request, response, record.

use std::rc::Rc;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use tokamark_clock::now_ns;
use tokamark_endpoint::Dialect;
use tokamark_pace::Ticket;
use tokamark_record::{Failure, FailureKind, Outcome, Phase, RequestRecord, Times};
use tokio::sync::Semaphore;

use crate::cancel::Cancel;
use crate::connection::Connection;
use crate::failure::{failure, of_exchange};
use crate::head::Heads;
use crate::http1::{Broken, Head, Wish};
use crate::pool::{Lease, Pool, Seat};
use crate::reading::{Mode, Reading};
use crate::supply::{Prepared, Wire};
use crate::verdict;
use crate::watch::{Stop, Watch};

/// After `[DONE]` the end of the body normally follows at once; so long the slot waits for it.
const END_OF_BODY_WAIT: Duration = Duration::from_millis(5);
/// Then a connection may finish its body in the background for so long, before it is given up.
const DRAIN_LIMIT: Duration = Duration::from_secs(10);
/// So many connections of a worker may do so at a time; a server that never ends its bodies shall not use up all descriptors.
pub(crate) const MAX_DRAINING: usize = 1_024;

/// What every exchange of a worker needs.
pub(crate) struct Exchanger {
    pub(crate) worker: u16,
    pub(crate) pool: Rc<Pool>,
    pub(crate) draining: Arc<Semaphore>,
    pub(crate) heads: Heads,
    pub(crate) dialect: &'static dyn Dialect,
    pub(crate) streaming: bool,
    pub(crate) timeout: Option<Duration>,
    pub(crate) cancel: Arc<Cancel>,
}

/// One request to carry out.
pub(crate) struct Job {
    pub(crate) phase: Phase,
    pub(crate) ticket: Ticket,
    pub(crate) slot_ns: u64,
    /// The connection of its conversation, if that has one of its own.
    pub(crate) seat: Option<Rc<Seat>>,
    pub(crate) prepared: Prepared,
}

/// How an attempt ended.
enum End {
    Complete,
    /// The status refused the request; the connection may be used again if the body was read to its end.
    Refused {
        reusable: bool,
    },
    Failed(Failure),
    /// It failed without any byte of a response, over a connection that had been kept: most likely the server had closed it; or
    /// the server said that it had not looked at it.
    Stale(Failure),
    Stopped(Stop),
}

impl Exchanger {
    /// Carries out one request. Never fails: what goes wrong is in the record.
    pub(crate) async fn run(&self, job: Job, reading: &mut Reading) -> RequestRecord {
        // A conversation stays where it began.
        let url = usize::try_from(job.ticket.session % self.heads.urls()).unwrap_or(0);
        let mut record = self.record_of(&job, url);
        reading.begin(Mode::Whole);
        if let Wire::Refused(reason) = &job.prepared.wire {
            self.conclude(End::Failed(failure(FailureKind::Send, &**reason)), reading, &mut record);
            return record;
        }
        let mut watch = Watch::new(&self.cancel, self.timeout);
        loop {
            let fresh = record.attempt > 0;
            let end = match watch.future(self.pool.lease(url, job.seat.as_deref(), fresh)).await {
                Err(stop) => End::Stopped(stop),
                Ok(Err(failure)) => End::Failed(failure),
                Ok(Ok(lease)) => self.attempt(&job, url, lease, reading, &mut record, &mut watch).await,
            };
            match end {
                // Once: the next connection is opened for this request.
                End::Stale(_) if record.attempt == 0 => record.attempt = 1,
                end => {
                    self.conclude(end, reading, &mut record);
                    return record;
                }
            }
        }
    }

    fn record_of(&self, job: &Job, url: usize) -> RequestRecord {
        RequestRecord {
            seq: job.ticket.seq,
            phase: job.phase,
            worker: self.worker,
            session: job.ticket.session,
            turn: job.prepared.turn,
            dataset_row: job.prepared.dataset_row,
            url_index: u16::try_from(url).unwrap_or(u16::MAX),
            model_index: job.prepared.model_index,
            attempt: 0,
            connection_reused: false,
            times: Times { scheduled: job.ticket.due_ns, slot: job.slot_ns, built: now_ns(), ..Times::default() },
            bytes_out: 0,
            bytes_in: 0,
            status: 0,
            requested_output_tokens: job.prepared.output_tokens,
            local_input_tokens: job.prepared.input_tokens,
            local_output_tokens: None,
            local_reasoning_tokens: None,
            usage: None,
            finish_reason: None,
            streamed: false,
            outcome: Outcome::Cancelled,
            events: Vec::new(),
            text: String::new(),
        }
    }

    /// Sends the request over one connection and reads the answer.
    async fn attempt(
        &self,
        job: &Job,
        url: usize,
        lease: Lease,
        reading: &mut Reading,
        record: &mut RequestRecord,
        watch: &mut Watch,
    ) -> End {
        let Lease { mut connection, is_new } = lease;
        let meter = Rc::clone(&connection.meter);
        if is_new {
            record.times.connect_start = Some(connection.opening.start);
            record.times.connect_end = Some(connection.opening.connected);
            record.times.tls_end = connection.opening.tls_end;
        }
        record.connection_reused = connection.served > 0;
        meter.begin();
        let body = match &job.prepared.wire {
            Wire::Framed(bytes) => bytes.clone(),
            Wire::Body | Wire::Refused(_) => job.prepared.body.clone(),
        };
        connection.http.start(self.heads.head(url, job.phase, job.ticket.seq, body.len()), body);
        let end = self.send_and_read(&mut connection, reading, record, watch).await;
        record.times.send_start = meter.first_write();
        record.times.send_end = connection.http.sent_ns().or_else(|| meter.last_write());
        record.bytes_out = meter.bytes_out();
        record.bytes_in = meter.bytes_in();
        connection.served += 1;
        match end {
            Ok(body_ended) => {
                record.times.body_end = self.keep(url, job.seat.as_ref(), connection, body_ended).await;
                End::Complete
            }
            Err(End::Refused { reusable }) => {
                if reusable {
                    self.keep(url, job.seat.as_ref(), connection, true).await;
                }
                End::Refused { reusable }
            }
            Err(End::Failed(failure)) if !is_new && meter.bytes_in() == 0 => End::Stale(failure),
            Err(end) => end,
        }
    }

    /// `true` if the body was read to its end, `false` if the answer ended before.
    async fn send_and_read(
        &self,
        connection: &mut Connection,
        reading: &mut Reading,
        record: &mut RequestRecord,
        watch: &mut Watch,
    ) -> Result<bool, End> {
        let meter = Rc::clone(&connection.meter);
        let head = watch.until(|cx| connection.http.poll_head(cx)).await.map_err(End::Stopped)?;
        let head = head.map_err(|broken| {
            let failure = of_exchange(&broken, meter.bytes_in() > 0);
            if matches!(broken, Broken::Unprocessed(_)) { End::Stale(failure) } else { End::Failed(failure) }
        })?;
        record.times.headers = Some(meter.last_read().arrival);
        record.status = head.status;
        let is_answer = verdict::may_answer(head.status);
        if let Some(encoding) = head.content_encoding.as_ref().filter(|_| is_answer) {
            let message = format!("the body is encoded as `{encoding}`, which was not asked for");
            return Err(End::Failed(failure(FailureKind::Undecodable, message)));
        }
        reading.begin(if is_answer { self.mode_of(&head) } else { Mode::Whole });
        let read = self.read_body(connection, reading, record, watch).await;
        if is_answer {
            return match (read, connection.http.grpc_status()) {
                (Ok(true), Some(status)) if !status.is_ok() => Err(End::Failed(verdict::of_grpc_status(status))),
                // What has no status was cut off on its way, whatever came of it.
                (Ok(true), None) if reading.is_messages() => Err(End::Failed(verdict::of_missing_grpc_status())),
                (read, _) => read,
            };
        }
        if head.content_encoding.is_some() {
            // Nobody could read it; the status speaks for itself.
            reading.body.clear();
        }
        // So it does when the rest of the body does not come.
        match read {
            Err(End::Stopped(Stop::Cancelled)) => Err(End::Stopped(Stop::Cancelled)),
            read => Err(End::Refused { reusable: read.unwrap_or(false) }),
        }
    }

    fn mode_of(&self, head: &Head) -> Mode {
        match &head.content_type {
            Some(value) if value.starts_with("application/grpc") && self.dialect.kind().speaks_grpc() => Mode::Messages,
            Some(value) if value.starts_with("text/event-stream") => Mode::Stream,
            Some(_) => Mode::Whole,
            None if self.streaming => Mode::Sniff,
            None => Mode::Whole,
        }
    }

    /// Reads until the body or the answer ends. `true` if the body did.
    async fn read_body(
        &self,
        connection: &mut Connection,
        reading: &mut Reading,
        record: &mut RequestRecord,
        watch: &mut Watch,
    ) -> Result<bool, End> {
        let (meter, dialect) = (Rc::clone(&connection.meter), self.dialect);
        let first_byte = &mut record.times.first_byte;
        let mut done_at = None;
        let read = watch
            .until(|cx| {
                connection.http.poll_body(cx, |data, stamp| {
                    first_byte.get_or_insert(stamp.arrival);
                    reading.data(dialect, data, stamp);
                    if reading.answer.done {
                        done_at.get_or_insert(stamp.arrival);
                        return Wish::Pause;
                    }
                    Wish::More
                })
            })
            .await
            .map_err(End::Stopped)?;
        record.times.end = done_at.unwrap_or_else(|| meter.last_read().arrival);
        match read {
            Ok(ended) => Ok(ended),
            // The answer was whole before the connection broke.
            Err(_) if reading.answer.finish_reason.is_some() => Ok(false),
            Err(broken) => {
                record.times.end = 0;
                Err(End::Failed(of_exchange(&broken, true)))
            }
        }
    }

    /// Keeps the connection for the next request, once its body has ended. Gives when it did, if it did in time.
    async fn keep(
        &self,
        url: usize,
        seat: Option<&Rc<Seat>>,
        mut connection: Connection,
        body_ended: bool,
    ) -> Option<u64> {
        if !body_ended {
            match tokio::time::timeout(END_OF_BODY_WAIT, drain(&mut connection)).await {
                Ok(true) => {}
                Ok(false) => return None,
                // The server holds the stream open after its end mark; the slot does not wait for that.
                Err(_) => {
                    let Ok(permit) = Arc::clone(&self.draining).try_acquire_owned() else { return None };
                    let (pool, seat) = (Rc::clone(&self.pool), seat.cloned());
                    tokio::task::spawn_local(async move {
                        let _permit = permit;
                        let drained = tokio::time::timeout(DRAIN_LIMIT, drain(&mut connection)).await;
                        if drained.unwrap_or(false) && is_usable(&mut connection).await {
                            pool.give_back(url, seat.as_deref(), connection);
                        }
                    });
                    return None;
                }
            }
        }
        let body_end = connection.meter.last_read().arrival;
        if is_usable(&mut connection).await {
            self.pool.give_back(url, seat.map(Rc::as_ref), connection);
        }
        Some(body_end)
    }

    fn conclude(&self, end: End, reading: &mut Reading, record: &mut RequestRecord) {
        if record.times.end == 0 {
            record.times.end = now_ns();
        }
        // Every answer over gRPC comes as messages; whether there are many of them was for the request to say.
        record.streamed = reading.is_stream() && (self.streaming || !self.dialect.kind().speaks_grpc());
        record.outcome = match end {
            End::Stopped(Stop::Cancelled) => Outcome::Cancelled,
            End::Stopped(Stop::TimedOut) => {
                let seconds = self.timeout.unwrap_or_default().as_secs_f64();
                Outcome::Failed(failure(FailureKind::Timeout, format!("no complete answer within {seconds} s")))
            }
            End::Failed(failure) | End::Stale(failure) => Outcome::Failed(failure),
            End::Refused { .. } => Outcome::Failed(verdict::of_status(record.status, &reading.body)),
            End::Complete => match reading.finish(self.dialect) {
                Err(reason) => Outcome::Failed(verdict::of_undecodable(reason)),
                Ok(()) => verdict::of_answer(self.dialect, reading, record.requested_output_tokens),
            },
        };
        let answer = &mut reading.answer;
        record.usage = answer.usage;
        record.finish_reason = answer.finish_reason.take();
        record.events = reading.events.clone();
        record.text = match String::from_utf8(std::mem::take(&mut answer.text)) {
            Ok(text) => text,
            Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
        };
    }
}

/// Reads what is left of a body. `false` if the connection broke.
async fn drain(connection: &mut Connection) -> bool {
    std::future::poll_fn(|cx| connection.http.poll_body(cx, |_, _| Wish::More)).await.is_ok()
}

async fn is_usable(connection: &mut Connection) -> bool {
    std::future::poll_fn(|cx| Poll::Ready(connection.http.is_usable(cx))).await
}
