//! `tracelab`: rounds of agents that say how much of each prompt was in the cache.

use std::collections::HashMap;

use tokamark_conversation::History;
use tokamark_plan::TracePlan;
use tokamark_trace::Row;

use super::azure::clock_time;
use super::rows::{Entry, RowFormat, needed};
use crate::fields::Fields;

/// Tokens of a block unless the plan says otherwise.
const BLOCK_SIZE: u32 = 64;

/// Numbers of a clock above this are milliseconds and not seconds since 1970.
const SECONDS: f64 = 1e11;

/// The format. A prompt's whole blocks get names: as many of the round before as lie in the cached prefix, and new ones
/// after them. Each round is a complete request. Subagents are sessions by themselves.
#[derive(Debug)]
pub(super) struct Tracelab {
    sessions: HashMap<String, Session>,
    /// The next name of a block.
    fresh: u64,
    /// The earliest time, milliseconds.
    first_ms: f64,
}

#[derive(Debug)]
struct Session {
    round: u64,
    blocks: Vec<u64>,
    /// When its last round ended, milliseconds.
    end_ms: Option<f64>,
}

impl Default for Tracelab {
    fn default() -> Self {
        Self { sessions: HashMap::new(), fresh: 0, first_ms: f64::INFINITY }
    }
}

impl RowFormat for Tracelab {
    const LOOKS_AHEAD: bool = true;

    fn entry(&mut self, fields: &mut Fields, _text: &str, plan: &TracePlan) -> Entry {
        let name = needed(fields, "session_id", Fields::name).unwrap_or_default();
        let round = needed(fields, "round_index", Fields::whole).unwrap_or(0);
        let total = needed(fields, "input_tokens_total", Fields::above_zero).unwrap_or(0);
        let prefix = fields.whole("prefix_tokens").unwrap_or(0);
        let output_tokens = fields.output_tokens(&["output_tokens", "output_length"]);
        let times = times(fields);
        // What is new is what is not the prefix; tools tell of waits, which the times of the rounds have in them.
        fields.skip(&["newly_append_tokens", "tools"]);
        if prefix > total {
            fields.fault("prefix_tokens", format!("is {prefix}, but the whole prompt has {total}"));
        }
        let size = plan.block_size.unwrap_or(BLOCK_SIZE);
        let mut entry = Entry {
            row: Row { input_tokens: total, output_tokens, block_size: size, is_complete: true, ..Row::default() },
            history: History::None,
            order: i64::try_from(round).unwrap_or(i64::MAX),
            ..Entry::default()
        };
        if fields.faults() > 0 {
            return entry;
        }
        let before = self.sessions.get(&name);
        if before.is_some_and(|before| before.round >= round) {
            fields.fault("round_index", "is not above that of the session's line before");
            return entry;
        }
        match before.and_then(|before| before.end_ms).zip(times) {
            Some((end, (start, _))) => entry.row.delay_ms = Some((start - end).max(0.0)),
            None if before.is_none() => entry.row.timestamp_ms = times.map(|(start, _)| start),
            None => {}
        }
        let size = u64::from(size.max(1));
        let cached = usize::try_from(prefix / size).unwrap_or(usize::MAX);
        let mut blocks: Vec<u64> = before.map(|before| &before.blocks[..]).unwrap_or_default().to_vec();
        blocks.truncate(cached);
        // Named blocks take memory, so a length that no server takes gets none; it is a fault anyway.
        let wanted = if total <= 1_000_000_000 { total / size } else { 0 };
        let more = wanted.saturating_sub(blocks.len() as u64);
        blocks.extend(self.fresh..self.fresh + more);
        self.fresh += more;
        entry.row.hash_ids.clone_from(&blocks);
        entry.row.session = Some(name.clone());
        self.sessions.insert(name, Session { round, blocks, end_ms: times.map(|(_, end)| end) });
        entry
    }

    fn look(&mut self, entry: &Entry) {
        self.first_ms = entry.row.timestamp_ms.map_or(self.first_ms, |ms| ms.min(self.first_ms));
    }

    fn rewind(&mut self) {
        self.sessions.clear();
        self.fresh = 0;
    }

    fn settle(&mut self, entry: &mut Entry, _fields: &mut Fields) {
        entry.row.timestamp_ms = entry.row.timestamp_ms.map(|ms| ms - self.first_ms);
    }
}

/// When a round began and ended by its events, milliseconds of a clock.
fn times(fields: &mut Fields) -> Option<(f64, f64)> {
    let mut times: Option<(f64, f64)> = None;
    for (at, event) in fields.list("timing_events").unwrap_or_default().into_iter().enumerate() {
        let mut inner = fields.inner(&format!("timing_events[{at}]"), event);
        inner.skip(&["event_type"]);
        if let Some(ms) = event_time(&mut inner) {
            times = Some(times.map_or((ms, ms), |(first, last)| (first.min(ms), last.max(ms))));
        }
        fields.absorb(inner);
    }
    times
}

fn event_time(fields: &mut Fields) -> Option<f64> {
    let value = fields.take("timestamp")?;
    let is_number = value.is_number();
    fields.put("timestamp", Some(value));
    if !is_number {
        return clock_time(fields, "timestamp");
    }
    let number = fields.ms("timestamp")?;
    Some(if number < SECONDS { number * 1e3 } else { number })
}
