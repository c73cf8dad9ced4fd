//! The idle connections of one worker.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::future::poll_fn;
use std::rc::Rc;
use std::task::Poll;

use tokamark_plan::{ConnectMode, Reuse, TargetPlan};
use tokamark_record::Failure;

use crate::connection::{Connection, Route};
use crate::http1::{Scratch, scratch};
use crate::socket::Stamper;

/// Idle connections, one queue for each URL.
pub(crate) struct Pool {
    routes: Vec<Route>,
    idle: Vec<RefCell<VecDeque<Connection>>>,
    stamper: Rc<Stamper>,
    scratch: Scratch,
    keeps: bool,
    has_seats: bool,
    opened: std::cell::Cell<u64>,
}

/// The connection of one conversation, while no request is using it. Closed with the conversation.
pub(crate) type Seat = RefCell<Option<Connection>>;

/// A connection and where it came from.
pub(crate) struct Lease {
    pub(crate) connection: Connection,
    /// Opened for this very request, so that its set-up belongs to it.
    pub(crate) is_new: bool,
}

impl Pool {
    pub(crate) fn new(routes: Vec<Route>, target: &TargetPlan, stamper: Rc<Stamper>) -> Self {
        let idle = routes.iter().map(|_| RefCell::default()).collect();
        let keeps = |reuse| target.reuse == reuse && target.connect != ConnectMode::PerRequest;
        let (keeps, has_seats) = (keeps(Reuse::Pooled), keeps(Reuse::StickyUserSessions));
        Self { routes, idle, stamper, scratch: scratch(), keeps, has_seats, opened: std::cell::Cell::new(0) }
    }

    /// Connections opened so far.
    pub(crate) fn opened(&self) -> u64 {
        self.opened.get()
    }

    /// A seat for a conversation, if conversations have connections of their own.
    pub(crate) fn seat(&self) -> Option<Rc<Seat>> {
        self.has_seats.then(Rc::default)
    }

    /// The conversation's connection, or an idle one, the most recently used first, if it is still alive; or a new one.
    pub(crate) async fn lease(&self, url: usize, seat: Option<&Seat>, fresh: bool) -> Result<Lease, Failure> {
        while let Some(mut connection) = if fresh { None } else { self.take(url, seat) } {
            if poll_fn(|cx| Poll::Ready(connection.http.is_usable(cx))).await {
                return Ok(Lease { connection, is_new: false });
            }
        }
        let connection = self.open(url).await?;
        Ok(Lease { connection, is_new: true })
    }

    fn take(&self, url: usize, seat: Option<&Seat>) -> Option<Connection> {
        match seat {
            Some(seat) => seat.borrow_mut().take(),
            None => self.idle[url].borrow_mut().pop_back(),
        }
    }

    async fn open(&self, url: usize) -> Result<Connection, Failure> {
        let connection = Connection::open(&self.routes[url], &self.stamper, &self.scratch).await?;
        self.opened.set(self.opened.get() + 1);
        Ok(connection)
    }

    /// Opens one more idle connection.
    pub(crate) async fn open_ahead(&self, url: usize) -> Result<(), Failure> {
        let connection = self.open(url).await?;
        self.idle[url].borrow_mut().push_front(connection);
        Ok(())
    }

    /// Takes a connection back after an exchange that it survived.
    pub(crate) fn give_back(&self, url: usize, seat: Option<&Seat>, connection: Connection) {
        if let Some(seat) = seat {
            *seat.borrow_mut() = Some(connection);
        } else if self.keeps {
            self.idle[url].borrow_mut().push_back(connection);
        }
    }
}
