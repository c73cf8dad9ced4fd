//! The socket below HTTP/2, which notes when its bytes came.

use std::cell::Cell;
use std::io;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

use crate::connection::{Arrival, Worker};

/// See the [module](self).
pub(crate) struct Socket {
    worker: Rc<Worker>,
    socket: Rc<TcpStream>,
    /// Bytes that were read to find out what the client speaks.
    ahead: Vec<u8>,
    arrival: Rc<Cell<Arrival>>,
}

impl Socket {
    pub(crate) fn new(worker: Rc<Worker>, socket: Rc<TcpStream>, ahead: Vec<u8>, arrival: Arrival) -> Self {
        Self { worker, socket, ahead, arrival: Rc::new(Cell::new(arrival)) }
    }

    /// When the bytes read last came.
    pub(super) fn arrival(&self) -> Rc<Cell<Arrival>> {
        Rc::clone(&self.arrival)
    }
}

impl AsyncRead for Socket {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if !this.ahead.is_empty() {
            let length = this.ahead.len().min(buf.remaining());
            buf.put_slice(&this.ahead[..length]);
            this.ahead.drain(..length);
            return Poll::Ready(Ok(()));
        }
        loop {
            ready!(this.socket.poll_read_ready(cx))?;
            match this.worker.receive(&this.socket, buf.initialize_unfilled(), this.arrival.get()) {
                Ok((length, arrival)) => {
                    this.arrival.set(arrival);
                    buf.advance(length);
                    return Poll::Ready(Ok(()));
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => return Poll::Ready(Err(error)),
            }
        }
    }
}

impl AsyncWrite for Socket {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        loop {
            ready!(self.socket.poll_write_ready(cx))?;
            match self.socket.try_write(bytes) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                result => return Poll::Ready(result),
            }
        }
    }

    fn poll_flush(self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        // The socket is closed when all its holders are gone.
        Poll::Ready(Ok(()))
    }
}
