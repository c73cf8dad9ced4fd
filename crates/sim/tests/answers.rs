//! Answers over a real socket: exact events, texts and counts.

mod support;

use support::{CHAT, Fixture, Response, chat, words};

/// The text that the deltas carry under a name.
fn text_of(response: &Response, field: &str) -> String {
    let events = response.json_events();
    events.iter().filter_map(|event| event["choices"][0]["delta"][field].as_str().map(str::to_owned)).collect()
}

#[test]
fn a_chat_stream_is_role_words_finish_usage_done() {
    let fixture = Fixture::start("");
    let response = fixture.post(CHAT, &chat("12345678", 3));
    assert_eq!(response.status, 200);
    assert!(response.is_complete);
    assert!(response.head.contains("content-type: text/event-stream"));
    let events = response.json_events();
    assert_eq!(events.len(), 6);
    assert_eq!(events[0]["choices"][0]["delta"]["role"], "assistant");
    for (at, event) in events[1..4].iter().enumerate() {
        assert_eq!(event["choices"][0]["delta"]["content"], tokamark_sim::word(at as u64));
        assert!(event["choices"][0]["finish_reason"].is_null());
    }
    assert_eq!(events[4]["choices"][0]["finish_reason"], "length");
    assert_eq!(events[5]["choices"].as_array().unwrap().len(), 0);
    assert_eq!(
        events[5]["usage"],
        serde_json::json!({"prompt_tokens": 2, "completion_tokens": 3, "total_tokens": 5,
                           "prompt_tokens_details": {"cached_tokens": 0}})
    );
    assert_eq!(response.events().last().unwrap(), "[DONE]");
    let log = fixture.stop();
    assert_eq!(log.len(), 1);
    assert_eq!(log[0].output_tokens, 3);
    assert_eq!(log[0].id, events[0]["id"].as_str().unwrap());
}

#[test]
fn usage_comes_only_when_asked_for() {
    let fixture = Fixture::start("");
    let body = r#"{"messages":[{"role":"user","content":"a"}],"stream":true,"max_tokens":2}"#;
    let response = fixture.post(CHAT, body);
    assert_eq!(response.json_events().len(), 4);
    assert!(!response.text().contains("usage"));
}

#[test]
fn a_whole_answer_has_the_same_words() {
    let fixture = Fixture::start("");
    let body = r#"{"model":"m","messages":[{"role":"user","content":"a"}],"max_completion_tokens":12}"#;
    let answer = fixture.post(CHAT, body).json();
    assert_eq!(answer["choices"][0]["message"]["content"], words(0..12));
    assert_eq!(answer["usage"]["completion_tokens"], 12);
    assert_eq!(answer["model"], "m");
}

#[test]
fn several_tokens_an_event_and_reasoning_do_not_mix() {
    let fixture = Fixture::start("tokens_per_event=3&reasoning=0.4");
    let response = fixture.post(CHAT, &chat("a", 20));
    assert_eq!(text_of(&response, "reasoning_content"), words(0..8));
    assert_eq!(text_of(&response, "content"), words(8..20));
    let events = response.json_events();
    assert_eq!(events.last().unwrap()["usage"]["completion_tokens_details"]["reasoning_tokens"], 8);
    // Role, 3 of reasoning (3 + 3 + 2), 5 of content (1, the rest of the third step, and 3 + 3 + 3 + 2), finish, usage.
    assert_eq!(events.len(), 1 + 3 + 5 + 2);
}

#[test]
fn completions_answer_every_prompt() {
    let fixture = Fixture::start("");
    let body = r#"{"prompt":["a","b"],"max_tokens":2,"stream":true,"stream_options":{"include_usage":true}}"#;
    let events = fixture.post("/v1/completions", body).json_events();
    for index in 0..2 {
        let own = events.iter().filter(|event| event["choices"][0]["index"] == index);
        let texts: String = own.map(|event| event["choices"][0]["text"].as_str().unwrap()).collect();
        assert_eq!(texts, words(0..2));
    }
    assert_eq!(events.last().unwrap()["usage"]["completion_tokens"], 4);
    let whole = fixture.post("/v1/completions", r#"{"prompt":[1,2,3],"max_tokens":2}"#).json();
    assert_eq!(whole["choices"][0]["text"], words(0..2));
    assert_eq!(whole["usage"]["prompt_tokens"], 3);
}

#[test]
fn embeddings_have_a_vector_for_each_input() {
    let fixture = Fixture::start("dimensions=8");
    let answer = fixture.post("/v1/embeddings", r#"{"model":"e","input":["abcde","b"]}"#).json();
    assert_eq!(answer["data"].as_array().unwrap().len(), 2);
    assert_eq!(answer["data"][1]["embedding"].as_array().unwrap().len(), 8);
    assert_eq!(answer["usage"]["prompt_tokens"], 3);
    let encoded = fixture.post("/v1/embeddings", r#"{"input":"a","encoding_format":"base64"}"#).json();
    // 8 numbers of 4 bytes.
    assert_eq!(encoded["data"][0]["embedding"].as_str().unwrap().len(), 44);
}

#[test]
fn the_default_length_ends_with_stop() {
    let fixture = Fixture::start("output=5");
    let body = r#"{"messages":[{"role":"user","content":"a"}]}"#;
    let answer = fixture.post(CHAT, body).json();
    assert_eq!(answer["usage"]["completion_tokens"], 5);
    assert_eq!(answer["choices"][0]["finish_reason"], "stop");
}

#[test]
fn a_common_prefix_is_cached_until_the_cache_is_reset() {
    let fixture = Fixture::start("");
    let prompt = "a".repeat(64 * 3);
    let cached = |prompt: &str| {
        let events = fixture.post(CHAT, &chat(prompt, 1)).json_events();
        events.last().unwrap()["usage"]["prompt_tokens_details"]["cached_tokens"].as_u64().unwrap()
    };
    assert_eq!(cached(&prompt), 0);
    // All 48 tokens are there, but one at least must be read.
    assert_eq!(cached(&prompt), 32);
    assert_eq!(cached(&format!("{prompt}b")), 48);
    assert_eq!(cached(&format!("b{prompt}")), 0);
    assert_eq!(fixture.metric("vllm:prefix_cache_hits_total", ""), 80.0);
    assert_eq!(fixture.metric("vllm:prefix_cache_queries_total", ""), (48 + 48 + 49 + 49) as f64);
    assert_eq!(fixture.post("/reset_prefix_cache", "").status, 200);
    assert_eq!(cached(&prompt), 0);
}

#[test]
fn metrics_add_up() {
    let fixture = Fixture::start("");
    for _ in 0..3 {
        fixture.post(CHAT, &chat("abcdefgh", 7));
    }
    assert_eq!(fixture.metric("vllm:prompt_tokens_total", ""), 6.0);
    assert_eq!(fixture.metric("vllm:generation_tokens_total", ""), 21.0);
    assert_eq!(fixture.metric("vllm:request_success_total", "finished_reason=\"length\""), 3.0);
    assert_eq!(fixture.metric("vllm:time_to_first_token_seconds_count", ""), 3.0);
    assert_eq!(fixture.metric("vllm:inter_token_latency_seconds_count", ""), 18.0);
    // Six gaps of 1 ms in each answer.
    assert!((fixture.metric("vllm:inter_token_latency_seconds_sum", "") - 0.018).abs() < 1e-9);
    assert_eq!(fixture.metric("vllm:num_requests_running", ""), 0.0);
}

#[test]
fn wrong_requests_get_errors_with_a_body() {
    let fixture = Fixture::start("models=a,b&context=100");
    let long = format!(r#"{{"model":"a","prompt":"{}"}}"#, "x".repeat(1_000));
    for (path, body, status) in [
        ("/v1/completions", r#"{"model":"c","prompt":"x"}"#, 404),
        ("/v1/completions", "{", 400),
        ("/v1/completions", long.as_str(), 400),
        ("/v1/chat/completions", r#"{"model":"a"}"#, 400),
        ("/v1/nothing", "{}", 404),
        ("/health", "{}", 405),
    ] {
        let response = fixture.post(path, body);
        assert_eq!(response.status, status, "{path} {body}");
        let error = &response.json()["error"];
        assert!(!error["message"].as_str().unwrap().is_empty());
        assert_eq!(error["code"], status);
    }
    let models = fixture.get("/v1/models").json();
    assert_eq!(models["data"][1]["id"], "b");
    // Only requests for tokens are logged.
    assert_eq!(fixture.stop().len(), 4);
}
