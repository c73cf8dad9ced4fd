//! A server that does to the byte what a script says: one thread and one call of the script for each connection.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rustls::{ServerConfig, ServerConnection, StreamOwned};
use tokamark_clock::now_ns;

/// A request as it arrived.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    /// Number of its connection, from 0.
    pub(crate) connection: usize,
    /// Number on its connection, from 0.
    pub(crate) index: usize,
    /// The request line.
    pub(crate) line: String,
    /// Header lines in order, names as sent.
    pub(crate) headers: Vec<(String, String)>,
    /// The body.
    pub(crate) body: String,
    /// Bytes of it all.
    pub(crate) length: u64,
    /// When the last of it had been read.
    pub(crate) at_ns: u64,
}

impl Seen {
    /// The values of a header.
    pub(crate) fn header(&self, name: &str) -> Vec<&str> {
        let same = self.headers.iter().filter(|(known, _)| known.eq_ignore_ascii_case(name));
        same.map(|(_, value)| value.as_str()).collect()
    }
}

#[derive(Default)]
struct Shared {
    seen: Mutex<Vec<Seen>>,
    connections: AtomicUsize,
    closed_by_client: AtomicUsize,
    is_over: AtomicBool,
}

/// A running server.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    shared: Arc<Shared>,
}

impl Server {
    /// Serves each connection by the script; when the script returns, the connection is closed.
    pub(crate) fn start(script: impl Fn(&mut Peer) + Send + Sync + 'static) -> Self {
        Self::on(TcpListener::bind("127.0.0.1:0").unwrap(), None, script)
    }

    pub(crate) fn with_tls(tls: Arc<ServerConfig>, script: impl Fn(&mut Peer) + Send + Sync + 'static) -> Self {
        Self::on(TcpListener::bind("127.0.0.1:0").unwrap(), Some(tls), script)
    }

    /// Gives every request of every connection the same answer.
    pub(crate) fn answering(answer: impl Into<String>) -> Self {
        let answer = answer.into();
        Self::start(move |peer| {
            while peer.request().is_some() {
                peer.write(&answer);
            }
        })
    }

    pub(crate) fn on(
        listener: TcpListener,
        tls: Option<Arc<ServerConfig>>,
        script: impl Fn(&mut Peer) + Send + Sync + 'static,
    ) -> Self {
        let address = listener.local_addr().unwrap();
        let (shared, script) = (Arc::new(Shared::default()), Arc::new(script));
        let accepting = Arc::clone(&shared);
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                if accepting.is_over.load(Ordering::SeqCst) {
                    return;
                }
                let Ok(stream) = stream else { continue };
                stream.set_nodelay(true).unwrap();
                let number = accepting.connections.fetch_add(1, Ordering::SeqCst);
                let (shared, script, tls) = (Arc::clone(&accepting), Arc::clone(&script), tls.clone());
                std::thread::spawn(move || {
                    let wire = match tls {
                        None => Wire::Plain(stream),
                        Some(config) => {
                            let connection = ServerConnection::new(config).unwrap();
                            Wire::Tls(Box::new(StreamOwned::new(connection, stream)))
                        }
                    };
                    script(&mut Peer { number, index: 0, wire, shared, held: Vec::new() });
                });
            }
        });
        Self { address, shared }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/v1/chat/completions", self.address)
    }

    /// Every request that arrived, in order of arrival.
    pub(crate) fn requests(&self) -> Vec<Seen> {
        self.shared.seen.lock().unwrap().clone()
    }

    /// Connections accepted so far.
    pub(crate) fn connections(&self) -> usize {
        self.shared.connections.load(Ordering::SeqCst)
    }

    /// Ends of connections that a script saw come from the client.
    pub(crate) fn closed_by_client(&self) -> usize {
        self.shared.closed_by_client.load(Ordering::SeqCst)
    }

    /// Accepts nothing more: later connections are refused.
    pub(crate) fn close(&self) {
        if !self.shared.is_over.swap(true, Ordering::SeqCst) {
            // Wakes the accepting thread, which then drops the listener.
            let _ = TcpStream::connect(self.address);
            while TcpStream::connect(self.address).is_ok() {
                pause(1);
            }
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.close();
    }
}

enum Wire {
    Plain(TcpStream),
    Tls(Box<StreamOwned<ServerConnection, TcpStream>>),
}

/// One connection, as a script sees it.
pub(crate) struct Peer {
    /// Number of the connection, from 0.
    pub(crate) number: usize,
    index: usize,
    wire: Wire,
    shared: Arc<Shared>,
    held: Vec<u8>,
}

impl Peer {
    /// Reads the next request; `None` when the client has closed.
    pub(crate) fn request(&mut self) -> Option<Seen> {
        let head_length = loop {
            if let Some(at) = self.held.windows(4).position(|window| window == b"\r\n\r\n") {
                break at + 4;
            }
            self.fill()?;
        };
        let head = String::from_utf8(self.held[..head_length].to_vec()).unwrap();
        let mut lines = head.trim_end().split("\r\n");
        let line = lines.next().unwrap().to_owned();
        let headers: Vec<(String, String)> = lines
            .map(|line| line.split_once(':').unwrap())
            .map(|(name, value)| (name.to_owned(), value.trim().to_owned()))
            .collect();
        let length = headers.iter().find(|(name, _)| name.eq_ignore_ascii_case("content-length"));
        let length: usize = length.map_or(0, |(_, value)| value.parse().unwrap());
        while self.held.len() < head_length + length {
            self.fill()?;
        }
        let rest = self.held.split_off(head_length + length);
        let whole = std::mem::replace(&mut self.held, rest);
        let seen = Seen {
            connection: self.number,
            index: self.index,
            line,
            headers,
            body: String::from_utf8(whole[head_length..].to_vec()).unwrap(),
            length: whole.len() as u64,
            at_ns: now_ns(),
        };
        self.index += 1;
        self.shared.seen.lock().unwrap().push(seen.clone());
        Some(seen)
    }

    fn fill(&mut self) -> Option<()> {
        let mut bytes = [0; 16 * 1024];
        let length = match &mut self.wire {
            Wire::Plain(stream) => stream.read(&mut bytes),
            Wire::Tls(stream) => stream.read(&mut bytes),
        };
        match length {
            Ok(length) if length > 0 => {
                self.held.extend_from_slice(&bytes[..length]);
                Some(())
            }
            _ => {
                self.shared.closed_by_client.fetch_add(1, Ordering::SeqCst);
                None
            }
        }
    }

    /// Writes in one go. `false` if the client has gone.
    pub(crate) fn write(&mut self, bytes: impl AsRef<[u8]>) -> bool {
        let bytes = bytes.as_ref();
        match &mut self.wire {
            Wire::Plain(stream) => stream.write_all(bytes).is_ok(),
            Wire::Tls(stream) => stream.write_all(bytes).and_then(|()| stream.flush()).is_ok(),
        }
    }

    /// Writes byte by byte, each in a segment of its own.
    pub(crate) fn dribble(&mut self, bytes: &str) {
        for byte in bytes.as_bytes() {
            self.write([*byte]);
        }
    }

    /// Waits until the client closes.
    pub(crate) fn wait_for_close(&mut self) {
        while self.fill().is_some() {}
    }

    /// Makes the coming close a reset.
    pub(crate) fn reset_on_close(&mut self) {
        let Wire::Plain(stream) = &self.wire else { panic!("resets are for plain connections") };
        socket2::SockRef::from(stream).set_linger(Some(Duration::ZERO)).unwrap();
    }

    /// The plain stream, for what scripts do beyond HTTP.
    pub(crate) fn stream(&mut self) -> &mut TcpStream {
        match &mut self.wire {
            Wire::Plain(stream) => stream,
            Wire::Tls(stream) => &mut stream.sock,
        }
    }
}

/// Sleeps for some milliseconds.
pub(crate) fn pause(ms: u64) {
    std::thread::sleep(Duration::from_millis(ms));
}
