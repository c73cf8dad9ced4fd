//! Starting and stopping the server.

use std::cell::RefCell;
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, TcpStream};
use std::os::fd::AsFd;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::Sender;
use std::thread::JoinHandle;
use std::time::Duration;

use socket2::{Domain, Protocol, Socket, Type};
use tokamark_clock::{SECOND, Sleeper, WallOffset, now_ns, wall_ns};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::{Notify, oneshot};

use crate::config::{PromptTokens, SimConfig, TokenEncoder};
use crate::connection::{Connection, Worker};
use crate::dispatch::Dispatch;
use crate::metrics::EngineMetrics;
use crate::options::SimOptionError;
use crate::shared::Shared;
use crate::stamp;
use crate::tokens;
use crate::truth::{Entry, LogWriter};

/// Connections that may wait to be accepted. The system's own limit may be lower.
const BACKLOG: i32 = 4096;
/// Size of the buffer that each thread reads requests with.
const READ_BYTES: usize = 64 * 1024;
/// Tasks that a thread runs before it looks for due timers and ready sockets.
const EVENT_INTERVAL: u32 = 16;

/// The server could not be started, or its log is not complete.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// Options that do not fit together.
    #[error(transparent)]
    Options(#[from] SimOptionError),
    /// The address cannot be listened on.
    #[error("cannot listen on {address}: {source}; is the port in use? Port 0 takes a free one")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// Why not.
        source: io::Error,
    },
    /// The truth log cannot be written.
    #[error("cannot write the log {path}: {source}")]
    Log {
        /// The file.
        path: String,
        /// Why not.
        source: io::Error,
    },
    /// No threads or descriptors are to be had.
    #[error("cannot start the server's threads: {0}")]
    Threads(#[source] io::Error),
}

struct Accepted {
    socket: TcpStream,
    number: u64,
    accepted_ns: u64,
}

/// A running server. It stops when dropped.
pub struct Server {
    address: SocketAddr,
    stopping: Arc<AtomicBool>,
    /// The threads that accept, and where.
    acceptors: Vec<(SocketAddr, JoinHandle<()>)>,
    queues: Arc<[UnboundedSender<Accepted>]>,
    /// Connections accepted so far.
    connections: Arc<AtomicU64>,
    stops: Vec<oneshot::Sender<()>>,
    workers: Vec<JoinHandle<()>>,
    log: Option<(LogWriter, String)>,
}

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Server").field("address", &self.address).finish_non_exhaustive()
    }
}

impl Server {
    /// Starts a server that counts prompt tokens as the configuration says.
    ///
    /// # Errors
    /// See [`ServerError`].
    pub fn start(config: SimConfig, address: SocketAddr) -> Result<Self, ServerError> {
        let tokens = PromptTokens::Counted(tokens::counter(config.count));
        Self::start_with(config, address, tokens)
    }

    /// Starts a server that reads prompts with a tokenizer.
    ///
    /// # Errors
    /// See [`ServerError`].
    pub fn start_with_tokenizer(
        config: SimConfig,
        address: SocketAddr,
        encoder: TokenEncoder,
    ) -> Result<Self, ServerError> {
        Self::start_with(config, address, PromptTokens::Encoded(encoder))
    }

    fn start_with(config: SimConfig, address: SocketAddr, tokens: PromptTokens) -> Result<Self, ServerError> {
        config.check()?;
        raise_descriptor_limit();
        let listener = listen(address).map_err(|source| ServerError::Listen { address, source })?;
        let address = listener.local_addr().map_err(|source| ServerError::Listen { address, source })?;
        let (log, log_sender) = match &config.log {
            Some(path) => {
                let name = path.display().to_string();
                let (writer, sender) =
                    LogWriter::start(path).map_err(|source| ServerError::Log { path: name.clone(), source })?;
                (Some((writer, name)), Some(sender))
            }
            None => (None, None),
        };
        let threads = config.threads.max(1);
        let shared = Arc::new(Shared {
            tokens,
            metrics: (0..threads).map(|_| EngineMetrics::default()).collect(),
            requests: AtomicU64::new(0),
            cache_epoch: AtomicU64::new(0),
            created: wall_ns() / SECOND,
            started_ns: now_ns(),
            config,
        });
        let stopping = Arc::new(AtomicBool::new(false));
        let mut server = Self {
            address,
            stopping,
            acceptors: Vec::new(),
            queues: Arc::new([]),
            connections: Arc::default(),
            stops: Vec::new(),
            workers: Vec::new(),
            log,
        };
        let mut queues = Vec::new();
        let started = (0..threads).try_for_each(|thread| {
            let (queue, accepted) = unbounded_channel();
            queues.push(queue);
            server.start_worker(&shared, thread, log_sender.clone(), accepted)
        });
        // The log ends when nobody can send to it, which a server that is dropped waits for.
        drop(log_sender);
        started.map_err(ServerError::Threads)?;
        server.queues = queues.into();
        server.accept_from(listener, address)?;
        Ok(server)
    }

    /// Listens at one more address for the same engine; gives it with the port that it got.
    ///
    /// # Errors
    /// The address cannot be listened on.
    pub fn listen_too(&mut self, address: SocketAddr) -> Result<SocketAddr, ServerError> {
        let listener = listen(address).map_err(|source| ServerError::Listen { address, source })?;
        let address = listener.local_addr().map_err(|source| ServerError::Listen { address, source })?;
        self.accept_from(listener, address)?;
        Ok(address)
    }

    fn accept_from(&mut self, listener: TcpListener, address: SocketAddr) -> Result<(), ServerError> {
        let (queues, stopping) = (Arc::clone(&self.queues), Arc::clone(&self.stopping));
        let connections = Arc::clone(&self.connections);
        let acceptor = std::thread::Builder::new()
            .name("sim-accept".into())
            .spawn(move || accept(&listener, &queues, &connections, &stopping))
            .map_err(ServerError::Threads)?;
        self.acceptors.push((address, acceptor));
        Ok(())
    }

    /// Where the server listens, with the port that it got.
    #[must_use]
    pub fn addr(&self) -> SocketAddr {
        self.address
    }

    /// Stops the server: closes its connections and completes its log.
    ///
    /// # Errors
    /// When the log could not be written.
    pub fn shutdown(mut self) -> Result<(), ServerError> {
        self.stop()
    }

    fn start_worker(
        &mut self,
        shared: &Arc<Shared>,
        thread: usize,
        log: Option<Sender<Entry>>,
        accepted: UnboundedReceiver<Accepted>,
    ) -> io::Result<()> {
        let shared = Arc::clone(shared);
        let runtime =
            tokio::runtime::Builder::new_current_thread().enable_all().event_interval(EVENT_INTERVAL).build()?;
        let sleeper = {
            let _inside = runtime.enter();
            Sleeper::new()?
        };
        let (stop, stopped) = oneshot::channel();
        let handle = std::thread::Builder::new().name(format!("sim-{thread}")).spawn(move || {
            let dispatch = RefCell::new(Dispatch::new(Arc::clone(&shared), thread, log));
            let worker = Rc::new(Worker {
                shared,
                dispatch,
                wake: Notify::new(),
                buffer: RefCell::new(vec![0; READ_BYTES]),
                offset: RefCell::new(WallOffset::new()),
                thread,
            });
            let tasks = tokio::task::LocalSet::new();
            tasks.spawn_local(receive(Rc::clone(&worker), accepted));
            tasks.spawn_local(drive(Rc::clone(&worker), sleeper));
            runtime.block_on(tasks.run_until(async {
                // Whether it is told or the server is gone: both mean stop.
                let _ = stopped.await;
            }));
            worker.dispatch.borrow_mut().abandon();
            // The tasks hold sockets that are registered with the runtime.
            drop(tasks);
        })?;
        self.stops.push(stop);
        self.workers.push(handle);
        Ok(())
    }

    fn stop(&mut self) -> Result<(), ServerError> {
        self.stopping.store(true, Ordering::SeqCst);
        for (address, acceptor) in self.acceptors.drain(..) {
            // A connection wakes the thread that waits for one.
            let _ = TcpStream::connect_timeout(&reachable(address), Duration::from_secs(1));
            let _ = acceptor.join();
        }
        self.stops.clear();
        for worker in self.workers.drain(..) {
            let _ = worker.join();
        }
        match self.log.take() {
            Some((writer, path)) => writer.join().map_err(|source| ServerError::Log { path, source }),
            None => Ok(()),
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Whoever cares for the log's error calls `shutdown`.
        let _ = self.stop();
    }
}

fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, Some(Protocol::TCP))?;
    socket.set_reuse_address(true)?;
    // Without stamps, arrivals are the times of the reads.
    let _ = stamp::enable(socket.as_fd());
    socket.bind(&address.into())?;
    socket.listen(BACKLOG)?;
    Ok(socket.into())
}

/// An address under which this machine reaches a listener.
fn reachable(mut address: SocketAddr) -> SocketAddr {
    if address.ip().is_unspecified() {
        address.set_ip(match address {
            SocketAddr::V4(_) => IpAddr::V4(Ipv4Addr::LOCALHOST),
            SocketAddr::V6(_) => IpAddr::V6(Ipv6Addr::LOCALHOST),
        });
    }
    address
}

/// A thread of its own accepts, so that no burst of connections waits for the serving threads.
fn accept(
    listener: &TcpListener,
    queues: &[UnboundedSender<Accepted>],
    connections: &AtomicU64,
    stopping: &AtomicBool,
) {
    loop {
        let accepted = listener.accept();
        if stopping.load(Ordering::SeqCst) {
            return;
        }
        let Ok((socket, _)) = accepted else {
            // Out of descriptors, most likely; some may be free again in a moment.
            std::thread::sleep(Duration::from_millis(5));
            continue;
        };
        let accepted_ns = now_ns();
        if socket.set_nonblocking(true).is_err() {
            continue;
        }
        let _ = socket.set_nodelay(true);
        let number = connections.fetch_add(1, Ordering::Relaxed);
        let queue = &queues[number as usize % queues.len()];
        if queue.send(Accepted { socket, number, accepted_ns }).is_err() {
            return;
        }
    }
}

/// Starts a task for each connection.
async fn receive(worker: Rc<Worker>, mut accepted: UnboundedReceiver<Accepted>) {
    while let Some(Accepted { socket, number, accepted_ns }) = accepted.recv().await {
        if let Ok(socket) = tokio::net::TcpStream::from_std(socket) {
            let connection = Connection::new(Rc::clone(&worker), socket, number, accepted_ns);
            tokio::task::spawn_local(connection.serve());
        }
    }
}

/// Follows the engine's deadlines.
async fn drive(worker: Rc<Worker>, mut sleeper: Sleeper) {
    loop {
        let deadline = {
            let mut dispatch = worker.dispatch.borrow_mut();
            dispatch.pump();
            let deadline = dispatch.next_deadline();
            dispatch.sleeping_until = deadline.unwrap_or(u64::MAX);
            deadline
        };
        match deadline {
            // Behind, or with more to write than one round does: let the others have their turn, too.
            Some(deadline) if deadline <= now_ns() => tokio::task::yield_now().await,
            Some(deadline) => tokio::select! {
                biased;
                () = worker.wake.notified() => {}
                () = sleeper.sleep_until(deadline) => {}
            },
            None => worker.wake.notified().await,
        }
    }
}

/// Lets the process have as many descriptors as it may. If that fails, fewer connections fit.
fn raise_descriptor_limit() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let limit = getrlimit(Resource::Nofile);
    let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, maximum: limit.maximum });
}
