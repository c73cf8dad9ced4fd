//! The simulated engine as a command.
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

struct Serving(Child);

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn it_says_where_it_listens_and_answers_there() {
    let child = Command::new(env!("CARGO_BIN_EXE_tokamark"))
        .args(["serve", "--port", "0", "--models", "a,b", "--decode-rate", "inf"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut serving = Serving(child);
    let mut line = String::new();
    BufReader::new(serving.0.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let address = line.trim().strip_prefix("listening on http://").unwrap();
    let mut socket = TcpStream::connect(address).unwrap();
    socket.write_all(b"GET /v1/models HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n").unwrap();
    let mut answer = String::new();
    socket.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    assert!(answer.contains("\"a\"") && answer.contains("\"b\""), "{answer}");
}

#[test]
fn its_options_are_checked_together() {
    let output = Command::new(env!("CARGO_BIN_EXE_tokamark"))
        .args(["serve", "--port", "99999", "--decode-rate", "fast", "--max-bach", "3"])
        .output()
        .unwrap();
    let message = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{message}");
    for expected in [
        "error: 3 problems",
        "--max-bach: unknown flag; did you mean --max-batch?",
        "--port: is not a port",
        "--decode-rate: ",
    ] {
        assert!(message.contains(expected), "{expected} is not in {message}");
    }
}
