//! A TCP stream whose reads carry the kernel's receive stamp and whose writes are timed.

mod meter;
mod receive;

use std::io::{self, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::fd::AsFd;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, ready};

use tokio::io::unix::AsyncFd;
use tokio::io::{AsyncRead, AsyncWrite, Interest, ReadBuf};
use tokio::net::TcpSocket;

pub(crate) use meter::{Meter, ReadStamp, Stamper};

/// An acknowledgement that waited so long has been sent, and the kernel stops delaying them.
const ACKNOWLEDGEMENT_NS: u64 = 30 * tokamark_clock::MILLISECOND;

/// A connected stream. What it reads and writes is noted in its [`Meter`].
#[derive(Debug)]
pub(crate) struct StampedStream {
    socket: AsyncFd<TcpStream>,
    meter: Rc<Meter>,
}

impl StampedStream {
    /// Connects. Stamps are asked for before the handshake, so that the kernel has begun stamping when data comes.
    pub(crate) async fn connect(address: SocketAddr, stamper: &Rc<Stamper>) -> io::Result<Self> {
        let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
        let stamps = receive::ask_for_stamps(socket.as_fd());
        let stream = socket.connect(address).await?;
        stream.set_nodelay(true)?;
        receive::delay_acknowledgements(stream.as_fd());
        let meter = Rc::new(Meter::new(Rc::clone(stamper), stamps));
        Ok(Self { socket: register(stream.into_std()?)?, meter })
    }

    /// The meter, shared with the stream.
    pub(crate) fn meter(&self) -> Rc<Meter> {
        Rc::clone(&self.meter)
    }

    fn poll_write_with(
        &self,
        cx: &mut Context<'_>,
        mut write: impl FnMut(&TcpStream) -> io::Result<usize>,
    ) -> Poll<io::Result<usize>> {
        loop {
            let mut ready = ready!(self.socket.poll_write_ready(cx))?;
            self.meter.before_write();
            match write(self.socket.get_ref()) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => ready.clear_ready(),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                result => {
                    if let Ok(length) = result {
                        self.meter.after_write(length);
                    }
                    return Poll::Ready(result);
                }
            }
        }
    }
}

/// Hands a non-blocking stream to the runtime's reactor.
#[expect(unsafe_code, reason = "the registration that promises that the descriptor stays open is unsafe")]
fn register(stream: TcpStream) -> io::Result<AsyncFd<TcpStream>> {
    // SAFETY: the `AsyncFd` owns the stream, whose descriptor stays open and the same until it is dropped.
    unsafe { AsyncFd::register_with_interest(stream, Interest::READABLE | Interest::WRITABLE) }.map_err(io::Error::from)
}

impl AsyncRead for StampedStream {
    #[expect(unsafe_code, reason = "the read fills memory that is not initialised")]
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        if buf.remaining() == 0 {
            return Poll::Ready(Ok(()));
        }
        loop {
            let mut ready = ready!(self.socket.poll_read_ready(cx))?;
            // SAFETY: `receive` only writes to this memory.
            let into = unsafe { buf.unfilled_mut() };
            let room = into.len();
            match receive::receive(self.socket.get_ref().as_fd(), into) {
                Ok(received) => {
                    if self.meter.after_read(&received) > ACKNOWLEDGEMENT_NS {
                        receive::delay_acknowledgements(self.socket.get_ref().as_fd());
                    }
                    // A short read has emptied the socket, and the next segment makes a new readiness event (as tokio's
                    // own streams have it): this saves the read that would only say so.
                    if received.length > 0 && received.length < room {
                        ready.clear_ready();
                    }
                    // SAFETY: the read initialised so many bytes.
                    unsafe { buf.assume_init(received.length) };
                    buf.advance(received.length);
                    return Poll::Ready(Ok(()));
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => ready.clear_ready(),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Poll::Ready(Err(error)),
            }
        }
    }
}

impl AsyncWrite for StampedStream {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, data: &[u8]) -> Poll<io::Result<usize>> {
        self.poll_write_with(cx, |mut stream| stream.write(data))
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.poll_write_with(cx, |mut stream| stream.write_vectored(slices))
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(self.socket.get_ref().shutdown(std::net::Shutdown::Write))
    }
}
