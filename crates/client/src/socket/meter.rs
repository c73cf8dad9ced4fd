//! When bytes came and went on one connection.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use tokamark_clock::{WallOffset, now_ns};

use super::receive::Received;

/// The instant of one read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ReadStamp {
    /// When the bytes reached the kernel, or the time of the read where it does not say. Never goes back.
    pub(crate) arrival: u64,
    /// When the program read them.
    pub(crate) read: u64,
    /// Number of the read since the request began, from 1.
    pub(crate) number: u32,
}

/// What the meters of one worker share: the map from wall time, and counts.
#[derive(Debug, Default)]
pub(crate) struct Stamper {
    offset: RefCell<WallOffset>,
    reads: Cell<u64>,
    unstamped: Cell<u64>,
}

impl Stamper {
    /// All reads with data, and those of them without a kernel stamp that could be believed.
    pub(crate) fn counts(&self) -> (u64, u64) {
        (self.reads.get(), self.unstamped.get())
    }
}

/// Times and counts the reads and writes of one connection. [`Meter::begin`] starts a new request.
#[derive(Debug)]
pub(crate) struct Meter {
    stamper: Rc<Stamper>,
    kernel_stamps: bool,
    /// Nothing that belongs to this request can have arrived before.
    began: Cell<u64>,
    last_read: Cell<ReadStamp>,
    first_write: Cell<Option<u64>>,
    last_write: Cell<Option<u64>>,
    bytes_in: Cell<u64>,
    bytes_out: Cell<u64>,
}

impl Meter {
    pub(super) fn new(stamper: Rc<Stamper>, kernel_stamps: bool) -> Self {
        Self {
            stamper,
            kernel_stamps,
            began: Cell::new(now_ns()),
            last_read: Cell::default(),
            first_write: Cell::default(),
            last_write: Cell::default(),
            bytes_in: Cell::default(),
            bytes_out: Cell::default(),
        }
    }

    /// Starts a new request.
    pub(crate) fn begin(&self) {
        self.began.set(now_ns());
        self.last_read.set(ReadStamp::default());
        self.first_write.set(None);
        self.last_write.set(None);
        self.bytes_in.set(0);
        self.bytes_out.set(0);
    }

    /// The last read.
    pub(crate) fn last_read(&self) -> ReadStamp {
        self.last_read.get()
    }

    /// Just before the first byte of the request was written.
    pub(crate) fn first_write(&self) -> Option<u64> {
        self.first_write.get()
    }

    /// Just after the last byte written so far.
    pub(crate) fn last_write(&self) -> Option<u64> {
        self.last_write.get()
    }

    /// Bytes read since the request began.
    pub(crate) fn bytes_in(&self) -> u64 {
        self.bytes_in.get()
    }

    /// Bytes written since the request began.
    pub(crate) fn bytes_out(&self) -> u64 {
        self.bytes_out.get()
    }

    pub(super) fn before_write(&self) {
        if self.first_write.get().is_none() {
            self.first_write.set(Some(now_ns()));
        }
    }

    pub(super) fn after_write(&self, length: usize) {
        self.last_write.set(Some(now_ns()));
        self.bytes_out.set(self.bytes_out.get() + length as u64);
    }

    /// Notes a read. Gives the nanoseconds since the one before.
    pub(super) fn after_read(&self, received: &Received) -> u64 {
        let read = now_ns();
        let last = self.last_read.get();
        // The end of the stream brings no segment, so its stamp, if any, is an old one.
        let wall_ns = received.kernel_wall_ns.filter(|_| self.kernel_stamps && received.length > 0);
        let not_before = self.first_write.get().unwrap_or_else(|| self.began.get());
        let stamp = wall_ns.and_then(|wall| self.stamper.offset.borrow_mut().monotonic(wall, not_before, read));
        if received.length > 0 {
            self.stamper.reads.set(self.stamper.reads.get() + 1);
            if stamp.is_none() {
                self.stamper.unstamped.set(self.stamper.unstamped.get() + 1);
            }
        }
        let arrival = stamp.unwrap_or(read).max(last.arrival);
        self.last_read.set(ReadStamp { arrival, read, number: last.number + 1 });
        self.bytes_in.set(self.bytes_in.get() + received.length as u64);
        read.saturating_sub(last.read)
    }
}
