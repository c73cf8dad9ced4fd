//! What a trace is like.

mod cache;
mod distribution;
mod replay;

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

pub use distribution::Distribution;

use crate::row::Row;
use replay::{Facts, Rows};

/// What a trace is like. What it does not tell is absent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Analysis {
    /// Rows.
    pub rows: u64,
    /// Distinct session names.
    pub sessions: u64,
    /// Rows of each session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turns: Option<Distribution>,
    /// Seconds between the first and the last timestamp.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub span_s: Option<f64>,
    /// Rows with a timestamp, less one, divided by the span.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate_per_s: Option<f64>,
    /// Milliseconds between one timestamp and the next one in time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gap_ms: Option<Distribution>,
    /// Tokens of a row's own prompt.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_length: Option<Distribution>,
    /// Tokens of a row's prompt with all that its session said before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_length: Option<Distribution>,
    /// Tokens of the answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_length: Option<Distribution>,
    /// What rows have in common; absent if the trace neither names blocks nor has sessions whose
    /// requests repeat what was said before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reuse: Option<Reuse>,
}

/// What the rows of a trace have in common.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reuse {
    /// Distinct prefixes of whole named blocks: blocks count as the same only if all before them are the same too.
    pub distinct_prefixes: u64,
    /// Those of them that at least two rows begin with.
    pub shared_prefixes: u64,
    /// Distinct first blocks that at least two rows begin with.
    pub prefix_groups: u64,
    /// Rows in these groups.
    pub rows_in_groups: u64,
    /// Tokens of leading named blocks that other rows begin with too.
    pub shared_prompt_length: Distribution,
    /// All other tokens of the row's prompt.
    pub unique_prompt_length: Distribution,
    /// Tokens that a cache which forgets nothing already holds when a row comes in the order of time, divided by those
    /// of its context; over rows.
    pub hit_rate: Distribution,
    /// The same over all rows together: tokens held divided by tokens of all contexts.
    pub token_hit_rate: f64,
    /// Blocks that a cache which forgets nothing holds at the end, answers within sessions with them.
    pub working_set_blocks: u64,
    /// Caches that forget what was used least recently.
    pub caches: Vec<BoundedCache>,
}

/// How much a cache of a bounded size holds of what comes.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct BoundedCache {
    /// Its size in blocks.
    pub blocks: u64,
    /// Tokens held divided by tokens of all contexts.
    pub token_hit_rate: f64,
}

/// Takes a trace in and says what it is like. It keeps about 80 bytes of each row and 8 of each named block.
#[derive(Clone, Debug, Default)]
pub struct Analyzer {
    rows: Rows,
    /// Rows that begin with each prefix.
    prefixes: FxHashMap<u64, u32>,
    sessions: FxHashMap<String, Session>,
}

/// What is known of a session so far.
#[derive(Clone, Copy, Debug)]
struct Session {
    number: u32,
    turns: u32,
    /// Tokens of all prompts and answers.
    tokens: u64,
    /// When its last row was sent, as far as is known.
    time_ms: f64,
}

impl Analyzer {
    /// Takes a row in.
    pub fn push(&mut self, row: &Row) {
        let next = u32::try_from(self.sessions.len()).unwrap_or(u32::MAX);
        let last_ms = self.rows.facts.last().map_or(0.0, |facts: &Facts| facts.time_ms);
        let mut facts = Facts {
            has_timestamp: row.timestamp_ms.is_some(),
            time_ms: row.timestamp_ms.unwrap_or(last_ms),
            session: None,
            input_tokens: row.input_tokens,
            output_tokens: row.output_tokens,
            history_tokens: 0,
            block_size: row.block_size.max(1),
            first_block: self.rows.blocks.len(),
            blocks: row.hash_ids.len(),
        };
        let mut root = u64::from(facts.block_size);
        if let Some(name) = &row.session {
            if !self.sessions.contains_key(name) {
                let session = Session { number: next, turns: 0, tokens: 0, time_ms: facts.time_ms };
                self.sessions.insert(name.clone(), session);
            }
            if let Some(session) = self.sessions.get_mut(name) {
                let since = session.time_ms + row.delay_ms.unwrap_or(0.0);
                facts.time_ms = row.timestamp_ms.unwrap_or(since);
                if !row.is_complete {
                    facts.session = Some(session.number);
                    facts.history_tokens = session.tokens;
                    let said = row.input_tokens.saturating_add(row.output_tokens.unwrap_or(0));
                    session.tokens = session.tokens.saturating_add(said);
                    if session.turns > 0 {
                        root = replay::private(session.number, session.turns.into());
                    }
                }
                session.turns += 1;
                session.time_ms = facts.time_ms;
            }
        }
        for &id in &row.hash_ids {
            root = replay::chained(root, id);
            self.rows.blocks.push(root);
            *self.prefixes.entry(root).or_default() += 1;
        }
        self.rows.facts.push(facts);
    }

    /// What the trace is like, with caches of these sizes in blocks.
    #[must_use]
    pub fn finish(self, cache_sizes: &[u64]) -> Analysis {
        let facts = &self.rows.facts;
        let over = |of: fn(&Facts) -> f64| Distribution::of(facts.iter().map(of).collect());
        let mut times: Vec<f64> = facts.iter().filter(|row| row.has_timestamp).map(|row| row.time_ms).collect();
        times.sort_unstable_by(f64::total_cmp);
        let span_s = times.last().zip(times.first()).map(|(last, first)| (last - first) / 1e3);
        let gaps = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let outputs = facts.iter().filter_map(|row| row.output_tokens).map(|tokens| tokens as f64).collect();
        let turns = self.sessions.values().map(|session| f64::from(session.turns)).collect();
        Analysis {
            rows: facts.len() as u64,
            sessions: self.sessions.len() as u64,
            turns: Distribution::of(turns),
            span_s,
            rate_per_s: span_s.filter(|span| *span > 0.0).map(|span| (times.len() - 1) as f64 / span),
            gap_ms: Distribution::of(gaps),
            input_length: over(|row| row.input_tokens as f64),
            context_length: over(|row| row.context_tokens() as f64),
            output_length: Distribution::of(outputs),
            reuse: self.reuse(cache_sizes),
        }
    }

    fn reuse(&self, cache_sizes: &[u64]) -> Option<Reuse> {
        let rows = &self.rows;
        if rows.blocks.is_empty() && rows.facts.iter().all(|row| row.session.is_none()) {
            return None;
        }
        let seen = |prefix: &u64| self.prefixes.get(prefix).copied().unwrap_or(0);
        let mut groups: FxHashMap<u64, u64> = FxHashMap::default();
        let (mut shared, mut unique) = (Vec::new(), Vec::new());
        for row in &rows.facts {
            let blocks = rows.named(row);
            let count = blocks.iter().take_while(|prefix| seen(prefix) > 1).count() as u64;
            let tokens = count.saturating_mul(row.block_size.into()).min(row.input_tokens);
            shared.push(tokens as f64);
            unique.push((row.input_tokens - tokens) as f64);
            if let Some(first) = blocks.first().filter(|first| seen(first) > 1) {
                *groups.entry(*first).or_default() += 1;
            }
        }
        let order = rows.in_time();
        let mut unlimited = cache::Unlimited::default();
        let hits = rows.replayed(&order, &mut unlimited);
        let share = |hits: &[u64]| {
            let all: f64 = rows.facts.iter().map(|row| row.context_tokens() as f64).sum();
            hits.iter().map(|hit| *hit as f64).sum::<f64>() / all.max(1.0)
        };
        let rates = rows.facts.iter().zip(&hits).map(|(row, hit)| *hit as f64 / row.context_tokens().max(1) as f64);
        let caches = cache_sizes.iter().map(|&blocks| BoundedCache {
            blocks,
            token_hit_rate: share(&rows.replayed(&order, &mut cache::Lru::new(blocks))),
        });
        Some(Reuse {
            distinct_prefixes: self.prefixes.len() as u64,
            shared_prefixes: self.prefixes.values().filter(|rows| **rows > 1).count() as u64,
            prefix_groups: groups.len() as u64,
            rows_in_groups: groups.values().sum(),
            shared_prompt_length: Distribution::of(shared)?,
            unique_prompt_length: Distribution::of(unique)?,
            hit_rate: Distribution::of(rates.collect())?,
            token_hit_rate: share(&hits),
            working_set_blocks: unlimited.blocks(),
            caches: caches.collect(),
        })
    }
}
