//! Reading pages from servers that behave, and from others.
#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests may panic as tests do")]

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokamark_telemetry::{
    GpuFields, Handle, PageKind, ServerValue, Source, Telemetry, TelemetryConfig, TelemetrySummary, Trust, WarningCode,
    Window,
};

const HOUR_NS: u64 = 3_600_000_000_000;
const MILLISECOND_NS: u64 = 1_000_000;
const ALL_TIME: Window = Window { start_ns: 0, end_ns: u64::MAX };

/// A server of pages, which counts the requests that it answered and keeps their heads.
struct Server {
    port: u16,
    answered: Arc<AtomicUsize>,
    heads: Arc<Mutex<Vec<String>>>,
}

impl Server {
    /// `answer` gets the number of the request, from 0, and writes the response; `false` closes the connection after it.
    fn new(answer: impl Fn(usize, &mut TcpStream) -> bool + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let (answered, heads) = (Arc::new(AtomicUsize::new(0)), Arc::new(Mutex::new(Vec::new())));
        let server = Self { port, answered: Arc::clone(&answered), heads: Arc::clone(&heads) };
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let mut reader = BufReader::new(stream.try_clone().unwrap());
                while let Some(head) = head(&mut reader) {
                    heads.lock().unwrap().push(head);
                    let again = answer(answered.load(Ordering::SeqCst), &mut stream);
                    answered.fetch_add(1, Ordering::SeqCst);
                    if !again {
                        break;
                    }
                }
            }
        });
        server
    }

    fn url(&self) -> String {
        format!("http://127.0.0.1:{}/metrics", self.port)
    }

    /// Waits until so many requests were answered.
    fn wait(&self, requests: usize) {
        while self.answered.load(Ordering::SeqCst) < requests {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

fn head(reader: &mut BufReader<TcpStream>) -> Option<String> {
    let mut head = String::new();
    loop {
        match reader.read_line(&mut head) {
            Ok(0) | Err(_) => return None,
            Ok(_) if head.ends_with("\r\n\r\n") => return Some(head),
            Ok(_) => {}
        }
    }
}

fn respond(stream: &mut TcpStream, status: &str, body: &str) {
    let text = format!("HTTP/1.1 {status}\r\nContent-Type: text/plain\r\nContent-Length: {}\r\n\r\n{body}", body.len());
    stream.write_all(text.as_bytes()).unwrap();
}

/// A page whose counter is the request's number.
fn counter(request: usize) -> String {
    format!("# TYPE asked_total counter\nasked_total {request}\n")
}

fn start(urls: &[&str], interval_ns: u64) -> Handle {
    let sources = urls.iter().map(|url| Source::new(url, PageKind::Server).unwrap()).collect();
    Telemetry::start(TelemetryConfig {
        sources,
        interval_ns,
        timeout_ns: HOUR_NS,
        last_scrape_ns: HOUR_NS,
        ..TelemetryConfig::default()
    })
}

fn rise(summary: &TelemetrySummary, server: usize) -> f64 {
    let ServerValue::Counter(counter) = &summary.servers[server].metrics[0].series[0].value else {
        panic!("{summary:?}")
    };
    counter.increase.amount
}

#[test]
fn pages_follow_one_another() {
    let server = Server::new(|request, stream| {
        respond(stream, "200 OK", &counter(request));
        true
    });
    let handle = start(&[&server.url()], MILLISECOND_NS);
    server.wait(20);
    let summary = handle.finish(ALL_TIME);
    let page = &summary.pages[0];
    assert!(page.scrapes >= 20);
    // Nothing is lost between the first and the last.
    assert_eq!(rise(&summary, 0), (page.scrapes - 1) as f64);
    assert_eq!((page.scrapes_in_window, summary.warnings.len()), (page.scrapes, 0));
    // One connection for all.
    assert!(server.heads.lock().unwrap()[0].starts_with("GET /metrics HTTP/1.1\r\n"));
}

#[test]
fn borders_are_scraped_when_asked_for() {
    let server = Server::new(|request, stream| {
        respond(stream, "200 OK", &counter(request));
        true
    });
    let handle = start(&[&server.url()], HOUR_NS);
    assert!(handle.wait_ready(HOUR_NS));
    handle.scrape_now();
    server.wait(2);
    let summary = handle.finish(ALL_TIME);
    assert_eq!((summary.pages[0].scrapes, rise(&summary, 0)), (3, 2.0));
}

#[test]
fn borders_are_kept_where_others_are_let_go() {
    let server = Server::new(|request, stream| {
        respond(stream, "200 OK", &counter(request));
        true
    });
    // No memory at all, so ever fewer scrapes are kept.
    let sources = vec![Source::new(&server.url(), PageKind::Server).unwrap()];
    let (interval_ns, last_scrape_ns) = (MILLISECOND_NS, HOUR_NS);
    let config = TelemetryConfig { sources, interval_ns, last_scrape_ns, max_bytes: 0, ..TelemetryConfig::default() };
    let handle = Telemetry::start(config);
    server.wait(600);
    let before = server.answered.load(Ordering::SeqCst);
    handle.last_scrape();
    let (_, samples) = handle.stop(ALL_TIME);
    assert!(samples[0].stride() >= 16, "{}", samples[0].stride());
    let last = samples[0].series()[0].values().flatten().last().unwrap();
    assert!(last >= before as f64, "{last} {before}");
}

#[test]
fn chunks_and_closed_connections_are_read() {
    let server = Server::new(|request, stream| {
        let body = counter(request);
        let (one, two) = body.split_at(9);
        let text = format!(
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{:x}\r\n{one}\r\n{:x}\r\n{two}\r\n0\r\n\r\n",
            one.len(),
            two.len()
        );
        stream.write_all(text.as_bytes()).unwrap();
        // It said nothing of closing.
        false
    });
    let handle = start(&[&server.url()], MILLISECOND_NS);
    server.wait(5);
    let summary = handle.finish(ALL_TIME);
    assert_eq!(rise(&summary, 0), (summary.pages[0].scrapes - 1) as f64);
    assert!(summary.pages[0].scrapes >= 3, "{summary:?}");
}

/// A port that nobody listens on.
fn closed_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

#[test]
fn a_page_that_is_not_there_is_one_warning() {
    let server = Server::new(|request, stream| {
        respond(stream, "200 OK", &counter(request));
        true
    });
    let nowhere = format!("http://user:secret@127.0.0.1:{}/metrics", closed_port());
    let handle = start(&[&nowhere, &server.url()], MILLISECOND_NS);
    assert!(handle.wait_ready(HOUR_NS));
    server.wait(10);
    let early = handle.unreachable();
    let summary = handle.finish(ALL_TIME);
    assert_eq!(early, summary.warnings);
    assert_eq!(summary.warnings.len(), 1, "{:?}", summary.warnings);
    let warning = &summary.warnings[0];
    assert_eq!(warning.code, WarningCode::Unreachable);
    assert!(warning.message.contains("could not be read") && !warning.message.contains("secret"), "{warning:?}");
    assert_eq!((summary.pages[0].scrapes, summary.servers.len()), (0, 1));
    assert!(rise(&summary, 0) >= 9.0);
}

#[test]
fn of_a_default_that_is_not_there_nothing_is_said() {
    let address = format!("127.0.0.1:{}", closed_port());
    let kind = PageKind::Gpu(Arc::new(GpuFields::default()));
    let sources = vec![Source::new(&address, kind).unwrap().by_default()];
    // Nor is it waited for at the end, though there is an hour for it.
    let (interval_ns, last_scrape_ns) = (HOUR_NS, HOUR_NS);
    let handle =
        Telemetry::start(TelemetryConfig { sources, interval_ns, last_scrape_ns, ..TelemetryConfig::default() });
    assert!(handle.wait_ready(HOUR_NS));
    assert_eq!(handle.unreachable(), []);
    let summary = handle.finish(ALL_TIME);
    assert_eq!((summary.pages.len(), summary.warnings.len(), summary.gpu_totals), (0, 0, None));
}

/// A server that answers only when it is let go.
fn stuck() -> (Server, Sender<()>) {
    let (release, released): (Sender<()>, Receiver<()>) = channel();
    let released = Mutex::new(released);
    let server = Server::new(move |request, stream| {
        // Once the other end is gone nothing is held back.
        let _ = released.lock().unwrap().recv();
        let _ = stream.write_all(counter(request).as_bytes());
        false
    });
    (server, release)
}

#[test]
fn a_server_that_does_not_answer_holds_nobody_up() {
    let (server, release) = stuck();
    // Both ways to stop come back although the page's time limit is an hour.
    let config = || TelemetryConfig {
        sources: vec![Source::new(&server.url(), PageKind::Server).unwrap()],
        timeout_ns: HOUR_NS,
        last_scrape_ns: MILLISECOND_NS,
        ..TelemetryConfig::default()
    };
    let handle = Telemetry::start(config());
    assert!(!handle.wait_ready(MILLISECOND_NS));
    let summary = handle.finish(ALL_TIME);
    assert!(summary.warnings[0].message.contains("did not answer"), "{:?}", summary.warnings);
    let summary = Telemetry::start(config()).finish_at_once(ALL_TIME);
    assert_eq!((summary.warnings.len(), summary.pages[0].scrapes), (1, 0));
    drop(release);
}

#[test]
fn a_page_that_takes_too_long_is_given_up() {
    let (server, release) = stuck();
    let sources = vec![Source::new(&server.url(), PageKind::Server).unwrap()];
    let handle =
        Telemetry::start(TelemetryConfig { sources, timeout_ns: 20 * MILLISECOND_NS, ..TelemetryConfig::default() });
    assert!(handle.wait_ready(HOUR_NS));
    let summary = handle.finish(ALL_TIME);
    assert_eq!(summary.warnings[0].code, WarningCode::Unreachable);
    assert!(summary.warnings[0].message.contains("timeout"), "{:?}", summary.warnings);
    drop(release);
}

#[test]
fn a_page_that_recovers_is_read_again() {
    let server = Server::new(|request, stream| {
        let status = if request < 2 { "503 Service Unavailable" } else { "200 OK" };
        respond(stream, status, &counter(request));
        true
    });
    let handle = start(&[&server.url()], MILLISECOND_NS);
    server.wait(10);
    let summary = handle.finish(ALL_TIME);
    let scrapes = summary.pages[0].scrapes;
    assert_eq!(rise(&summary, 0), (scrapes - 1) as f64);
    assert_eq!(summary.warnings.len(), 1);
    let said = format!(
        "2 of {} readings of {} failed; the first: the server answered with status 503",
        scrapes + 2,
        server.url()
    );
    assert_eq!(summary.warnings[0].message, said);
}

#[test]
fn credentials_are_sent_and_not_shown() {
    let server = Server::new(|request, stream| {
        respond(stream, "200 OK", &counter(request));
        true
    });
    let url = format!("http://ann:p%40ss@127.0.0.1:{}", server.port);
    let handle = start(&[&url], HOUR_NS);
    assert!(handle.wait_ready(HOUR_NS));
    let summary = handle.finish(ALL_TIME);
    assert_eq!(summary.pages[0].url, server.url());
    let head = server.heads.lock().unwrap()[0].to_ascii_lowercase();
    // "ann:p@ss"
    assert!(head.contains("\r\nauthorization: basic yw5uonbac3m=\r\n"), "{head}");
}

/// A server of one page over TLS, as often as it is asked, and its certificate in PEM.
fn https_server() -> (u16, Vec<u8>) {
    let key = rcgen::KeyPair::generate().unwrap();
    let certificate = rcgen::CertificateParams::new(vec!["localhost".to_owned()]).unwrap().self_signed(&key).unwrap();
    let chain = vec![certificate.der().clone()];
    let key = rustls::pki_types::PrivateKeyDer::try_from(key.serialize_der()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(chain, key)
        .unwrap();
    let config = Arc::new(config);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let connection = rustls::ServerConnection::new(Arc::clone(&config)).unwrap();
            let mut stream = BufReader::new(rustls::StreamOwned::new(connection, stream.unwrap()));
            let mut line = String::new();
            // A client that does not trust the certificate goes away instead.
            while matches!(stream.read_line(&mut line), Ok(read) if read > 0) && !line.ends_with("\r\n\r\n") {}
            let body = counter(0);
            let text = format!("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}", body.len());
            let _ = stream.get_mut().write_all(text.as_bytes());
        }
    });
    (port, certificate.pem().into_bytes())
}

#[test]
fn https_pages_are_trusted_as_the_configuration_says() {
    let (port, pem) = https_server();
    let read = |trust: Trust| {
        let sources = vec![Source::new(&format!("https://localhost:{port}"), PageKind::Server).unwrap()];
        let config = TelemetryConfig { sources, trust, timeout_ns: HOUR_NS, ..TelemetryConfig::default() };
        let handle = Telemetry::start(config);
        assert!(handle.wait_ready(HOUR_NS));
        handle.finish_at_once(ALL_TIME)
    };
    let trusted = read(Trust::Roots(pem));
    assert_eq!((trusted.pages[0].scrapes, trusted.warnings.len()), (1, 0), "{trusted:?}");
    assert_eq!(read(Trust::Anyone).pages[0].scrapes, 1);
    let strange = read(Trust::Roots(Vec::new()));
    assert_eq!((strange.pages[0].scrapes, strange.warnings[0].code), (0, WarningCode::Unreachable));
    assert!(strange.warnings[0].message.contains("certificate"), "{:?}", strange.warnings);
}

#[test]
fn samples_are_handed_out_with_what_lies_beside_the_window() {
    let server = Server::new(|request, stream| {
        respond(stream, "200 OK", &counter(request));
        true
    });
    let handle = start(&[&server.url()], HOUR_NS);
    assert!(handle.wait_ready(HOUR_NS));
    handle.last_scrape();
    let (summary, samples) = handle.stop(Window { start_ns: 0, end_ns: 1 });
    assert_eq!(summary.pages[0].scrapes_in_window, 0);
    assert_eq!(samples[0].series()[0].values().collect::<Vec<_>>(), [Some(0.0), Some(1.0)]);
    let instants: Vec<_> = samples[0].scrapes().collect();
    assert!(instants[0].0 < instants[0].1 && instants[0].1 < instants[1].0 && instants[1].0 < instants[1].1);
}
