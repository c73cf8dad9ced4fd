//! One connection to a server: how it is opened, and what it speaks.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll};

use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use tokamark_clock::now_ns;
use tokamark_record::{Failure, FailureKind};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use crate::address::Address;
use crate::failure::{describe, failure, of_connect};
use crate::http1::{Http1, Scratch};
use crate::proxy::Proxy;
use crate::socket::{Meter, StampedStream, Stamper};

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

/// The bytes below HTTP. Stamps are taken below TLS.
#[derive(Debug)]
pub(crate) enum Transport {
    Plain(StampedStream),
    Tls(Box<TlsStream<StampedStream>>),
}

/// An open connection. Nobody looks at it while it is idle: whoever takes it looks first whether it is still alive.
pub(crate) struct Connection {
    pub(crate) http: Http1<Transport>,
    pub(crate) meter: Rc<Meter>,
    pub(crate) opening: Opening,
    /// Requests that it has served.
    pub(crate) served: u64,
}

impl Connection {
    /// Opens a connection.
    pub(crate) async fn open(route: &Route, stamper: &Rc<Stamper>, scratch: &Scratch) -> Result<Self, Failure> {
        let mut opening = Opening { start: now_ns(), ..Opening::default() };
        let mut stream = connect_any(&route.addresses, stamper).await.map_err(|error| of_connect(&error))?;
        opening.connected = now_ns();
        let meter = stream.meter();
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
        let http = Http1::new(transport, Rc::clone(&meter), Rc::clone(scratch));
        Ok(Self { http, meter, opening, served: 0 })
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
