//! Conversations made of closures.

use std::sync::Arc;

use bytes::Bytes;
use tokamark_client::{Conversation, Opening, Prepared, Reply, Step, Supply, When};
use tokamark_record::{Phase, RequestRecord};

use super::answers::streamed;
use super::server::Server;

/// Opens conversations by a function of their number.
pub(crate) struct Opens<F>(pub(crate) F);

impl<F: Fn(u64) -> Opening + Send + Sync> Supply for Opens<F> {
    fn open(&self, _phase: Phase, number: u64) -> Opening {
        (self.0)(number)
    }
}

/// The same, at fixed nanoseconds after the phase's start.
pub(crate) struct Timed<F>(pub(crate) Vec<u64>, pub(crate) F);

impl<F: Fn(u64) -> Opening + Send + Sync> Supply for Timed<F> {
    fn open(&self, _phase: Phase, number: u64) -> Opening {
        (self.1)(number)
    }

    fn schedule(&self, _phase: Phase) -> Option<Arc<[u64]>> {
        Some(self.0.clone().into())
    }
}

struct Rest<F>(F);

impl<F: FnMut(&Reply) -> Step + Send> Conversation for Rest<F> {
    fn next(&mut self, reply: &Reply) -> Step {
        (self.0)(reply)
    }
}

/// What follows the first request, as a function of each answer.
pub(crate) fn rest(next: impl FnMut(&Reply) -> Step + Send + 'static) -> Option<Box<dyn Conversation>> {
    Some(Box::new(Rest(next)))
}

/// A request with that text as its body.
pub(crate) fn request(body: impl Into<String>, turn: u32) -> Prepared {
    Prepared { body: Bytes::from(body.into()), turn, ..Prepared::default() }
}

pub(crate) fn send(body: impl Into<String>, turn: u32, when: When) -> Step {
    Step::Send { prepared: request(body, turn), when }
}

/// A conversation of so many turns, whose bodies are `number.turn` and what the server said to the turn before.
pub(crate) fn talk(number: u64, turns: u32, when: When) -> Opening {
    let mut turn = 0;
    let next = rest(move |reply| {
        turn += 1;
        if turn < turns { send(format!("{number}.{turn} {}", reply.text), turn, when) } else { Step::End }
    });
    Opening { rest: next, ..request(format!("{number}.0"), 0).into() }
}

/// A server that says `re: ` and what it was told.
pub(crate) fn echo() -> Server {
    Server::start(|peer| {
        while let Some(seen) = peer.request() {
            peer.write(streamed(&["re: ", &seen.body]));
        }
    })
}

/// The records of each conversation, in the order of their numbers.
pub(crate) fn by_session(records: &[RequestRecord]) -> Vec<Vec<&RequestRecord>> {
    let mut sessions: Vec<Vec<&RequestRecord>> = Vec::new();
    for record in records {
        let session = usize::try_from(record.session).unwrap();
        sessions.resize_with(sessions.len().max(session + 1), Vec::new);
        sessions[session].push(record);
    }
    sessions
}

/// Most conversations that were going on at the same time, from the first schedule to the last end.
pub(crate) fn most_at_once(records: &[RequestRecord]) -> i32 {
    let mut edges = Vec::new();
    for session in by_session(records) {
        edges.push((session.iter().map(|record| record.times.slot).min().unwrap(), 1));
        edges.push((session.iter().map(|record| record.times.end).max().unwrap(), -1));
    }
    // One that ends at the very moment when another begins is over.
    edges.sort_unstable();
    let mut now = 0;
    edges
        .iter()
        .map(|(_, change)| {
            now += change;
            now
        })
        .max()
        .unwrap()
}
