//! Bytes of answers.

/// The head of a chunked event stream.
pub(crate) const STREAM: &str =
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
/// The chunk that ends a body.
pub(crate) const LAST_CHUNK: &str = "0\r\n\r\n";
/// The end mark.
pub(crate) const DONE: &str = "data: [DONE]\n\n";

/// An event with visible text.
pub(crate) fn token(text: &str) -> String {
    format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"{text}\"}}}}]}}\n\n")
}

/// An event with a finish reason.
pub(crate) fn finish(reason: &str) -> String {
    format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{{}},\"finish_reason\":\"{reason}\"}}]}}\n\n")
}

/// An event with token counts.
pub(crate) fn usage(prompt: u64, completion: u64) -> String {
    format!(
        "data: {{\"choices\":[],\"usage\":{{\"prompt_tokens\":{prompt},\"completion_tokens\":{completion},\
         \"total_tokens\":{}}}}}\n\n",
        prompt + completion
    )
}

/// One chunk of a chunked body.
pub(crate) fn chunk(data: &str) -> String {
    format!("{:x}\r\n{data}\r\n", data.len())
}

/// The body of a whole stream: the words, a finish reason, the end mark.
pub(crate) fn events(words: &[&str]) -> String {
    let mut body: String = words.iter().map(|word| token(word)).collect();
    body.push_str(&finish("stop"));
    body.push_str(DONE);
    body
}

/// A whole chunked answer, one chunk for all of it.
pub(crate) fn streamed(words: &[&str]) -> String {
    format!("{STREAM}{}{LAST_CHUNK}", chunk(&events(words)))
}

/// An answer with a `Content-Length`.
pub(crate) fn sized(status: &str, content_type: &str, body: &str) -> String {
    format!("HTTP/1.1 {status}\r\nContent-Type: {content_type}\r\nContent-Length: {}\r\n\r\n{body}", body.len())
}

/// A whole answer that is not streamed.
pub(crate) fn document(text: &str) -> String {
    format!(
        "{{\"choices\":[{{\"index\":0,\"message\":{{\"role\":\"assistant\",\"content\":\"{text}\"}},\
         \"finish_reason\":\"stop\"}}],\"usage\":{{\"prompt_tokens\":5,\"completion_tokens\":1,\"total_tokens\":6}}}}"
    )
}
