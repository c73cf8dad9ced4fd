//! How well a made trace keeps to what was asked for.

use serde::{Deserialize, Serialize};

use super::options::{AgenticCode, Skewed};
use super::session::{End, Turn};
use crate::analysis::{Analysis, Analyzer, Distribution};

/// What a made trace came to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Quality {
    /// Sessions, restarts included.
    pub sessions: u64,
    /// Sessions that begin again where another broke off.
    pub restarts: u64,
    /// Why sessions ended.
    pub ends: Ends,
    /// What was asked for and what came.
    pub targets: Vec<Target>,
    /// What the trace is like, with a cache that forgets nothing.
    pub analysis: Analysis,
}

/// Why sessions ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ends {
    /// The next request would have been too long.
    pub full: u64,
    /// They were given up.
    pub reset: u64,
    /// They had the turns that were asked for.
    pub done: u64,
}

/// A distribution that was asked for, and what came. Bounds move the figures: contexts that are full end sessions, and
/// answers have a shortest and a longest length.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Target {
    /// The option's name.
    pub name: String,
    /// The mean and the median asked for.
    pub asked: Skewed,
    /// What came; absent if nothing of the kind was drawn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub came: Option<Distribution>,
}

/// Takes a trace in while it is made.
#[derive(Debug, Default)]
pub(super) struct Observer {
    pub(super) analyzer: Analyzer,
    pub(super) restarts: u64,
    sessions: u64,
    ends: Ends,
    own: Vec<f64>,
    new: Vec<f64>,
    output: Vec<f64>,
    turns: Vec<f64>,
}

impl Observer {
    pub(super) fn session(&mut self, options: &AgenticCode, turns: &[Turn], end: End) {
        self.sessions += 1;
        match end {
            End::Full => self.ends.full += 1,
            End::Reset => self.ends.reset += 1,
            End::Done => self.ends.done += 1,
        }
        self.turns.push(turns.len() as f64);
        self.output.extend(turns.iter().map(|turn| turn.output_tokens as f64));
        let mut new = turns.iter().map(|turn| turn.new_tokens);
        self.own.extend(new.next().map(|tokens| (tokens - options.shared_tokens()) as f64));
        self.new.extend(new.map(|tokens| tokens as f64));
    }

    pub(super) fn finish(self, options: &AgenticCode) -> Quality {
        let target =
            |name: &str, asked, sample| Target { name: name.to_owned(), asked, came: Distribution::of(sample) };
        let mut targets = vec![
            target("own_tokens", options.own_tokens, self.own),
            target("new_tokens", options.new_tokens, self.new),
            target("output_tokens", options.output_tokens, self.output),
        ];
        if let Some(turns) = options.turns {
            targets.push(target("turns", Skewed { mean: turns.mean, median: turns.median }, self.turns));
        }
        Quality {
            sessions: self.sessions + self.restarts,
            restarts: self.restarts,
            ends: self.ends,
            targets,
            analysis: self.analyzer.finish(&[]),
        }
    }
}
