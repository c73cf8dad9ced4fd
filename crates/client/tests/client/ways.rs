//! The way to the server: headers, addresses, TLS, proxies.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use tokamark_client::ClientError;
use tokamark_plan::{ConnectMode, Plan, Secret};
use tokamark_record::{FailureKind, Outcome, Phase, RequestRecord, request_id};

use crate::support::answers::*;
use crate::support::plans::{lazy_plan, plan};
use crate::support::running::*;
use crate::support::server::{Peer, Server};
use crate::support::tls::Authority;

fn secret(text: &str) -> Secret {
    Secret(text.to_owned())
}

fn answer_all(peer: &mut Peer) {
    while peer.request().is_some() {
        peer.write(streamed(&["a"]));
    }
}

#[test]
fn a_request_is_what_it_should_be() {
    let server = Server::answering(streamed(&["a"]));
    let record = run_one(&plan(&(server.url() + "?api-version=1"), 1));
    assert_eq!(record.outcome, Outcome::Ok);
    let seen = &server.requests()[0];
    assert_eq!(seen.line, "POST /v1/chat/completions?api-version=1 HTTP/1.1");
    assert_eq!(seen.body, BODY);
    for (name, value) in [
        ("host", server.address.to_string()),
        ("content-type", "application/json".to_owned()),
        ("accept", "text/event-stream".to_owned()),
        ("accept-encoding", "identity".to_owned()),
        ("content-length", BODY.len().to_string()),
        ("x-request-id", request_id("run", Phase::Profiling, 0)),
    ] {
        assert_eq!(seen.header(name), [value], "{name}");
    }
    for name in ["authorization", "transfer-encoding", "proxy-authorization"] {
        assert!(seen.header(name).is_empty(), "{name}");
    }
    assert!(seen.header("user-agent")[0].starts_with("tokamark/"));
}

#[test]
fn a_document_is_asked_for_as_one() {
    let server = Server::answering(sized("200 OK", "application/json", &document("a")));
    let mut plan = plan(&server.url(), 1);
    plan.target.streaming = false;
    let record = run_one(&plan);
    assert_eq!(record.outcome, Outcome::Ok);
    assert_eq!(server.requests()[0].header("accept"), ["application/json"]);
    assert_eq!(record.events[0].arrival, record.times.end);
}

#[test]
fn the_key_and_the_headers_of_the_user_are_sent() {
    let server = Server::answering(streamed(&["a"]));
    let mut plan = plan(&server.url(), 1);
    plan.target.api_key = Some(secret("sk-1"));
    run_one(&plan);
    plan.target.headers = [
        ("AUTHORIZATION", "Basic abc"),
        ("accept", "*/*"),
        ("X-Twice", "1"),
        ("x-twice", "2"),
        ("Host", "virtual.example"),
        ("X-Request-Id", "mine"),
        ("X-Empty", ""),
    ]
    .map(|(name, value)| (name.to_owned(), secret(value)))
    .to_vec();
    run_one(&plan);
    let seen = server.requests();
    assert_eq!(seen[0].header("authorization"), ["Bearer sk-1"]);
    assert_eq!(seen[1].header("authorization"), ["Basic abc"]);
    assert_eq!(seen[1].header("accept"), ["*/*"]);
    assert_eq!(seen[1].header("x-twice"), ["1", "2"]);
    assert_eq!(seen[1].header("host"), ["virtual.example"]);
    assert_eq!(seen[1].header("x-request-id"), ["mine"]);
    assert_eq!(seen[1].header("x-empty"), [""]);
}

#[test]
fn headers_that_would_break_the_request_are_refused() {
    for (name, value) in
        [("a b", "1"), ("", "1"), ("x", "a\r\nb: c"), ("Content-Length", "5"), ("Transfer-Encoding", "x")]
    {
        let mut plan = plan("http://127.0.0.1:9/", 1);
        plan.target.headers = vec![(name.to_owned(), secret(value))];
        let error = Run::start(&plan).err().unwrap();
        assert!(matches!(error, ClientError::BadHeader { .. }), "{name}: {error}");
        assert!(!error.to_string().contains("b: c"));
    }
}

#[test]
fn a_password_in_the_url_is_sent_as_a_header_only() {
    let server = Server::answering(streamed(&["a"]));
    let url = server.url().replace("http://", "http://user:p%40ss@");
    assert_eq!(run_one(&plan(&url, 1)).outcome, Outcome::Ok);
    let seen = &server.requests()[0];
    assert_eq!(seen.header("authorization"), ["Basic dXNlcjpwQHNz"]);
    assert_eq!(seen.header("host"), [server.address.to_string()]);
    assert!(!seen.line.contains("p@ss") && !seen.line.contains('@'));
}

#[test]
fn ipv6_servers_are_reached() {
    // A machine may be without.
    let Ok(listener) = TcpListener::bind("[::1]:0") else { return };
    let server = Server::on(listener, None, answer_all);
    assert_eq!(run_one(&plan(&server.url(), 1)).outcome, Outcome::Ok);
    assert_eq!(server.requests()[0].header("host"), [server.address.to_string()]);
}

#[test]
fn a_name_with_several_addresses_is_tried_through() {
    // `localhost` may also be ::1, where nobody listens.
    let server = Server::answering(streamed(&["a"]));
    let url = server.url().replace("127.0.0.1", "localhost");
    assert_eq!(run_one(&plan(&url, 1)).outcome, Outcome::Ok);
}

fn secure_plan(server: &Server, count: u64) -> Plan {
    plan(&server.url().replace("http://127.0.0.1", "https://localhost"), count)
}

#[test]
fn a_server_of_ones_own_authority_is_trusted() {
    let authority = Authority::new();
    let server = Server::with_tls(authority.server("localhost", false), answer_all);
    let mut plan = secure_plan(&server, 3);
    plan.target.tls.ca_file = Some(authority.file());
    plan.target.connect = ConnectMode::Lazy;
    let (outcome, records) = run_with(&plan, Arc::new(Fixed));
    assert_all_ok(&records, 3);
    let times = records[0].times;
    assert!(times.connect_end.unwrap() < times.tls_end.unwrap());
    assert!(times.tls_end.unwrap() <= times.send_start.unwrap());
    assert_eq!(records[1].times.tls_end, None);
    // Records and handshake add to what goes over the wire; the handshake belongs to no request.
    let seen = server.requests();
    assert!(records.iter().zip(&seen).all(|(record, seen)| record.bytes_out > seen.length));
    assert!(records.iter().all(|record| record.bytes_in > streamed(&["a"]).len() as u64 && record.bytes_in < 2_000));
    assert!(outcome.reads > 3);
    for (record, seen) in records.iter().zip(&seen) {
        let event = record.events[0];
        assert!(record.times.send_start.unwrap() < seen.at_ns);
        assert!(seen.at_ns < event.arrival && event.arrival <= event.read);
    }
}

#[test]
fn reads_under_tls_have_kernel_stamps_where_plain_ones_have() {
    let authority = Authority::new();
    let secure = Server::with_tls(authority.server("localhost", false), answer_all);
    let clear = Server::start(answer_all);
    let mut secure_plan = secure_plan(&secure, 20);
    secure_plan.target.tls.ca_file = Some(authority.file());
    // Kernels switch stamping on a little after the first socket asked for it, so one run may miss it on a busy machine.
    let stamped = |plan: &Plan| {
        (0..10).any(|_| {
            let (outcome, records) = run_with(plan, Arc::new(Fixed));
            assert_all_ok(&records, 20);
            outcome.unstamped_reads < outcome.reads / 2
        })
    };
    assert_eq!(stamped(&secure_plan), stamped(&plan(&clear.url(), 20)));
}

#[test]
fn servers_that_are_not_trusted_fail_as_such() {
    let (authority, other) = (Authority::new(), Authority::new());
    let server = Server::with_tls(authority.server("localhost", false), answer_all);
    for ca_file in [None, Some(other.file())] {
        let mut plan = secure_plan(&server, 1);
        plan.target.tls.ca_file = ca_file;
        let error = Run::start(&plan).err().unwrap();
        assert!(matches!(&error, ClientError::Unreachable { reason, .. } if reason.contains("TLS")), "{error}");
        plan.target.connect = ConnectMode::Lazy;
        let record = run_one(&plan);
        assert_failed(&record, FailureKind::Tls);
        assert_eq!(record.times.send_start, None);
    }
    let elsewhere = Server::with_tls(authority.server("elsewhere.example", false), answer_all);
    let mut plan = secure_plan(&elsewhere, 1);
    plan.target.tls.ca_file = Some(authority.file());
    plan.target.connect = ConnectMode::Lazy;
    assert_failed(&run_one(&plan), FailureKind::Tls);
    plan.target.tls.insecure = true;
    assert_eq!(run_one(&plan).outcome, Outcome::Ok);
    assert_eq!(server.requests().len() + elsewhere.requests().len(), 1);
}

#[test]
fn a_server_that_speaks_no_tls_fails_as_such() {
    let server = Server::start(|peer| {
        peer.write("HTTP/1.1 400 Bad Request\r\n\r\n");
        peer.wait_for_close();
    });
    let mut plan = secure_plan(&server, 1);
    plan.target.connect = ConnectMode::Lazy;
    assert_failed(&run_one(&plan), FailureKind::Tls);
}

#[test]
fn a_client_certificate_is_shown_when_it_is_asked_for() {
    let authority = Authority::new();
    let server = Server::with_tls(authority.server("localhost", true), answer_all);
    let mut plan = secure_plan(&server, 2);
    plan.target.tls.ca_file = Some(authority.file());
    let (certificate, key) = authority.client_files();
    (plan.target.tls.certificate_file, plan.target.tls.key_file) = (Some(certificate), Some(key));
    assert_all_ok(&run(&plan), 2);

    // TLS 1.3 servers refuse only after the client's handshake is over.
    (plan.target.tls.certificate_file, plan.target.tls.key_file) = (None, None);
    plan.target.connect = ConnectMode::Lazy;
    plan.load.request_count = Some(1);
    assert_failed(&run_one(&plan), FailureKind::Tls);
}

#[test]
fn tls_files_that_cannot_be_used_stop_the_run() {
    let authority = Authority::new();
    let (certificate, key) = authority.client_files();
    let base = plan("https://127.0.0.1:9/", 1);
    let missing = authority.folder().join("missing.pem");
    let start = |change: &dyn Fn(&mut tokamark_plan::TlsPlan)| {
        let mut plan = base.clone();
        change(&mut plan.target.tls);
        Run::start(&plan).err().unwrap()
    };
    let is_file = |error: ClientError| matches!(error, ClientError::TlsFile { .. });
    assert!(is_file(start(&|tls| tls.ca_file = Some(missing.clone()))));
    assert!(is_file(start(&|tls| tls.ca_file = Some(key.clone()))));
    assert!(matches!(start(&|tls| tls.certificate_file = Some(certificate.clone())), ClientError::Tls(_)));
    let swapped = start(&|tls| {
        (tls.certificate_file, tls.key_file) = (Some(certificate.clone()), Some(certificate.clone()));
    });
    assert!(is_file(swapped));
}

#[test]
fn an_http_proxy_is_given_the_whole_url() {
    let proxy = Server::answering(streamed(&["a"]));
    let mut plan = plan("http://model.invalid:8000/v1/chat/completions?a=b", 2);
    plan.target.proxy.http = Some(secret(&format!("http://user:pass@{}", proxy.address)));
    let records = run(&plan);
    assert_all_ok(&records, 2);
    let seen = proxy.requests();
    assert_eq!(seen[1].line, "POST http://model.invalid:8000/v1/chat/completions?a=b HTTP/1.1");
    assert_eq!(seen[1].header("host"), ["model.invalid:8000"]);
    assert_eq!(seen[1].header("proxy-authorization"), ["Basic dXNlcjpwYXNz"]);
    assert_eq!(proxy.connections(), 1);
}

/// A proxy that takes CONNECT, answers with `answer` and, if that is a 200, passes bytes on. Gives the heads it saw.
fn tunnel(to: std::net::SocketAddr, answer: &'static str) -> (Server, Arc<Mutex<Vec<String>>>) {
    let heads = Arc::new(Mutex::new(Vec::new()));
    let noted = Arc::clone(&heads);
    let server = Server::start(move |peer| {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            let mut byte = [0];
            if peer.stream().read(&mut byte).unwrap_or(0) == 0 {
                return;
            }
            head.push(byte[0]);
        }
        noted.lock().unwrap().push(String::from_utf8(head).unwrap());
        peer.write(answer);
        if !answer.contains(" 200 ") {
            return;
        }
        let mut near = peer.stream().try_clone().unwrap();
        let mut far = TcpStream::connect(to).unwrap();
        let (mut near_too, mut far_too) = (near.try_clone().unwrap(), far.try_clone().unwrap());
        let back = std::thread::spawn(move || {
            let _ = std::io::copy(&mut far_too, &mut near_too);
            let _ = near_too.shutdown(std::net::Shutdown::Write);
        });
        let _ = std::io::copy(&mut near, &mut far);
        let _ = far.flush();
        let _ = far.shutdown(std::net::Shutdown::Write);
        back.join().unwrap();
    });
    (server, heads)
}

fn through_tunnel(answer: &'static str) -> (RequestRecord, Vec<String>, u16) {
    let authority = Authority::new();
    let server = Server::with_tls(authority.server("localhost", false), answer_all);
    let (proxy, heads) = tunnel(server.address, answer);
    let mut plan = secure_plan(&server, 1);
    plan.target.tls.ca_file = Some(authority.file());
    plan.target.connect = ConnectMode::Lazy;
    plan.target.proxy.https = Some(secret(&format!("http://user:pass@{}", proxy.address)));
    let record = run_one(&plan);
    if record.outcome == Outcome::Ok {
        let seen = &server.requests()[0];
        assert_eq!(seen.line, "POST /v1/chat/completions HTTP/1.1");
        assert!(seen.header("proxy-authorization").is_empty());
    } else {
        assert!(server.requests().is_empty());
    }
    let heads = heads.lock().unwrap().clone();
    (record, heads, server.address.port())
}

#[test]
fn tls_goes_through_a_tunnel() {
    let (record, heads, port) = through_tunnel("HTTP/1.1 200 Connection established\r\nVia: x\r\n\r\n");
    assert_eq!(record.outcome, Outcome::Ok);
    assert_eq!(heads.len(), 1);
    assert!(heads[0].starts_with(&format!("CONNECT localhost:{port} HTTP/1.1\r\nHost: localhost:{port}\r\n")));
    assert!(heads[0].contains("\r\nProxy-Authorization: Basic dXNlcjpwYXNz\r\n"));
    assert!(record.times.tls_end.is_some());
}

#[test]
fn a_proxy_that_refuses_is_named() {
    for (answer, part) in [
        ("HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n", "407"),
        ("HTTP/1.1 502 Bad Gateway\r\n\r\n", "502"),
        ("nonsense\r\n\r\n", "no HTTP"),
        ("HTTP/1.1", "closed"),
    ] {
        let (record, heads, _) = through_tunnel(answer);
        assert_failed(&record, FailureKind::Proxy);
        assert!(failure(&record).message.contains(part), "{}", failure(&record).message);
        assert_eq!((heads.len(), record.times.send_start), (1, None));
    }
}

#[test]
fn a_proxy_that_is_not_there_is_a_failure_to_connect() {
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let mut plan = lazy_plan("http://model.invalid/", 1);
    plan.target.proxy.http = Some(secret(&format!("http://{free}")));
    assert_failed(&run_one(&plan), FailureKind::Connect);
    // An exception goes direct.
    let server = Server::answering(streamed(&["a"]));
    plan.target.urls = vec![server.url()];
    plan.target.proxy.exceptions = vec!["127.0.0.1".to_owned()];
    assert_eq!(run_one(&plan).outcome, Outcome::Ok);
}
