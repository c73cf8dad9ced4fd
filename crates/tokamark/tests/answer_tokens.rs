//! Answers of the simulated engine hold, by the compiled-in tokenizer, exactly as many tokens as their usage says.
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use std::io::{Read, Write};
use std::net::TcpStream;

use serde_json::{Value, json};
use tokamark_sim::{Server, SimConfig};
use tokamark_tokenizer::Tokenizer;

fn start(options: &str) -> Server {
    let config: SimConfig = format!("sim:?event-rate=inf&ttft=0&overhead=0&{options}").parse().unwrap();
    Server::start(config, "127.0.0.1:0".parse().unwrap()).unwrap()
}

/// The body of the answer. HTTP/1.0, so that it comes without chunks and ends with the connection.
fn post(server: &Server, path: &str, body: &Value) -> String {
    let body = body.to_string();
    let mut socket = TcpStream::connect(server.addr()).unwrap();
    let length = body.len();
    let head =
        format!("POST {path} HTTP/1.0\r\nhost: sim\r\ncontent-type: application/json\r\ncontent-length: {length}");
    socket.write_all(format!("{head}\r\n\r\n{body}").as_bytes()).unwrap();
    let mut answer = String::new();
    socket.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    assert!(head.contains(" 200 "), "{head}");
    body.to_owned()
}

#[test]
fn a_whole_answer_of_any_length_has_the_tokens_it_says() {
    let (server, tokenizer) = (start(""), Tokenizer::builtin());
    for tokens in 1..=2_000 {
        let body = post(&server, "/v1/completions", &json!({"model": "m", "prompt": "a", "max_tokens": tokens}));
        let answer: Value = serde_json::from_str(&body).unwrap();
        assert_eq!(answer["usage"]["completion_tokens"], tokens);
        let text = answer["choices"][0]["text"].as_str().unwrap();
        assert_eq!(tokenizer.count(text), tokens, "{text}");
    }
    server.shutdown().unwrap();
}

#[test]
fn reasoning_and_visible_text_of_a_stream_are_exact_each_on_its_own() {
    let (server, tokenizer) = (start("reasoning=0.3&tokens-per-event=3"), Tokenizer::builtin());
    for tokens in (1..=2_000u64).step_by(41) {
        let messages = json!([{"role": "user", "content": "a"}]);
        let options = json!({"include_usage": true});
        let request = json!({"model": "m", "messages": messages, "stream": true, "max_tokens": tokens,
            "stream_options": options});
        let body = post(&server, "/v1/chat/completions", &request);
        let (mut reasoning, mut visible, mut usage) = (String::new(), String::new(), Value::Null);
        for data in body.lines().filter_map(|line| line.strip_prefix("data: ")).filter(|data| *data != "[DONE]") {
            let event: Value = serde_json::from_str(data).unwrap();
            let delta = &event["choices"][0]["delta"];
            reasoning += delta["reasoning_content"].as_str().unwrap_or_default();
            visible += delta["content"].as_str().unwrap_or_default();
            if event["usage"].is_object() {
                usage = event["usage"].clone();
            }
        }
        let of_reasoning = usage["completion_tokens_details"]["reasoning_tokens"].as_u64().unwrap_or(0);
        assert_eq!(usage["completion_tokens"], tokens);
        assert_eq!(of_reasoning, (tokens as f64 * 0.3).round() as u64);
        assert_eq!(tokenizer.count(&reasoning) as u64, of_reasoning, "{reasoning}");
        assert_eq!(tokenizer.count(&visible) as u64, tokens - of_reasoning, "{visible}");
    }
    server.shutdown().unwrap();
}

#[test]
fn a_lost_or_doubled_token_changes_the_text_and_its_count() {
    let tokenizer = Tokenizer::builtin();
    let words: Vec<&str> = (0..300).map(tokamark_sim::word).collect();
    for at in 0..words.len() {
        let lost = [&words[..at], &words[at + 1..]].concat().concat();
        let doubled = [&words[..=at], &words[at..]].concat().concat();
        assert_eq!((tokenizer.count(&lost), tokenizer.count(&doubled)), (299, 301), "{at}");
        // The text tells where: up to there it is right, and from there on it is not.
        if let Some(next) = words.get(at + 1) {
            assert!(lost.starts_with(&[words[..at].concat().as_str(), next].concat()) && *next != words[at], "{at}");
        }
    }
}
