//! Answers read by the rules of event streams, whatever the borders of reads.

use serde_json::Value;
use tokamark_wire::openai::{error_in_body, text_of};
use tokamark_wire::sse::SseDecoder;

use super::extract::{self, Said};
use super::{Piece, Reading};
use crate::export::{Api, ExportRequest};

/// Reads an answer; `all` counts reasoning and tool calls as generated text, too.
pub(super) fn read(api: Api, request: &ExportRequest, all: bool) -> Reading {
    let mut answer = Answer { api, all, pieces: Vec::new(), failure: None, is_done: false };
    let reads: Vec<(u64, &[u8])> = request
        .response_timestamps
        .iter()
        .zip(&request.response_outputs)
        .map(|(at, output)| (*at, output.bytes()))
        .collect();
    if is_stream(&reads) {
        read_stream(&reads, &mut answer);
    } else {
        read_bodies(&reads, &mut answer);
    }
    match answer.failure {
        Some(failure) => Reading::Failed(failure),
        None => Reading::Answer(answer.pieces),
    }
}

struct Answer {
    api: Api,
    all: bool,
    pieces: Vec<Piece>,
    failure: Option<String>,
    is_done: bool,
}

impl Answer {
    /// One object of the answer, complete at the time.
    fn add(&mut self, at: u64, bytes: &[u8]) {
        if self.is_done || bytes.is_empty() {
            return;
        }
        let lossy = String::from_utf8_lossy(bytes);
        let Ok(object) = serde_json::from_str::<Value>(&lossy) else {
            let shown = text_of(bytes).unwrap_or_default();
            self.fail(format!("an event is not JSON: {shown}"));
            return;
        };
        let has_error = object.get("error").is_some_and(|error| !error.is_null());
        let Some(said) = extract::careful(self.api, &object).filter(|_| !has_error) else {
            if let Some(error) = error_in_body(bytes) {
                self.fail(error.message);
            }
            return;
        };
        let Said { mut text, mut reasoning } = said;
        if self.all {
            text.push_str(&extract::tool_text(&object));
        } else {
            reasoning.clear();
        }
        if !text.is_empty() || !reasoning.is_empty() {
            self.pieces.push(Piece { at, text, reasoning, ids: 0 });
        }
    }

    fn fail(&mut self, reason: String) {
        self.failure.get_or_insert(reason);
    }
}

/// True if the answer begins with a field of an event stream; its first read may hold less than that.
fn is_stream(reads: &[(u64, &[u8])]) -> bool {
    const FIELDS: [&[u8]; 5] = [b"data:", b":", b"event:", b"id:", b"retry:"];
    let bytes = reads.iter().flat_map(|(_, bytes)| *bytes).copied();
    let start: Vec<u8> = bytes.skip_while(u8::is_ascii_whitespace).take(8).collect();
    FIELDS.iter().any(|field| start.starts_with(field))
}

fn read_stream(reads: &[(u64, &[u8])], answer: &mut Answer) {
    let mut decoder = SseDecoder::new();
    let mut sink = |event: tokamark_wire::sse::SseEvent<'_, u64>| {
        let data = event.data.trim_ascii();
        if event.is_comment || answer.is_done {
        } else if data == b"[DONE]" {
            answer.is_done = true;
        } else if event.name.eq_ignore_ascii_case(b"error") {
            let reason = error_in_body(data).map(|error| error.message).or_else(|| text_of(data));
            answer.fail(reason.unwrap_or_else(|| "the server sent an error without a message".to_owned()));
        } else {
            answer.add(event.tag, data);
        }
    };
    for (at, bytes) in reads {
        decoder.feed(bytes, *at, &mut sink);
    }
    decoder.finish(&mut sink);
}

/// Bodies that are not streams: usually one object, cut by reads anywhere.
fn read_bodies(reads: &[(u64, &[u8])], answer: &mut Answer) {
    let all: Vec<u8> = reads.iter().flat_map(|(_, bytes)| *bytes).copied().collect();
    let mut objects = serde_json::Deserializer::from_slice(&all).into_iter::<serde::de::IgnoredAny>();
    let mut start = 0;
    while let Some(object) = objects.next() {
        let end = objects.byte_offset();
        if object.is_err() {
            let shown = text_of(&all[start..]).unwrap_or_default();
            answer.fail(format!("the answer is not JSON: {shown}"));
            return;
        }
        answer.add(time_of(reads, end), &all[start..end]);
        start = end;
    }
}

/// When the read came that brought the byte before `end`.
fn time_of(reads: &[(u64, &[u8])], end: usize) -> u64 {
    let mut seen = 0;
    let covering = reads.iter().find(|(_, bytes)| {
        seen += bytes.len();
        seen >= end
    });
    covering.or(reads.last()).map_or(0, |(at, _)| *at)
}
