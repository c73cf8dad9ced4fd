//! A client that shows exactly what came over the wire.

#![allow(dead_code, reason = "each test file uses a part of it")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test helper fails by panicking")]

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use serde_json::Value;
use tokamark_sim::{Server, SimConfig, TruthRecord};

/// A server with a truth log.
pub(crate) struct Fixture {
    server: Server,
    folder: tempfile::TempDir,
}

impl Fixture {
    /// A server with the options of a `sim:` URL's query, on a free port. Fast unless told otherwise.
    pub(crate) fn start(options: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let fast = "overhead=0&prefill=inf&decode=1000&sequence=0";
        let mut config: SimConfig = format!("sim:?{fast}&{options}").parse().unwrap();
        config.log = Some(folder.path().join("truth.jsonl"));
        let server = Server::start(config, "127.0.0.1:0".parse().unwrap()).unwrap();
        Self { server, folder }
    }

    pub(crate) fn addr(&self) -> SocketAddr {
        self.server.addr()
    }

    pub(crate) fn connect(&self) -> Client {
        let socket = TcpStream::connect(self.addr()).unwrap();
        socket.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        socket.set_nodelay(true).unwrap();
        Client { socket, input: Vec::new() }
    }

    /// Posts JSON on a new connection.
    pub(crate) fn post(&self, path: &str, body: &str) -> Response {
        self.connect().post(path, body)
    }

    pub(crate) fn get(&self, path: &str) -> Response {
        self.connect().exchange(&format!("GET {path} HTTP/1.1\r\nhost: sim\r\n\r\n"))
    }

    /// The value of a metric, by its name and a part of its labels.
    pub(crate) fn metric(&self, name: &str, labels: &str) -> f64 {
        let text = self.get("/metrics").text();
        let line = text.lines().find(|line| line.starts_with(&format!("{name}{{")) && line.contains(labels));
        line.unwrap_or_else(|| panic!("no {name} in {text}")).rsplit(' ').next().unwrap().parse().unwrap()
    }

    /// Stops the server and reads its log.
    pub(crate) fn stop(self) -> Vec<TruthRecord> {
        self.server.shutdown().unwrap();
        let text = std::fs::read_to_string(self.folder.path().join("truth.jsonl")).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

/// A connection.
pub(crate) struct Client {
    pub(crate) socket: TcpStream,
    input: Vec<u8>,
}

/// A response, as far as it came.
#[derive(Debug, Default)]
pub(crate) struct Response {
    pub(crate) status: u16,
    /// In lower case.
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
    pub(crate) is_complete: bool,
    pub(crate) was_reset: bool,
}

impl Client {
    pub(crate) fn post(&mut self, path: &str, body: &str) -> Response {
        self.exchange(&post_request(path, body))
    }

    pub(crate) fn exchange(&mut self, request: &str) -> Response {
        self.send(request.as_bytes());
        self.receive(request.starts_with("HEAD"))
    }

    pub(crate) fn send(&mut self, bytes: &[u8]) {
        self.socket.write_all(bytes).unwrap();
    }

    /// Whether the server has closed the connection.
    pub(crate) fn is_closed(&mut self) -> bool {
        matches!(self.socket.read(&mut [0; 16]), Ok(0))
    }

    pub(crate) fn receive(&mut self, without_body: bool) -> Response {
        let mut response = Response::default();
        let end = loop {
            if let Some(at) = self.input.windows(4).position(|part| part == b"\r\n\r\n") {
                break at + 4;
            }
            if !self.read(&mut response) {
                return response;
            }
        };
        let head: Vec<u8> = self.input.drain(..end).collect();
        response.head = String::from_utf8(head).unwrap().to_ascii_lowercase();
        response.status = response.head.split(' ').nth(1).unwrap().parse().unwrap();
        let length = response.head.lines().find_map(|line| line.strip_prefix("content-length: ")).map(str::to_owned);
        if without_body || response.status == 100 {
            response.is_complete = true;
        } else if response.head.contains("transfer-encoding: chunked") {
            self.receive_chunks(&mut response);
        } else if let Some(length) = length.map(|length| length.parse::<usize>().unwrap()) {
            while self.input.len() < length && self.read(&mut response) {}
            response.is_complete = self.input.len() >= length;
            response.body = self.input.drain(..length.min(self.input.len())).collect();
        } else {
            while self.read(&mut response) {}
            response.is_complete = !response.was_reset;
            response.body = std::mem::take(&mut self.input);
        }
        response
    }

    fn receive_chunks(&mut self, response: &mut Response) {
        loop {
            let Some(at) = self.input.windows(2).position(|part| part == b"\r\n") else {
                if self.read(response) {
                    continue;
                }
                return;
            };
            let size = usize::from_str_radix(std::str::from_utf8(&self.input[..at]).unwrap(), 16).unwrap();
            while self.input.len() < at + 2 + size + 2 {
                if !self.read(response) {
                    return;
                }
            }
            response.body.extend_from_slice(&self.input[at + 2..at + 2 + size]);
            assert_eq!(&self.input[at + 2 + size..at + 4 + size], b"\r\n");
            self.input.drain(..at + 4 + size);
            if size == 0 {
                response.is_complete = true;
                return;
            }
        }
    }

    fn read(&mut self, response: &mut Response) -> bool {
        let mut buffer = [0; 64 * 1024];
        match self.socket.read(&mut buffer) {
            Ok(0) => false,
            Ok(read) => {
                self.input.extend_from_slice(&buffer[..read]);
                true
            }
            Err(error) if error.kind() == ErrorKind::ConnectionReset => {
                response.was_reset = true;
                false
            }
            Err(error) => panic!("{error}"),
        }
    }
}

impl Response {
    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.body.clone()).unwrap()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    /// The data of each event.
    pub(crate) fn events(&self) -> Vec<String> {
        let text = self.text();
        assert!(text.ends_with("\n\n"), "{text}");
        text.split_terminator("\n\n").map(|event| event.strip_prefix("data: ").unwrap().to_owned()).collect()
    }

    /// The events but `[DONE]`, as JSON.
    pub(crate) fn json_events(&self) -> Vec<Value> {
        let events = self.events();
        events.iter().filter(|data| *data != "[DONE]").map(|data| serde_json::from_str(data).unwrap()).collect()
    }
}

pub(crate) fn post_request(path: &str, body: &str) -> String {
    format!(
        "POST {path} HTTP/1.1\r\nhost: sim\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )
}

pub(crate) const CHAT: &str = "/v1/chat/completions";

/// A streamed chat request for so many tokens.
pub(crate) fn chat(prompt: &str, tokens: u32) -> String {
    format!(
        r#"{{"model":"m","messages":[{{"role":"user","content":"{prompt}"}}],"stream":true,"max_tokens":{tokens},"stream_options":{{"include_usage":true}}}}"#
    )
}

/// The text of so many words.
pub(crate) fn words(range: std::ops::Range<u32>) -> String {
    range.map(|number| tokamark_sim::word(number.into())).collect()
}
