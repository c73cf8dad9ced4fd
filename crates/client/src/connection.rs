//! One HTTP/1.1 connection, driven by the task that uses it.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, Wake, Waker};

use bytes::Bytes;
use http_body_util::Full;
use hyper::client::conn::http1::{self, SendRequest};
use hyper_util::rt::TokioIo;
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use tokamark_clock::now_ns;
use tokamark_record::{Failure, FailureKind};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use crate::address::Address;
use crate::failure::{describe, failure, of_connect};
use crate::proxy::Proxy;
use crate::socket::{Meter, StampedStream, Stamper, Wakeup};

/// A server and the way to it, resolved once.
#[derive(Clone, Debug)]
pub(crate) struct Route {
    pub(crate) target: Address,
    pub(crate) proxy: Option<Proxy>,
    /// Addresses to connect to: the proxy's or the target's, tried in order.
    pub(crate) addresses: Vec<SocketAddr>,
    pub(crate) tls: Option<Arc<ClientConfig>>,
}

/// The steps of opening a connection, monotonic nanoseconds.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Opening {
    pub(crate) start: u64,
    pub(crate) connected: u64,
    pub(crate) tls_end: Option<u64>,
}

enum Transport {
    Plain(StampedStream),
    Tls(Box<TlsStream<StampedStream>>),
}

type Driver = http1::Connection<TokioIo<Transport>, Full<Bytes>>;

/// An open connection. Nobody drives it while it is idle: whoever takes it looks first whether it is still alive.
pub(crate) struct Connection {
    pub(crate) sender: SendRequest<Full<Bytes>>,
    driver: Driver,
    is_over: bool,
    wakeup: Rc<Wakeup>,
    again: Arc<Again>,
    again_waker: Waker,
    pub(crate) meter: Rc<Meter>,
    pub(crate) opening: Opening,
    /// Requests that it has served.
    pub(crate) served: u64,
}

impl Connection {
    /// Opens a connection.
    pub(crate) async fn open(route: &Route, stamper: &Rc<Stamper>) -> Result<Self, Failure> {
        let mut opening = Opening { start: now_ns(), ..Opening::default() };
        let mut stream = connect_any(&route.addresses, stamper).await.map_err(|error| of_connect(&error))?;
        opening.connected = now_ns();
        let (meter, wakeup) = (stream.meter(), stream.wakeup());
        let transport = match &route.tls {
            None => Transport::Plain(stream),
            Some(config) => {
                if let Some(proxy) = &route.proxy {
                    let tunnel = proxy.tunnel(&mut stream, &route.target).await;
                    tunnel.map_err(|reason| {
                        failure(
                            FailureKind::Proxy,
                            format!("the proxy {} opened no tunnel: {reason}", proxy.address.host),
                        )
                    })?;
                }
                let stream = tls_handshake(config, &route.target, stream).await?;
                opening.tls_end = Some(now_ns());
                Transport::Tls(Box::new(stream))
            }
        };
        let (sender, driver) = http1::Builder::new()
            .max_headers(256)
            .handshake(TokioIo::new(transport))
            .await
            .map_err(|error| failure(FailureKind::Connect, error.to_string()))?;
        let again = Arc::new(Again::default());
        let again_waker = Waker::from(Arc::clone(&again));
        Ok(Self { sender, driver, is_over: false, wakeup, again, again_waker, meter, opening, served: 0 })
    }

    /// Polls `step`, and the connection with it: both make progress in the one task that uses them. `step` must wait for
    /// nothing but this connection: it gets a waker that goes nowhere, since the connection is polled whenever it is.
    pub(crate) fn poll_with<T>(
        &mut self,
        cx: &mut Context<'_>,
        mut step: impl FnMut(&mut Context<'_>) -> Poll<T>,
    ) -> Poll<T> {
        let mut step_cx = Context::from_waker(Waker::noop());
        if let Poll::Ready(value) = step(&mut step_cx) {
            return Poll::Ready(value);
        }
        loop {
            let wants_more = self.poll_drive(cx);
            match step(&mut step_cx) {
                Poll::Pending if wants_more => {}
                polled => return polled,
            }
        }
    }

    /// Lets the connection do what it can: write, read, notice that the server has gone. `true` if it asked to be polled
    /// again, as after a long turn.
    fn poll_drive(&mut self, cx: &mut Context<'_>) -> bool {
        if self.is_over {
            return false;
        }
        self.wakeup.set(cx.waker());
        self.again.0.store(false, Ordering::Relaxed);
        self.is_over = Pin::new(&mut self.driver).poll(&mut Context::from_waker(&self.again_waker)).is_ready();
        !self.is_over && self.again.0.load(Ordering::Relaxed)
    }

    /// Whether another request can be sent over it now.
    pub(crate) fn is_usable(&mut self, cx: &mut Context<'_>) -> bool {
        self.poll_drive(cx);
        !self.is_over && matches!(self.sender.poll_ready(cx), Poll::Ready(Ok(())))
    }
}

/// Notes that a connection woke itself while it was polled.
#[derive(Default)]
struct Again(AtomicBool);

impl Wake for Again {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Tries the addresses in order and gives the first error if none answers.
async fn connect_any(addresses: &[SocketAddr], stamper: &Rc<Stamper>) -> io::Result<StampedStream> {
    let mut first_error = None;
    for &address in addresses {
        match StampedStream::connect(address, stamper).await {
            Ok(stream) => return Ok(stream),
            Err(error) => first_error = first_error.or(Some(error)),
        }
    }
    Err(first_error.unwrap_or_else(|| io::Error::new(io::ErrorKind::NotFound, "the host has no address")))
}

async fn tls_handshake(
    config: &Arc<ClientConfig>,
    target: &Address,
    stream: StampedStream,
) -> Result<TlsStream<StampedStream>, Failure> {
    let name = ServerName::try_from(target.host.clone())
        .map_err(|_| failure(FailureKind::Tls, format!("`{}` is no name that TLS can check", target.host)))?;
    TlsConnector::from(Arc::clone(config)).connect(name, stream).await.map_err(|error| {
        let reason = match error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>()) {
            Some(tls) => tls.to_string(),
            None => describe(&error),
        };
        failure(FailureKind::Tls, format!("the TLS handshake failed: {reason}"))
    })
}

impl AsyncRead for Transport {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_read(cx, buf),
            Self::Tls(stream) => Pin::new(stream).poll_read(cx, buf),
        }
    }
}

impl AsyncWrite for Transport {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, data: &[u8]) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_write(cx, data),
            Self::Tls(stream) => Pin::new(stream).poll_write(cx, data),
        }
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_write_vectored(cx, slices),
            Self::Tls(stream) => Pin::new(stream).poll_write_vectored(cx, slices),
        }
    }

    fn is_write_vectored(&self) -> bool {
        match self {
            Self::Plain(stream) => stream.is_write_vectored(),
            Self::Tls(stream) => stream.is_write_vectored(),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_flush(cx),
            Self::Tls(stream) => Pin::new(stream).poll_flush(cx),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Plain(stream) => Pin::new(stream).poll_shutdown(cx),
            Self::Tls(stream) => Pin::new(stream).poll_shutdown(cx),
        }
    }
}
