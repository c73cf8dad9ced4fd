//! Where an answer is written to.

use std::cell::RefCell;
use std::io;
use std::rc::Rc;

use tokio::net::TcpStream;
use tokio::sync::Notify;

/// The connection's side of an answer.
pub(crate) struct Outlet {
    pub(crate) sink: Sink,
    /// Told when the answer has ended or the socket is full; if it goes through a pipe, also when there is something in it.
    pub(crate) changed: Rc<Notify>,
}

/// What takes the bytes.
pub(crate) enum Sink {
    /// The client's socket.
    Socket(Rc<TcpStream>),
    /// A task that puts them into another protocol's messages.
    Pipe(Rc<RefCell<Vec<u8>>>),
}

impl Outlet {
    /// Writes what can be taken without waiting.
    pub(crate) fn try_write(&self, bytes: &[u8]) -> io::Result<usize> {
        match &self.sink {
            Sink::Socket(socket) => socket.try_write(bytes),
            Sink::Pipe(pipe) => {
                pipe.borrow_mut().extend_from_slice(bytes);
                self.changed.notify_one();
                Ok(bytes.len())
            }
        }
    }
}
