//! Lets one read through at a time, so that each has its own stamp.

use std::cell::Cell;
use std::io;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// Whether the next read may pass.
#[derive(Debug, Default)]
pub(super) struct Gate {
    is_open: Cell<bool>,
}

impl Gate {
    /// Lets the next read pass.
    pub(super) fn open(&self) {
        self.is_open.set(true);
    }

    /// Whether a read has passed since it was opened. What it brought is not all there may be.
    pub(super) fn is_shut(&self) -> bool {
        !self.is_open.get()
    }
}

/// A transport behind a gate. A read that finds it shut is pending without a wake-up: whoever opens it polls again.
#[derive(Debug)]
pub(super) struct Gated<T> {
    transport: T,
    gate: Rc<Gate>,
}

impl<T> Gated<T> {
    pub(super) fn new(transport: T) -> (Self, Rc<Gate>) {
        let gate = Rc::new(Gate::default());
        (Self { transport, gate: Rc::clone(&gate) }, gate)
    }
}

impl<T: AsyncRead + Unpin> AsyncRead for Gated<T> {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if this.gate.is_shut() {
            return Poll::Pending;
        }
        let read = Pin::new(&mut this.transport).poll_read(cx, buf);
        if read.is_ready() {
            this.gate.is_open.set(false);
        }
        read
    }
}

impl<T: AsyncWrite + Unpin> AsyncWrite for Gated<T> {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, data: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.get_mut().transport).poll_write(cx, data)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.get_mut().transport).poll_write_vectored(cx, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.transport.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().transport).poll_flush(cx)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().transport).poll_shutdown(cx)
    }
}
