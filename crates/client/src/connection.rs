//! One connection to a server: how it is opened, and what it speaks.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use tokamark_clock::now_ns;
use tokamark_kserve::GrpcStatus;
use tokamark_record::{Failure, FailureKind};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use crate::address::Address;
use crate::failure::{describe, failure, of_connect, of_exchange};
use crate::head::RequestHead;
use crate::http1::{Broken, Head, Http1, Scratch, Wish};
use crate::http2::Http2;
use crate::proxy::Proxy;
use crate::socket::{Meter, ReadStamp, StampedStream, Stamper};

/// A server and the way to it, resolved once.
#[derive(Clone, Debug)]
pub(crate) struct Route {
    pub(crate) target: Address,
    pub(crate) proxy: Option<Proxy>,
    /// Addresses to connect to: the proxy's or the target's, tried in order.
    pub(crate) addresses: Vec<SocketAddr>,
    pub(crate) tls: Option<Arc<ClientConfig>>,
    /// Speak HTTP/2.
    pub(crate) is_http2: bool,
}

impl Route {
    /// The proxy that is told the whole URL of each request, rather than asked for a tunnel. HTTP/2 is spoken through a tunnel.
    pub(crate) fn forwarding_proxy(&self) -> Option<&Proxy> {
        self.proxy.as_ref().filter(|_| self.tls.is_none() && !self.is_http2)
    }

    fn tunnelling_proxy(&self) -> Option<&Proxy> {
        self.proxy.as_ref().filter(|_| self.forwarding_proxy().is_none())
    }
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

/// What is spoken over a connection.
pub(crate) enum Protocol {
    Http1(Http1<Transport>),
    Http2(Box<Http2<Transport>>),
}

impl Protocol {
    /// Begins an exchange. The one before must be over.
    pub(crate) fn start(&mut self, head: RequestHead, body: Bytes) {
        match (self, head) {
            (Self::Http1(http), RequestHead::Http1(head)) => http.start(head, body),
            (Self::Http2(http), RequestHead::Http2(head)) => http.start(*head, body),
            // Heads and connections are made for the same routes.
            (Self::Http1(_) | Self::Http2(_), _) => {}
        }
    }

    /// Whether another request can be sent.
    pub(crate) fn is_usable(&mut self, cx: &mut Context<'_>) -> bool {
        match self {
            Self::Http1(http) => http.is_usable(cx),
            Self::Http2(http) => http.is_usable(cx),
        }
    }

    /// Sends the request and reads the head of the response.
    pub(crate) fn poll_head(&mut self, cx: &mut Context<'_>) -> Poll<Result<Head, Broken>> {
        match self {
            Self::Http1(http) => http.poll_head(cx),
            Self::Http2(http) => http.poll_head(cx),
        }
    }

    /// Reads the body: ready with `true` when it is over, with `false` when the sink wants a pause.
    pub(crate) fn poll_body(
        &mut self,
        cx: &mut Context<'_>,
        sink: impl FnMut(&[u8], ReadStamp) -> Wish,
    ) -> Poll<Result<bool, Broken>> {
        match self {
            Self::Http1(http) => http.poll_body(cx, sink),
            Self::Http2(http) => http.poll_body(cx, sink),
        }
    }

    /// The status of a gRPC call, once it is over and if it had one.
    pub(crate) fn grpc_status(&self) -> Option<&GrpcStatus> {
        match self {
            Self::Http1(_) => None,
            Self::Http2(http) => http.status(),
        }
    }

    /// When the last byte of the request was written, where that is not the last byte written at all.
    pub(crate) fn sent_ns(&self) -> Option<u64> {
        match self {
            Self::Http1(_) => None,
            Self::Http2(http) => http.sent_ns(),
        }
    }
}

/// An open connection. Nobody looks at it while it is idle: whoever takes it looks first whether it is still alive.
pub(crate) struct Connection {
    pub(crate) http: Protocol,
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
        if let Some(proxy) = route.tunnelling_proxy() {
            proxy.tunnel(&mut stream, &route.target).await.map_err(|reason| {
                failure(FailureKind::Proxy, format!("the proxy {} opened no tunnel: {reason}", proxy.address.host))
            })?;
        }
        let transport = match &route.tls {
            None => Transport::Plain(stream),
            Some(config) => {
                let stream = tls_handshake(config, &route.target, stream).await?;
                opening.tls_end = Some(now_ns());
                Transport::Tls(Box::new(stream))
            }
        };
        let http = if route.is_http2 {
            let http = Http2::open(transport, Rc::clone(&meter)).await;
            Protocol::Http2(Box::new(http.map_err(|broken| of_exchange(&broken, meter.bytes_in() > 0))?))
        } else {
            Protocol::Http1(Http1::new(transport, Rc::clone(&meter), Rc::clone(scratch)))
        };
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
